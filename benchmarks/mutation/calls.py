"""Which functions of ours a test calls, noted while it runs: a line each, `test<TAB>function`.

Also in the processes that a test starts: there this file is `sitecustomize`, which Python imports
before anything else, and the environment names the test. So nothing of ours is imported here, and
each function is written down at once: the program ends without a word.
"""

import os
import sys
import threading
from types import CodeType, FrameType

TEST, SOURCE, NOTES = "MUTATION_TEST", "MUTATION_SOURCE", "MUTATION_NOTES"


def note(test: str, function: str) -> None:
    path = os.path.join(os.environ[NOTES], str(os.getpid()))  # noqa: PTH118
    with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f"{test}\t{function}\n")


def start(test: str) -> None:
    """Note calls from now on; a call traced without its lines costs little."""
    source = os.environ[SOURCE] + os.sep
    seen: set[CodeType] = set()

    def trace(frame: FrameType, *_: object) -> None:
        code = frame.f_code
        if code not in seen:
            seen.add(code)
            if code.co_filename.startswith(source):
                note(test, f"{code.co_filename.removeprefix(source)} {code.co_qualname}")

    threading.settrace(trace)
    sys.settrace(trace)


def stop() -> None:
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]


if TEST in os.environ and __name__ == "sitecustomize":
    start(os.environ[TEST])
