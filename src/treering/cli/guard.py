"""The command guard: findings for people, for a pull request, and for code scanning."""

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from treering import __version__
from treering.cli.invocation import Invocation, print_json
from treering.cli.screen import (
    Verbatim,
    bold,
    count,
    dim,
    headline,
    mark,
    mark_words,
    screen,
    wrap,
)
from treering.cli.why import code_span, escape, one_line
from treering.errors import TreeringError
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import beyond_title
from treering.text.values import jsonable

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.answers import Guarded, GuardFinding

_ADVICE = "If this is intended, add a line `Overrules: ID reason` to a commit message."
#: Seconds that a push waits at most, and the exit code that refuses it.
_PUSH_SECONDS, _REFUSED = 5.0, 10
#: Findings that a comment shows before the others are folded.
_MOST_SHOWN = 10
_RULES = {
    "decision": "Removes a line that implements a decision.",
    "convention": "Removes a line that follows a convention.",
    "failed": "Removes a line that was written after another attempt failed.",
    "insight": "Removes a line that was written because of something learned.",
    "commit": "Undoes a commit that gave its reason.",
}


def run_guard(
    call: Invocation, range: str, strict: bool, markdown: bool, sarif: bool, **options: Any
) -> int:
    answer: Guarded = call.act("guard", range, **options)
    if sarif:
        print_json(jsonable(_make_sarif(answer)))
    else:
        call.answer(answer, render_markdown if markdown else render_guard)
    return 1 if strict and answer.open else 0


def notice_push(call: Invocation) -> int:
    """Say on standard error what a push overrules. Return 10 where it is to be refused: by any
    other code it goes on, whatever went wrong here."""
    from treering.actions.guard import find_overruled

    try:
        setting = (call.workspace.repository.config("treering.guard.push") or "off").lower()
        answer = find_overruled(
            call.workspace, "", staged=False, private=True, seconds=_PUSH_SECONDS
        )
    except (TreeringError, OSError):
        return 0
    if setting not in ("on", "block") or not answer.open:
        return 0
    call.say(f"treering: this push overrules {count(len(answer.open))}, unacknowledged:")
    for finding in answer.open[:_MOST_SHOWN]:
        place = f"{one_line(finding.path)}:{_name_lines(finding)}"
        memory = finding.memory
        call.say(f"  {place}  {memory.type} {memory.id}  {memory.title}")
    call.say("`treering guard` shows them in full, and how to acknowledge them.")
    return _REFUSED if setting == "block" else 0


# --- for people -----------------------------------------------------------------------------------


def render_guard(answer: "Guarded") -> str:
    found, known = answer.open, [f for f in answer.findings if f.acknowledged]
    nothing = f"{answer.range} overrules no memories."
    text = [
        bold(f"{answer.range} overrules {count(len(found))}:") if found else nothing,
        *map(_render_finding, found),
    ]
    if known:
        text += [bold("Acknowledged:"), *map(_render_finding, known)]
    text += [f"warning: {warning}" for warning in answer.warnings]
    return "\n\n".join([*text, dim(_ADVICE)] if found else text)


def _render_finding(finding: "GuardFinding") -> str:
    memory = finding.memory
    when = ago(memory.created, time.time()) if screen().is_terminal else memory.created[:10]
    facts = [memory.author.partition(" <")[0], when, f"by {', '.join(finding.via)}"]
    facts += mark_words(memory)
    facts += [memory.standing] if memory.standing else []
    facts += ["private"] if memory.private else []
    lines = [
        bold(f"{one_line(finding.path)}:{_name_lines(finding)}"),
        headline(memory, "  "),
        wrap(dim(", ").join(map(mark, facts)), "    ", "    "),
    ]
    if said := _snippet(memory):
        lines.append(wrap(said, "    ", "    "))
    if finding.acknowledged:
        lines.append(wrap(dim(_name_acknowledgement(finding)), "    ", "    "))
    return "\n".join(lines)


def _name_lines(finding: "GuardFinding") -> str:
    runs = finding.lines or ((finding.first, finding.last),)
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def _snippet(memory: "Card") -> str:
    """Return what a memory says beyond its title; nothing where it looks like an order."""
    return "" if memory.flags else one_line(beyond_title(memory.snippet or "", memory.title))


def _name_acknowledgement(finding: "GuardFinding") -> str:
    by = f" in {finding.by[:12]}" if finding.by else ""
    return f"acknowledged{by}" + (f": {finding.reason}" if finding.reason else "")


# --- for pull requests ----------------------------------------------------------------------------


def render_markdown(answer: "Guarded") -> Verbatim:
    """A comment for a pull request: what a reviewer has to agree to, in a few lines."""
    found, known = answer.open, [f for f in answer.findings if f.acknowledged]
    text = ["## What this change overrules", ""]
    if found:
        text += [item for f in found[:_MOST_SHOWN] for item in _list_markdown(f)]
        text += _fold("more", found[_MOST_SHOWN:])
        example = found[0].memory.id
        text += [
            "",
            "If this is intended, give the reason on a line of its own in a commit message: "
            f"`Overrules: {example} REASON`.",
        ]
    else:
        text.append("No memories." if not known else "Nothing that is not acknowledged.")
    text += _fold("acknowledged", known)
    text += [item for warning in answer.warnings for item in ("", f"_{escape(warning)}_")]
    return Verbatim("\n".join(text) + "\n")


def _list_markdown(finding: "GuardFinding") -> Iterator[str]:
    memory = finding.memory
    word = f"{memory.outcome} {memory.type}" if memory.outcome in UNSUCCESSFUL else memory.type
    who = escape(memory.author.partition(" <")[0])
    facts = [word, f"`{memory.id}`", who, memory.created[:10]]
    facts += [f"commit `{memory.commit[:12]}`"] if memory.commit else []
    facts += [memory.standing] if memory.standing else []
    facts += ["private"] if memory.private else []
    place = f"`{code_span(finding.path)}:{_name_lines(finding)}`"
    yield f"- {place} **{escape(memory.title)}** ({', '.join(facts)})"
    if said := _snippet(memory):
        yield f"  > {escape(said)}"
    if finding.acknowledged:
        yield f"  {escape(_name_acknowledgement(finding))}"


def _fold(word: str, findings: Sequence["GuardFinding"]) -> list[str]:
    if not findings:
        return []
    items = [item for finding in findings for item in _list_markdown(finding)]
    head = f"<details><summary>{len(findings)} {word}</summary>"
    return ["", head, "", *items, "", "</details>"]


# --- for code scanning ----------------------------------------------------------------------------


def _make_sarif(answer: "Guarded") -> dict[str, Any]:
    """SARIF 2.1.0. A result stands where the lines were, in the file as it is after the change."""
    rules = [
        {
            "id": f"overruled-{name}",
            "shortDescription": {"text": text},
            "help": {"text": _ADVICE},
        }
        for name, text in _RULES.items()
    ]
    notes = [{"level": "warning", "message": {"text": text}} for text in answer.warnings]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "treering", "version": __version__, "rules": rules}},
                "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
                "results": [_make_result(finding) for finding in answer.findings],
            }
        ],
    }


def _make_result(finding: "GuardFinding") -> dict[str, Any]:
    memory = finding.memory
    name = "failed" if memory.outcome == "failed" else memory.type
    path, line = finding.now or (finding.path, finding.first)
    said = _snippet(memory)
    text = f"Overrules {name} {memory.id}: {memory.title}" + (f"\n{said}" if said else "")
    result: dict[str, Any] = {
        "ruleId": f"overruled-{name if name in _RULES else 'decision'}",
        "level": "note" if finding.acknowledged else "warning",
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(path, safe="/"), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": line},
                }
            }
        ],
        "partialFingerprints": {"memoryAndPath/v1": f"{memory.id}:{finding.path}"},
        "properties": {"from": finding.first, "to": finding.last, "via": list(finding.via)},
    }
    if finding.acknowledged:
        reason = {"justification": finding.reason} if finding.reason else {}
        result["suppressions"] = [{"kind": "external", **reason}]
    return result
