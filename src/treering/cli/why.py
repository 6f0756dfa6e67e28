"""The command why: code on the left, reasons on the right or, on a narrow screen, below."""

import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from treering.cli.invocation import Invocation
from treering.cli.screen import (
    Verbatim,
    bold,
    count,
    dim,
    kind,
    mark_words,
    screen,
    short,
    titled,
    width_of,
    wrap,
)
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.taxonomy import RECORD_TYPES

if TYPE_CHECKING:
    from treering.answers import Card, WhyAnswer, WhyLines

_WIDE, _NARROW = 120, 30
_SHORT_COMMIT = 12
#: Lines of code shown of a range where several are shown, and memories below each.
_MOST_CODE, _MOST_CODE_ALONE, _MOST_REASONS, _MOST_ALSO = 8, 60, 4, 8
#: How a landing was recognised, in words people use.
_EVIDENCE = {
    "ancestor": "merged", "cherry": "same patch", "squash": "squashed", "noop": "squashed",
    "lines": "same lines", "rewritten": "rebased",
}  # fmt: skip
_TAB = "    "


def run_why(call: Invocation, path: str, markdown: bool, **options: Any) -> None:
    answer = call.act("why", call.locate(path), **options)
    call.answer(answer, render_markdown if markdown else render_why)
    call.tidy_later()


# --- for people -----------------------------------------------------------------------------------


def render_why(answer: "WhyAnswer") -> str:
    text = [_head(answer), *_lay_out_all(answer.lines, answer.memories)]
    if since := [memory for memory in answer.memories if memory.since]:
        text.append("\n".join([bold("Learned about this file since:"), *map(_headline, since)]))
    if not answer.memories:
        text.append(dim("No memories explain these lines."))
    if answer.total > len(answer.memories):
        text.append(dim(f"{answer.total - len(answer.memories)} more: use --limit."))
    text += [dim(note) for note in answer.notes or ()]
    return "\n\n".join(text)


def _lay_out_all(ranges: Sequence["WhyLines"], memories: Sequence["Card"]) -> Iterator[str]:
    """Stretches with their reasons; a memory is told where most ways lead to it, and once."""
    by_id = {memory.id: memory for memory in memories if not memory.since}
    best: dict[str, int] = {}
    for number, lines in enumerate(ranges):
        for mid in lines.memories:
            ways = len(lines.via.get(mid, ()))
            if mid not in best or ways > len(ranges[best[mid]].via.get(mid, ())):
                best[mid] = number
    blocks = [_code(lines, is_alone=len(ranges) == 1) for lines in ranges]
    room = max((width_of(line) for block in blocks for line in block), default=0)
    for number, (lines, code) in enumerate(zip(ranges, blocks, strict=True)):
        ids = [mid for mid in lines.memories if mid in by_id]
        here = [by_id[mid] for mid in ids if best[mid] == number]
        here = [memory for memory in here if not lines.is_repeated_by(memory)]
        elsewhere = [by_id[mid] for mid in ids if best[mid] != number]
        yield _lay_out(code, list(_describe(lines, here, elsewhere)), room)


def _head(answer: "WhyAnswer") -> str:
    at = f" at {answer.at[:_SHORT_COMMIT]}" if answer.at else ""
    return bold(one_line(answer.path)) + dim(f"{at}, seen from {answer.branch}")


def _code(lines: "WhyLines", *, is_alone: bool) -> list[str]:
    """The lines themselves, with their numbers."""
    if not lines.first:
        return [dim("the whole file")]
    most = _MOST_CODE_ALONE if is_alone else _MOST_CODE
    width = len(str(lines.last))
    rows_of_code = list(enumerate(lines.code or (), lines.first))[:most]
    rows = [f"{dim(f'{number:>{width}}')}  {one_line(text)}" for number, text in rows_of_code]
    rest = lines.last - lines.first + 1 - len(rows)
    if not rows:
        return [dim(f"lines {lines.first} to {lines.last}")]
    return [*rows, dim(f"{'':>{width}}  … {count(rest, 'more line')}")] if rest else rows


def _describe(
    lines: "WhyLines", here: Sequence["Card"], elsewhere: Sequence["Card"]
) -> Iterator[str]:
    """A range's commit, the branch it landed from, and its reasons."""
    yield from _describe_commit(lines)
    for memory in here[:_MOST_REASONS]:
        yield from _tell(memory, lines.via.get(memory.id, ()))
    also = [*here[_MOST_REASONS:], *elsewhere]
    for memory in also[:_MOST_ALSO]:
        yield dim(f"also {short(memory.id)}  {one_line(memory.title)}")
    if len(also) > _MOST_ALSO:
        yield dim(f"and {len(also) - _MOST_ALSO} more")


def _describe_commit(lines: "WhyLines") -> Iterator[str]:
    if lines.is_uncommitted:
        yield dim("not committed yet")
        return
    who = lines.author.partition(" <")[0]
    when = ago(lines.when, time.time()) if lines.when and screen().is_terminal else lines.when
    yield f"{dim(lines.commit[:_SHORT_COMMIT])}  {who}, {when}"
    yield bold(lines.subject)
    if lines.body:
        yield one_line(lines.body)
    if lines.path:
        yield dim(f"then in {one_line(lines.path)}")
    if landing := lines.landed:
        how = _EVIDENCE.get(landing.evidence or "", landing.evidence)
        how = f" ({how})" if how else ""
        as_what = (
            "" if landing.merged_as == lines.commit else f" as {landing.merged_as[:_SHORT_COMMIT]}"
        )
        yield f"landed from {landing.branch}{as_what}{how}"
    words = [f"pull request #{lines.pull_request}"] if lines.pull_request else []
    words += [f"{key}: {', '.join(values)}" for key, values in (lines.trailers or {}).items()]
    if words:
        yield dim("; ".join(words))


def _tell(memory: "Card", ways: Sequence[str]) -> Iterator[str]:
    yield _headline(memory)
    via = ", ".join(ways)
    where = {"other": f", on {memory.branch}", "trash": ", in the trash"}.get(memory.layer, "")
    yield dim(f"  by {via}{where}")
    if memory.flags:
        yield dim(f"  flagged: {', '.join(memory.flags)}")
        return
    titles = [mark.title for mark in (memory.outdated_by, memory.newer) if mark]
    for words, title in zip_longest(mark_words(memory), map(one_line, titles), fillvalue=""):
        yield f"  {words}  {title}".rstrip()
    if memory.snippet and memory.type not in RECORD_TYPES:
        yield f"  {one_line(memory.snippet)}"


def _headline(memory: "Card") -> str:
    return f"{short(memory.id)}  {kind(memory.type)}  {titled(memory)}"


def _lay_out(code: Sequence[str], reasons: Sequence[str], widest: int) -> str:
    """Code beside its reasons where there is room for both, else above them."""
    width = screen().width
    if not screen().is_terminal:
        return "\n".join([*code, *(f"{_TAB}{line}" for line in reasons)])
    if width < _WIDE:
        return "\n".join([*(_fit(line, width) for line in code), *map(_wrap_reason, reasons)])
    room = max(min(widest, width // 2 - 3), _NARROW)
    column = [_fit(line, room) for line in code]
    right = [part for line in reasons for part in _wrap_reason(line, room + 3).split("\n")]
    rows = zip_longest(column, right, fillvalue="")
    return "\n".join(
        f"{line}{' ' * (room - width_of(line))} {dim('│')} {reason[room + 3 :]}".rstrip()
        for line, reason in rows
    )


def _wrap_reason(line: str, indent: int = len(_TAB)) -> str:
    """A reason, indented; where it goes on, by two more."""
    return wrap(line, " " * indent, " " * (indent + 2))


def _fit(line: str, room: int) -> str:
    """A line of code cut to its room; only the number before it has a colour."""
    if width_of(line) <= room:
        return line
    while width_of(line) > room - 1:
        line = line[:-1]
    return line + "…"


def one_line(text: str) -> str:
    """Text that must not leave its line: a name may hold a line break."""
    return text.replace("\t", _TAB).replace("\n", "⏎")


# --- for reviews ----------------------------------------------------------------------------------


def render_markdown(answer: "WhyAnswer") -> Verbatim:
    """The answer as a section for a review."""
    lines = [f"## Why `{code_span(answer.path)}` is as it is", ""]
    lines += markdown_lines(answer.lines, answer.memories)
    since = [memory for memory in answer.memories if memory.since]
    if since:
        lines += ["### Learned about it since", "", *map(markdown_memory, since), ""]
    lines += [f"_{escape(note)}_" for note in answer.notes or ()]
    return Verbatim("\n".join(lines).rstrip() + "\n")


def markdown_lines(ranges: Sequence["WhyLines"], memories: Sequence["Card"]) -> list[str]:
    """Stretches of lines with their reasons, as paragraphs and lists."""
    by_id = {memory.id: memory for memory in memories}
    text: list[str] = []
    for lines in ranges:
        ids = [mid for mid in lines.memories if mid in by_id and not by_id[mid].since]
        text += [f"{_markdown_place(lines)} {_markdown_commit(lines)}", ""]
        text += [markdown_memory(by_id[mid]) for mid in ids[:_MOST_REASONS]]
        text += [""] if ids else []
    return text


def _markdown_place(lines: "WhyLines") -> str:
    if not lines.first:
        return "**whole file:**"
    number = f"{lines.first}" if lines.first == lines.last else f"{lines.first}-{lines.last}"
    return f"**{number}:**"


def _markdown_commit(lines: "WhyLines") -> str:
    if lines.is_uncommitted:
        return "not committed yet."
    who = escape(lines.author.partition(" <")[0])
    text = f"`{lines.commit[:_SHORT_COMMIT]}` {escape(lines.subject)} ({who}, {lines.when[:10]})"
    if lines.landed:
        text += f", landed from `{code_span(lines.landed.branch)}`"
    if lines.pull_request and f"#{lines.pull_request}" not in lines.subject:
        text += f", #{lines.pull_request}"
    return text


def markdown_memory(memory: "Card") -> str:
    word = f"{memory.outcome} {memory.type}" if memory.outcome in UNSUCCESSFUL else memory.type
    text = f"- **{escape(memory.title)}** ({word}, `{memory.id}`, by {', '.join(memory.via or ())})"
    if by := memory.outdated_by:
        text += f", outdated by **{escape(by.title)}** (`{by.id}`)"
    if newer := memory.newer:
        text += f", perhaps by **{escape(newer.title)}** (`{newer.id}`)"
    if memory.reverted:
        text += f", reverted by `{memory.reverted.commit[:_SHORT_COMMIT]}`"
    return text


def escape(text: str) -> str:
    """Text as it is read, whatever marks it has."""
    marks = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|"})
    return one_line(text).translate(marks)


def code_span(text: str) -> str:
    return one_line(text).replace("`", "'")
