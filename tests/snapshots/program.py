"""Run treering with a pinned clock: one command as `program.py SECONDS ARGUMENT...`, or the script
on standard input, a minute a line, with what each command answered as JSON lines."""

import io
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

now = [float(sys.argv[1])]
time.time = lambda: now[0]  # before treering is imported: it takes the clock as it finds it

from treering.cli.main import main  # noqa: E402


def play(script: str) -> None:
    """`treering WORDS`, `git WORDS` or `write PATH TEXT`; `=> name` keeps the id of the answer."""
    names: dict[str, str] = {}
    for line in script.splitlines():
        typed, _, name = line.partition(" => ")
        if not typed or typed.startswith("#"):
            continue
        now[0] += 60
        stamp = f"{int(now[0])} +0000"
        os.environ |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        program, *words = shlex.split(typed)
        words = [word.format(**names) for word in words]
        if program == "write":
            Path(words[0]).parent.mkdir(parents=True, exist_ok=True)
            Path(words[0]).write_text(words[1].replace("\\n", "\n"), encoding="utf-8")
        elif program == "git":
            subprocess.run(["git", *words], check=True, capture_output=True)
        else:
            code, out, error = run([*words, "--json"])
            if name:
                names[name] = json.loads(out)["id"]
            answer = {"line": typed, "code": code, "out": out, "error": error}
            sys.stdout.write(json.dumps(answer | {"names": names}) + "\n")


def run(words: list[str]) -> tuple[int, str, str]:
    """One command, as a process of its own would run it without input."""
    kept = sys.stdin, sys.stdout, sys.stderr
    files = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in kept]
    sys.stdin, sys.stdout, sys.stderr = files
    try:
        code = main(words)
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    out, error = (file.buffer.getvalue().decode() for file in files[1:])
    return code, out, error


if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit(main(sys.argv[2:]))
    play(sys.stdin.read())
