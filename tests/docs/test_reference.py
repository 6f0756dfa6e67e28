"""Reference pages are looked up, not read: one wrong line costs an hour. So each is compared."""

import importlib.util
import re

import pytest

from treering import errors
from treering.actions.config import SETTINGS
from treering.cli.main import BUG, EXPECTED, INTERRUPTED, USAGE
from treering.errors import TreeringError
from treering.git.lock import LOCK_TIMEOUT
from treering.verbs import VERBS, find_verb


def load(script):
    """A script of the docs, which are no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{script.stem}", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def generate(root):
    return load(root / "docs/generate.py")


def test_cli_page_is_what_help_says(page, generate):
    """When this fails, run `python docs/generate.py` and look at the difference."""
    assert page("docs/reference/cli.md").text == generate.page()


def test_tools_page_is_what_agents_see(page, generate):
    """When this fails, run `python docs/generate.py` and look at the difference."""
    assert page("docs/reference/tools.md").text == generate.tools_page()


def test_python_page_is_what_the_class_offers(page, root):
    """When this fails, run `python docs/generate.py` and look at the difference."""
    assert page("docs/reference/python.md").text == load(root / "docs/python_page.py").page()


def test_the_manual_page_is_what_help_says(generate):
    """`git treering --help` shows it, and nothing else."""
    assert generate.MANUAL.read_text(encoding="utf-8") == generate.manual()


@pytest.mark.parametrize("name", VERBS)
def test_every_command_shows_an_example(name):
    """An example is what most people read first, and often all they read."""
    assert find_verb(name).example.startswith(f"treering {name}")


def test_exit_codes_are_those_of_the_program(page):
    """Scripts branch on them."""
    codes = [int(code) for code, _ in page("docs/reference/cli.md").rows("code", "means")]

    assert codes == [0, EXPECTED, USAGE, BUG, INTERRUPTED]


def test_every_error_has_its_line(page):
    """A code nobody explains sends its reader to the source."""
    rows = page("docs/reference/errors.md").rows("code", "exception", "means", "what to do")

    documented = {name: code for code, name, _, _ in rows}

    assert documented == {kind.__name__: kind.code for kind in _distinct_errors()}


def _distinct_errors() -> list[type[TreeringError]]:
    """The root, and each error of errors.py that has a code of its own."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    ours = [kind for kind in kinds if issubclass(kind, TreeringError)]
    return [kind for kind in ours if "code" in vars(kind)]


def test_error_example_and_patience_are_real(page):
    """The example is the shape programs parse."""
    text = page("docs/reference/errors.md").text
    error = errors.Invalid("'abc' is too short for an id.", hint="Give at least 4 characters.")

    assert str(error.as_json()).replace('"', "'") in text.replace('"', "'")
    assert f"more than {LOCK_TIMEOUT:g} seconds" in text


def test_every_setting_has_its_line(page):
    """Key, default and meaning come from one table in the code."""
    rows = page("docs/reference/config.md").rows("key", "default", "meaning")

    assert rows == [(s.key, s.default, s.meaning) for s in SETTINGS.values()]


def test_links_between_pages_lead_somewhere(page, root):
    """A page that moved leaves its readers at a dead end."""
    pages = [*sorted((root / "docs").rglob("*.md")), root / "README.md", root / "CONTRIBUTING.md"]
    broken = []
    for path in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
            if not target.startswith("http") and not _leads(path, target):
                broken.append(f"{path.relative_to(root)}: {target}")

    assert broken == []


def _leads(path, target: str) -> bool:
    file, _, anchor = target.partition("#")
    there = (path.parent / file).resolve() if file else path
    if not there.exists():
        return False
    if not anchor:
        return True
    headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
    return anchor in {heading.lower().replace(" ", "-") for heading in headings}
