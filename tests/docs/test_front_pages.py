"""README and CONTRIBUTING are the first pages anyone tries; what they name has to be there."""

import re

from treering.cli.group import BESIDE_VERBS
from treering.verbs import VERBS

COMMANDS = (*VERBS, *BESIDE_VERBS)


def test_readme_has_exactly_two_set_up_commands(page):
    """Whoever needs a third has already gone elsewhere."""
    blocks = page("README.md").blocks("sh")

    assert blocks[0].splitlines() == ["make demo", "make test"]
    assert [line for block in blocks[1:] for line in block.splitlines() if "make" in line] == []


def test_readme_names_only_commands_there_are(page):
    """A command from a plan is not a command."""
    readme = page("README.md")
    code = [*readme.blocks("sh"), *re.findall(r"`[^`\n]+`", readme.text)]

    named = set(re.findall(r"\btreering ([a-z]+)", "\n".join(code)))

    assert named <= set(COMMANDS)


def test_make_targets_are_those_of_the_makefile(page, root):
    """The table is where a newcomer looks first."""
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()) - {"help"}

    rows = page("CONTRIBUTING.md").rows("target", "does")

    assert {target.removeprefix("make ") for target, _ in rows} == targets
