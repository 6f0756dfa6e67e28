"""The files and lines that a client's tool call read or is about to change.

Clients name their tools and arguments differently, and Codex has no tool for reading: its agent
runs `sed -n '10,60p' file.py`. Whatever arrives was written by a model or by whoever steers one, so
anything unexpected means that nothing was touched.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MAX_FILES = 20
MAX_PIECES = 200
MAX_TEXT = 64 * 1024
_MAX_PATH = 4096
_MAX_LINE = 10**8
#: Lines that clients read where no number was given.
_DEFAULT_LINES = 2000

_PATHS = ("file_path", "filePath", "notebook_path", "path", "target_file")
_OLD = ("old_string", "oldString")
_NEW = ("new_string", "newString", "new_source")
_WHOLE = ("content", "contents")
_PATCH = ("command", "patchText", "input")
_NOT_TEXT = frozenset({"image", "pdf", "parts"})


class TouchedLines(NamedTuple):
    """Lines of one file: read, or about to be replaced.

    `first` and `last` are the lines read, from 1; 0 and 0 mean the whole file, and negative numbers
    count from its end, -1 being the last line. For an edit they are 0. `old` is the text to be
    replaced with the lines around it that the client names, `new` what stands there afterwards.
    With `is_whole` the file is written anew and `new` is all of it; a content longer than MAX_TEXT
    is not known, and `is_whole` is not set then. Where a client tells of an edit when it is done
    (Gemini CLI), `old` is then the whole file as it was.
    """

    path: str
    first: int = 0
    last: int = 0
    old: str = ""
    new: str = ""
    is_whole: bool = False


def list_touched(client: str, kind: str, input: Mapping[str, Any]) -> list[TouchedLines]:
    """Return what a call of a tool read (`kind` is "read") or is about to change ("edit")."""
    try:
        found = _read(client, input) if kind == "read" else _edit(client, input)
        return _bound(found) if kind in ("read", "edit") else []
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
        return []


def _bound(found: Iterator[TouchedLines]) -> list[TouchedLines]:
    pieces: list[TouchedLines] = []
    paths = set()
    for piece in found:
        if not _is_path(piece.path):
            continue
        paths.add(piece.path)
        if len(paths) > MAX_FILES or len(pieces) == MAX_PIECES:
            break
        old, new = _clean(piece.old), _clean(piece.new)
        if piece.is_whole and len(new) > MAX_TEXT:
            piece = piece._replace(old="", new="", is_whole=False)
        else:
            piece = piece._replace(old=_cut(old), new=_cut(new))
        if piece not in pieces:
            pieces.append(piece)
    return pieces


def _is_path(path: str) -> bool:
    return 0 < len(path) <= _MAX_PATH and "\0" not in path and _clean(path) == path


def _clean(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON can write and no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _cut(text: str) -> str:
    """The text up to the limit, in whole lines if there are any."""
    if len(text) <= MAX_TEXT:
        return text
    return text[:MAX_TEXT].rpartition("\n")[0] or text[:MAX_TEXT]


# --- tools with named arguments -------------------------------------------------------------------


def _arguments(input: Mapping[str, Any]) -> Mapping[str, Any]:
    value = input.get("tool_input")
    if isinstance(value, str):  # as Cursor writes them for some tools
        value = json.loads(value)
    return value if isinstance(value, dict) else {}


def _text(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, str)), "")


def _number(value: object) -> int:
    """A line number; 0 for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 < value <= _MAX_LINE else 0  # type: ignore[operator,return-value]


def _read(client: str, input: Mapping[str, Any]) -> Iterator[TouchedLines]:
    arguments = _arguments(input)
    if client == "codex":
        yield from _shell_reads(arguments.get("command"))
        return
    response = input.get("tool_response")
    response = response if isinstance(response, dict) else {}
    if response.get("error") or response.get("type") in _NOT_TEXT:
        return
    many = arguments.get("include")
    if isinstance(many, list):  # Gemini CLI's read_many_files: files and patterns
        for path in many:
            if isinstance(path, str) and not re.search(r"[*?\[{]", path):
                yield TouchedLines(path)
        return
    first, last = _lines_read(arguments, response)
    yield TouchedLines(_text(arguments, _PATHS), first, last)


def _lines_read(arguments: Mapping[str, Any], response: Mapping[str, Any]) -> tuple[int, int]:
    """The lines as Claude Code's answer counts them, or as they were asked for."""
    file = response.get("file")
    if isinstance(file, dict) and (count := _number(file.get("numLines"))):
        first = _number(file.get("startLine")) or 1
        is_all = first == 1 and count >= _number(file.get("totalLines"))
        return (0, 0) if is_all else (first, first + count - 1)
    first = _number(arguments.get("offset")) or _number(arguments.get("start_line"))
    last = _number(arguments.get("end_line"))
    if count := _number(arguments.get("limit")):
        last = (first or 1) + count - 1
    if not first and not last:
        return 0, 0
    first = first or 1
    last = last or first + _DEFAULT_LINES - 1
    return (first, last) if first <= last else (0, 0)


def _edit(client: str, input: Mapping[str, Any]) -> Iterator[TouchedLines]:
    arguments = _arguments(input)
    response = input.get("tool_response")
    response = response if isinstance(response, dict) else {}
    if response.get("error"):
        return
    patch = _text(arguments, _PATCH)
    if client == "codex" or "*** Begin Patch" in patch:
        yield from _patch_hunks(patch)
        return
    path = _text(arguments, _PATHS)
    shown, edits = response.get("returnDisplay"), arguments.get("edits")
    if isinstance(shown, dict) and 0 < len(_text(shown, ("newContent",))) <= MAX_TEXT:
        before, after = _text(shown, ("originalContent",)), _text(shown, ("newContent",))
        yield TouchedLines(path, old=before, new=after, is_whole=True)
    elif isinstance(edits, list):
        for edit in edits:
            yield TouchedLines(path, old=_text(edit, _OLD), new=_text(edit, _NEW))
    elif any(isinstance(arguments.get(name), str) for name in _WHOLE):
        yield TouchedLines(path, new=_text(arguments, _WHOLE), is_whole=True)
    elif _text(arguments, _OLD) or _text(arguments, _NEW):
        yield TouchedLines(path, old=_text(arguments, _OLD), new=_text(arguments, _NEW))


# --- patches --------------------------------------------------------------------------------------

_FILE_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")


def _patch_hunks(patch: str) -> Iterator[TouchedLines]:
    """The hunks of an apply_patch patch: context and removed lines are what is replaced."""
    _, begin, body = patch.partition("*** Begin Patch")
    if not begin:
        return
    path, action = "", ""
    old: list[str] = []
    new: list[str] = []
    for line in [*body.rstrip("\n").replace("\r\n", "\n").split("\n"), "*** End Patch"]:
        header = _FILE_HEADER.match(line)
        is_end = line.startswith("*** End Patch")
        if header or is_end or line.startswith("@@"):
            if action == "Update" and (old or new):
                yield TouchedLines(path, old="\n".join(old), new="\n".join(new))
            elif action == "Add" and not line.startswith("@@"):
                yield TouchedLines(path, new="\n".join(new) + "\n", is_whole=True)
            old, new = [], []
        if is_end:
            return
        if header:
            action, path = header[1], header[2].strip()
            if action == "Delete":
                yield TouchedLines(path, is_whole=True)
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif action == "Update" and not line.startswith(("@@", "*** ")):
            old.append(line[1:])
            new.append(line[1:])


# --- shell commands -------------------------------------------------------------------------------

_HARMLESS_REDIRECTION = re.compile(r"\s2>\s*(?:/dev/null|&1)(?=\s|$|[;|&)])")
_SED_PRINT = re.compile(r"([1-9]\d{0,7})(?:,([1-9]\d{0,7}|\$))?p")
_OPERATORS = "();<>|&\n"

Range = tuple[int, int]
_ALL: Range = (0, 0)


def _shell_reads(command: object) -> Iterator[TouchedLines]:
    """The files that plain commands print: cat, nl, sed -n, head and tail, alone or in a row."""
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            command = words[2]
        else:
            import shlex

            command = shlex.join(words)
    if not isinstance(command, str) or len(command) > MAX_TEXT:
        return
    folder = Path()
    for pipeline in _pipelines(_HARMLESS_REDIRECTION.sub("", command)):
        words = pipeline[0]
        if len(pipeline) == 1 and words[0] == "cd":
            folder = Path(folder, words[1]) if len(words) == 2 else folder
            continue
        if len(pipeline) == 1 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh"):
            if len(words) == 3 and words[1] in ("-c", "-lc"):
                for piece in _shell_reads(words[2]):
                    yield piece._replace(path=str(folder / piece.path))
            continue
        ranges, files = _print_command(words)
        for stage in pipeline[1:]:
            more, others = _print_command(stage)
            ranges = [_narrow(r, m) for r in ranges for m in more] if not others else []
        for path in files:
            if path == "-" or re.search(r"[*?\[{$`]|^~", path):
                continue
            for first, last in ranges:
                if 0 < last < first:  # nothing is left of them
                    continue
                yield TouchedLines(str(folder / path), first, last)


def _pipelines(command: str) -> list[list[list[str]]]:
    """The command's pipelines, each a list of stages, each a list of words; none at all where it
    reads or writes files by redirection."""
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    pipelines: list[list[list[str]]] = [[[]]]
    for word in lexer:
        if not set(word) <= set(_OPERATORS):
            pipelines[-1][-1].append(word)
        elif "<" in word or ">" in word:
            return []
        elif word == "|":
            pipelines[-1].append([])
        else:
            pipelines.append([[]])
    return [pipeline for pipeline in pipelines if all(pipeline)]


def _print_command(words: Sequence[str]) -> tuple[list[Range], list[str]]:
    """The lines that a command prints of the files it names; no lines where it does anything else.

    A later stage of a pipeline names no file and prints lines of what it is given.
    """
    name, rest = words[0].rpartition("/")[2], list(words[1:])
    if name == "cat":
        return [_ALL], [word for word in rest if not _is_option(word)]
    if name == "nl":
        return [_ALL], _without_options(rest, "-b", "-d", "-f", "-h", "-i", "-l", "-n", "-s", "-w")
    if name in ("head", "tail"):
        return _head_or_tail(name, rest)
    if name == "sed" and rest and rest[0] in ("-n", "-ne", "-nE", "-En"):
        rest = [word for word in rest[1:] if word not in ("-e", "-E", "--")]
        scripts = [_SED_PRINT.fullmatch(part.strip()) for part in rest[0].split(";") if part]
        found = [(int(m[1]), -1 if m[2] == "$" else int(m[2] or m[1])) for m in scripts if m]
        is_plain = len(found) == len(scripts) and not any(_is_option(word) for word in rest[1:])
        return (found if is_plain else []), rest[1:]
    return [], []


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _without_options(words: Sequence[str], *valued: str) -> list[str]:
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif _is_option(word):
            skip = word in valued
        else:
            found.append(word)
    return found


def _head_or_tail(name: str, words: Sequence[str]) -> tuple[list[Range], list[str]]:
    count, files = "10", []
    rest = iter(words)
    for word in rest:
        if word in ("-n", "--lines"):
            count = next(rest, "")
        elif match := re.fullmatch(r"(?:-n|--lines=|-)([+-]?\d+)", word):
            count = match[1]
        elif _is_option(word):
            return [], []
        else:
            files.append(word)
    if not re.fullmatch(r"\+?\d{1,8}", count) or not int(count):
        return [], []
    if name == "head":
        return ([(1, int(count))] if count.isdecimal() else []), files
    return [(int(count), -1) if count.startswith("+") else (-int(count), -1)], files


def _narrow(lines: Range, part: Range) -> Range:
    """The lines `part` of those in `lines`, as the second stage of a pipeline prints them."""
    if lines == _ALL or part == _ALL:
        return part if lines == _ALL else lines
    first, last = lines
    if first < 0 or (last < 0 and part[0] < 0):
        return lines  # counted from an end that is not known: too many rather than too few
    if part[0] < 0:
        return max(first, last + part[0] + 1), last
    end = last if part[1] < 0 else first + part[1] - 1
    return first + part[0] - 1, end if last < 0 else min(last, end)
