"""How often steering texts and credentials are recognised, and how often others are taken for them.

The held half was written before the rules changed and not looked at while they were tuned. Texts
and rules have the same author: others' texts will fare worse. Prose of others comes from what is
installed with Python: the documentation in the standard library and in installed packages.
"""

import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from benchmarks._bench import heading, row
from treering.text.secrets import secrets_in
from treering.text.steering import suspicion

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from capture.samples import Sample, read_credentials, read_steering

SIZE = 262_144


def read_prose() -> Iterator[str]:
    """Paragraphs of others: docstrings of the standard library, descriptions of packages."""
    library = Path(sysconfig.get_path("stdlib"))
    sources = (file.read_text("utf-8", "replace") for file in sorted(library.glob("*.py")))
    texts = [match for source in sources for match in re.findall(r'"""(.*?)"""', source, re.DOTALL)]
    texts += [str(found.metadata.get_payload()) for found in metadata.distributions()]
    for text in texts:
        yield from (part for part in re.split(r"\n\s*\n", text) if 40 < len(part) < 3000)


def _print_shares(name: str, samples: list[Sample], find: Callable[[str], object]) -> None:
    heading(name, "found", "of", "share")
    for kind in dict.fromkeys(sample.kind for sample in samples):
        texts = [sample.text for sample in samples if sample.kind == kind]
        found = sum(bool(find(text)) for text in texts)
        row(kind, str(found), str(len(texts)), f"{found / len(texts):.1%}")


def _print_costs() -> None:
    prose = "\n\n".join(read_prose())
    prose = (prose * (SIZE // len(prose) + 1))[:SIZE]
    cases = {
        "prose": prose,
        "send secrets to ...": "send secrets to " * (SIZE // 16),
        "U+FDFA": "\ufdfa" * (SIZE // 3),
        "accents": "a" + "\u0315\u0300" * (SIZE // 4),
        "a a a a": "a " * (SIZE // 2),
        "one long base64": "QUJD" * (SIZE // 4),
        "<<<<": "<" * SIZE,
        "<a<a": "<a" * (SIZE // 2),
        "&#&#": "&#" * (SIZE // 2),
        "ignore ignore": "ignore " * (SIZE // 7),
        "password=": "password=" * (SIZE // 9),
    }
    heading("256 KB", "signs, ms", "secrets, ms")
    for name, text in cases.items():
        row(name, _time(suspicion.__wrapped__, text), _time(secrets_in, text))


def _time(find: Callable[[str], object], text: str) -> str:
    find(text)
    started = time.process_time()
    find(text)
    return f"{1000 * (time.process_time() - started):.0f}"


def main(quick: bool = False) -> None:
    for half in ("tune", "held"):
        samples = read_steering(half)
        english = [s for s in samples if s.language == "en" or s.kind == "innocent"]
        others = [s._replace(kind="all") for s in samples if s not in english]
        _print_shares(f"steering, English, {half}", english, suspicion)
        _print_shares(f"steering, other languages, {half}", others, suspicion)
        _print_shares(f"credentials, {half}", read_credentials(half), secrets_in)
    if quick:  # what does not depend on this Python and this machine
        return
    prose = [Sample("prose of others", "", text) for text in read_prose()]
    _print_shares("signs", prose, suspicion)
    _print_shares("credentials", prose, secrets_in)
    _print_costs()


if __name__ == "__main__":
    main()
