"""Our part of a hook: a marked block of shell that can be put into a script and taken out again.

In a script of the user's the block stands on top, right after the `#!` line, and runs the script
itself first: the same file, arguments, standard input and exit code, whatever it does in the end
(`exit`, `exec`). Only then comes the shim that notes the event. So nothing is moved or renamed, and
tools that know their own hooks by their text (pre-commit, lefthook, husky, git-lfs) still do.
"""

import re
from shlex import quote, split

from treering.capture.shims import shim

BEGIN = b"# >>> treering >>> added by `treering init`, taken out by `treering uninstall`\n"
END = b"# <<< treering <<<\n"
SHEBANG = b"#!/bin/sh\n"

#: Hooks that are fed on standard input, which both the user's hook and ours have to see.
_FED = ("post-rewrite", "pre-push")
_SHELL = (
    rb"#![ \t]*(\S*/env[ \t]+(-S[ \t]+)?)?(\S*/)?(sh|bash|dash|ash|ksh|zsh)([ \t][^\r\n]*)?(\n|$)"
)


def alone(name: str) -> bytes:
    """A hook that is only ours."""
    return SHEBANG + BEGIN + _body(name) + END


def in_front_of(folder: str, name: str) -> bytes:
    """A hook that first runs the one of that name in another folder, if that is there."""
    hook = f'"$treering_behind/{name}"'
    run = f'if [ -x {hook} ]; then {hook} "$@"; fi'
    return SHEBANG + BEGIN + _behind(folder) + _after(run, name) + END


def passing_on(folder: str, name: str) -> bytes:
    """A hook that only runs the one of that name in another folder, if that is there."""
    hook = f'"$treering_behind/{name}"'
    script = f'[ -x {hook} ] && exec {hook} "$@"\nexit 0\n'
    return SHEBANG + BEGIN + _behind(folder) + script.encode() + END


def _behind(folder: str) -> bytes:
    return b"treering_behind=" + quote(folder).encode("utf-8", "surrogateescape") + b"\n"


def folder_behind(script: bytes) -> str:
    """The folder whose hooks a hook of ours runs first; empty where there is none."""
    match = re.search(rb"^treering_behind=(.*?)\n(?:treering_status|\[ -x)", script, re.M | re.S)
    words = split(match[1].decode("utf-8", "surrogateescape")) if match else []
    return words[0] if words else ""


def can_hold(script: bytes) -> bool:
    """Whether a block can stand in this script: a shell's, with the line ends of a shell."""
    if script.startswith(b"#!"):
        return re.match(_SHELL, script) is not None
    return b"\0" not in script and b"\r\n" not in script  # without `#!` it is run by sh


def is_in(script: bytes) -> bool:
    return BEGIN.rstrip() in script


def add_to(script: bytes, name: str) -> bytes:
    """A script with our block on top; the script itself runs first."""
    first = re.match(rb"#![^\n]*\n?", script)
    top = first[0] if first else b""
    block = BEGIN + _again(name) + END
    if top and not top.endswith(b"\n"):
        return top + b"\n" + block.removesuffix(b"\n")
    return top + block + script[len(top) :]


def take_out(script: bytes) -> bytes:
    """A script without our block, as it was."""
    start, end = script.find(BEGIN.rstrip()), script.find(END.rstrip())
    if start < 0 or end < start:
        return script
    end += len(END.rstrip())
    if end == len(script):  # put after a last line that had no line end
        return script[:start].removesuffix(b"\n")
    return script[:start] + script[end:].removeprefix(b"\n")


def _again(name: str) -> bytes:
    """Run the script that holds the block once more, this time past the block."""
    inner = _after('TREERING_REST=1 "$0" "$@"', name)
    return b'if [ -z "${TREERING_REST-}" ]; then\n' + inner + b"fi\nunset TREERING_REST\n"


def _after(run: str, name: str) -> bytes:
    """Run the other hook, then ours, and end with the other's exit code."""
    lines, feed = ["treering_status=0"], ""
    if name in _FED:
        feed = "treering_feed | "
        # The dot keeps $() from dropping empty last lines.
        lines.append("treering_input=$(cat; echo .)")
        lines.append('treering_feed() { printf %s "${treering_input%.}" 2>/dev/null || :; }')
    lines.append(f"{feed}{{ {run}; }} || treering_status=$?")
    if name == "pre-push":  # nothing is pushed, so nothing has happened
        lines.append('[ "$treering_status" = 0 ] || exit "$treering_status"')
    top = "\n".join([*lines, f"{feed}(", ""]).encode("utf-8", "surrogateescape")
    end = b") || treering_status=$?\n" if name == "pre-push" else b")\n"
    return top + _body(name) + end + b'exit "$treering_status"\n'


def _body(name: str) -> bytes:
    """A shim without its first line; its name is written into it, as others may rename the file."""
    body = re.sub(rb"^#![^\n]*\n", b"", shim(name))
    return body.replace(b"event=${0##*/}", b"event=" + name.encode())
