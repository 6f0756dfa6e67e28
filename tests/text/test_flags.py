"""The number of the rules: whoever keeps findings looks again when it changes."""

import hashlib
import inspect
from pathlib import Path

from treering.model import tables
from treering.text import flags, hygiene, secrets, steering

RULES = (hygiene, secrets, steering)
#: Of the code that finds, by number of the detectors. Changed what they find? Count one up in
#: flags.py, and write down the new digest. Changed only how? Write down the new digest.
DIGESTS = {4: "7a1d601f0f2e5918"}


def test_new_rules_have_a_new_number() -> None:
    """An index that keeps findings would go on with those of the old rules."""
    text = "".join(inspect.getsource(module) for module in RULES)
    for name in ("credentials", "steering"):
        text += (Path(tables.__file__).parents[1] / "data" / f"{name}.txt").read_text("utf-8")

    digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    assert DIGESTS[flags.DETECTORS] == digest


def test_the_history_names_every_number() -> None:
    history = inspect.getsource(flags)

    assert all(f"\n# {n}: " in history for n in range(1, flags.DETECTORS + 1))
