"""The shims that `treering init` puts among a repository's hooks; their text lies in `hooks/`."""

from pathlib import Path

from treering.errors import Invalid

#: The hooks that have one.
HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite", "pre-push")


def shims_folder() -> Path:
    """Where the shims are: inside the installed package, or at the top of a source tree."""
    package = Path(__file__).parents[1]
    shims = package / "hooks" / "shims"
    return shims if shims.is_dir() else package.parents[1] / "hooks"


def shim(name: str) -> bytes:
    """The text of one hook; it is the same for all of them and works unchanged everywhere."""
    if name not in HOOKS:
        raise Invalid(f"There is no shim for {name!r}.", hint=f"There are: {', '.join(HOOKS)}.")
    return (shims_folder() / name).read_bytes()
