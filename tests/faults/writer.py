"""A process that remembers what it is told: `branch TAB content` lines in, ids or errors out.

Started by the fault tests, with the library instead of the program: it captures hundreds of times
in the time one process takes to start. A line on standard output is an acknowledgement.
"""

import sys

from treering import Treering
from treering.errors import TreeringError


def main(folder: str) -> None:
    treering = Treering.open(folder)
    _say("ready")
    for line in sys.stdin:
        branch, _, content = line.rstrip("\n").partition("\t")
        try:
            said = treering.remember(content, branch=branch).id
        except TreeringError as error:
            said = f"error {error.code}: {error.message}"
        _say(said)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
