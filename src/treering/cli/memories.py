"""The commands remember, recall, read, revise, forget and link."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treering.call import Call
from treering.cli.invocation import (
    Invocation,
    is_secret_allowed,
    read_content,
    read_optional_content,
)
from treering.cli.main import Misuse
from treering.cli.screen import (
    ask,
    bold,
    dim,
    echo,
    format_date,
    headline,
    mark,
    rule,
    short,
    shorten,
    table,
    wrap,
)
from treering.model.dates import ago
from treering.model.memory import beyond_title
from treering.text.values import strip_control_characters

if TYPE_CHECKING:
    from treering.answers import (
        Card,
        Forgotten,
        MadeLink,
        Piece,
        Recalled,
        Remembered,
        RemovedLink,
        Revised,
    )

# --- remember -------------------------------------------------------------------------------------


def run_remember(
    call: Invocation,
    content: str | None,
    content_file: str,
    files: tuple[str, ...],
    allow_secret: bool,
    **options: Any,
) -> None:
    options["allow_secret"] = is_secret_allowed(allow_secret, options["agent"])
    files_from_root = call.list_paths(files)
    text = read_content(content, content_file)
    call.answer(call.act("remember", text, files=files_from_root, **options), render_remember)
    if call.workspace.neighbourhood.is_behind:
        call.start_tidying()


def render_remember(answer: "Remembered") -> str:
    verb = "already known" if answer.duplicate else "remembered"
    where = f"{answer.branch}, private" if answer.private else answer.branch
    lines = [headline(answer, f"{verb}  ", f"  ({where})")]
    lines += [f"  linked   {_render_link(link)}" for link in answer.links if not answer.duplicate]
    for link in answer.suggested_links:
        lines.append(f"  perhaps  {_render_link(link._asdict())}: {link.title}")
    lines += [f"  similar  {short(it.id)}  {it.title}  ({it.score:g})" for it in answer.similar]
    lines += _render_outdates(answer)
    lines += [f"warning: {warning}" for warning in answer.warnings or ()]
    return "\n".join(lines)


def _render_outdates(answer: "Remembered | Revised") -> list[str]:
    """Return what the new text probably replaces, and how to say so."""
    lines = []
    for old in answer.outdates or ():
        words = f"{old.said} -> {old.says}" if old.said and old.says else old.how
        settle = Call("link", short(answer.id), "supersedes", short(old.id))
        lines.append(f"  outdates {short(old.id)}  {old.title}  ({words}){dim(f'  {settle}')}")
    return lines


def _render_link(link: Mapping[str, Any]) -> str:
    why = dim(f"  ({link['reason']})") if link.get("reason") else ""
    return f"{link['relation']} {short(link['target'])}{why}"


# --- recall ---------------------------------------------------------------------------------------


def run_recall(call: Invocation, query: str, pick: bool, hub: str, **options: Any) -> None:
    if options["repos"]:
        call.answer(call.ask_hub("recall", query, hub=hub, **options), render_recall)
        return
    if ":" in options["file"]:
        options["file"] = call.locate(options["file"])
    answer: Recalled = call.act("recall", query, **options)
    # Who did not choose a mode need not hear at every search that there is no model.
    if not call.as_json and "mode" not in call.typed:
        notes = tuple(note for note in answer.notes or () if "embedding" not in note)
        answer = answer._replace(notes=notes)
    if pick and answer.results and not call.as_json:
        _pick(call, answer, branch=options["branch"], at=options["at"])
    else:
        call.answer(answer, render_recall)
        if not answer.results:
            _point_to_remotes(call)
    call.tidy_later()


def _point_to_remotes(call: Invocation) -> None:
    """A clone brings no memories along, and an empty answer does not tell why it is empty."""
    workspace = call.workspace
    remotes = workspace.repository.remotes()
    if remotes and not any(vault.scopes() for vault in workspace.store.vaults()):
        names = " or ".join(remotes)
        call.say(
            "hint: This clone has no memories yet. "
            f"`treering sync fetch` gets those that {names} has."
        )


def _pick(call: Invocation, answer: "Recalled", *, branch: str, at: str) -> None:
    """Ask which of the hits to read. An empty reply ends it."""
    hits = strip_control_characters(answer.results)
    rows = [(str(n), headline(result)) for n, result in enumerate(hits, 1)]
    echo(table(rows, indent="  "))
    while reply := ask("Read which?"):
        if reply.isdecimal() and 1 <= int(reply) <= len(rows):
            memory_id = answer.results[int(reply) - 1].id
            call.answer(call.act("read", memory_id, branch=branch, at=at), render_read)
            return
        call.say(f"Enter a number from 1 to {len(rows)}, or nothing to stop.")


def render_recall(answer: "Recalled") -> str:
    from treering.search.hits import NOT_CLOSE  # loaded by now, by the search

    now = time.time()
    lines = [_render_hit(hit, now) for hit in answer.results]
    if not lines:
        what = "Nothing matches closely" if answer.withheld.get("weak") else "No memories found"
        lines = [f"{what} {_where(answer)}."]
    lines.append(_render_rest(answer))
    lines += [f"note: {note}" for note in answer.notes or () if note != NOT_CLOSE]
    behind = [repo.name for repo in answer.repos or () if repo.behind]
    lines += [f"out of date: {', '.join(behind)} (treering hub update)"] if behind else []
    return "\n".join(line for line in lines if line)


def _where(answer: "Recalled") -> str:
    if answer.repos is None:
        return f"on {answer.branch}"
    return f"in {len(answer.repos)} repositories"


def _render_hit(hit: "Card", now: float) -> str:
    marks = [hit.repo] if hit.repo else []
    marks += [shorten(hit.branch), ago(hit.created, now)]
    marks += hit.state_words
    marks += [f"gone: {', '.join(hit.stale.lost)}"] if hit.stale and hit.stale.lost else []
    marks += [f"commit {hit.commit[:12]}"] if hit.commit else []
    marks += [f"for {hit.spelled}"] if hit.spelled else []
    marks += ["by meaning"] if hit.match == "meaning" else []
    marks += ["proposed"] if hit.standing == "proposed" and hit.origin != "you" else []
    marks += ["private"] if hit.private else []
    marks += [f"edited by {_names(hit.edited_by)}"] if hit.edited_by else []
    marks += [f"flagged: {', '.join(hit.flags)}"] if hit.flags else []
    head = headline(hit, tail="  " + dim("(") + dim(", ").join(map(mark, marks)) + dim(")"))
    text = hit.content
    if text is None or text == hit.title:
        text = beyond_title(hit.snippet or "", hit.title)
    if not text:
        return head
    return "\n".join([head, *(wrap(dim(line), "    ") for line in text.splitlines())])


def _names(people: Sequence[str]) -> str:
    return ", ".join(person.partition(" <")[0] for person in people)


def _render_rest(answer: "Recalled") -> str:
    """Return how many more there are, and what was withheld."""
    counts = [_render_withheld(word, n) for word, n in answer.withheld.items() if n]
    parts = []
    if answer.cursor:
        parts.append(f"{len(answer.results)} of {answer.total}, next: --cursor {answer.cursor}")
    if counts:
        parts.append(dim("; ".join(counts)))
    return "\n".join(parts)


def _render_withheld(word: str, number: int) -> str:
    rest = _WITHHELD.get(word, word.replace("_", " "))
    return f"{number} more {rest}"


#: What is not shown -> in words, with the option that shows it.
_WITHHELD = {
    "superseded": "superseded (--status superseded)",
    "deleted": "forgotten (--status deleted)",
    "other_branches": "on other branches (--scope all)",
    "trash": "in the trash",
    "weak": "only loosely related (--weak)",
}


# --- read -----------------------------------------------------------------------------------------


def run_read(call: Invocation, id: str, hub: str, **options: Any) -> Any:
    is_elsewhere = ":" in id and not id.startswith(("out:", "treering:"))
    if options["repos"] or is_elsewhere:
        return call.ask_hub("read", id, hub=hub, **options)
    return call.act("read", id, **options)


def render_read(memory: "Card | Piece") -> str:
    from treering.actions.read import Piece

    if isinstance(memory, Piece):
        return memory.content
    rows = [
        ("id", memory.id),
        ("repo", memory.repo or ""),
        ("type", memory.type),
        ("status", memory.status),
        ("branch", f"{memory.branch} ({memory.layer})"),
        ("standing", _name_standing(memory)),
        ("confidence", str(memory.confidence)),
        ("tags", ", ".join(memory.tags)),
        ("topic", memory.topic),
        ("author", memory.author),
        ("edited by", ", ".join(memory.edited_by or ())),
        ("origin", memory.origin if memory.origin != "you" else ""),
        ("warning", ", ".join(memory.flags or ())),
        *_list_truth(memory),
        ("agent", memory.agent),
        ("created", format_date(memory.created)),
        ("modified", format_date(memory.modified) if memory.modified != memory.created else ""),
        *_list_details(memory),
        *((f"{f.state}", f.path) for f in (memory.stale.files if memory.stale else ())),
        ("gone", ", ".join((memory.stale and memory.stale.lost) or ())),
        *((f"{n.direction} {n.relation}", f"{n.id}  {n.title}") for n in memory.links or ()),
        ("flagged", ", ".join(memory.flags or ())),
        ("version", memory.version),
    ]
    cells = [(name, value) for name, value in rows if value]
    fields = table([(dim(name), value) for name, value in cells], indent="  ")
    parts = [bold(memory.title), fields, memory.content or ""]
    if memory.history:
        past = [(e.when, e.commit[:12], e.op, e.title) for e in memory.history]
        parts.append(rule("History") + "\n" + table(past, indent="  "))
    return "\n\n".join(parts)


def _name_standing(memory: "Card") -> str:
    """Return whether its code landed; of one's own proposals that is no news."""
    if memory.landed is None:
        return memory.standing or "" if memory.origin != "you" else ""
    source = f" from {memory.landed.branch}" if memory.landed.branch != memory.branch else ""
    return f"{memory.standing}, landed{source} as {memory.landed.merged_as[:12]}"


def _list_truth(memory: "Card") -> list[tuple[str, str]]:
    rows = []
    if mark := memory.outdated_by:
        words = f"  (says {mark.by})" if mark.by else ""
        rows.append(("outdated by", f"{mark.id}  {mark.title}{words}"))
    if newer := memory.newer:
        words = f"  ({newer.said} -> {newer.says})" if newer.said and newer.says else ""
        rows.append(("newer", f"{newer.id}  {newer.title}{words}"))
    if memory.reverted:
        rows.append(("reverted by", f"{memory.reverted.commit}  {memory.reverted.when}"))
    return rows + [("outdates", f"{old.id}  {old.title}") for old in memory.outdates or ()]


def _list_details(memory: "Card") -> list[tuple[str, str]]:
    details = dict(memory.details or {})
    rows = []
    merge = details.pop("merge", None)
    if memory.conflict and isinstance(merge, Mapping):
        command = f"treering read {memory.id} --at {str(merge.get('lost'))[:12]}"
        rows.append(("conflict", f"reworded twice; the other wording: {command}"))
    return rows + [(key, _in_words(value)) for key, value in details.items()]


def _in_words(value: object) -> str:
    """A value of any shape, without the marks that programs need."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_in_words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)


# --- revise, forget -------------------------------------------------------------------------------


def run_revise(
    call: Invocation,
    id: str,
    content: str,
    content_file: str,
    files: tuple[str, ...],
    allow_secret: bool,
    **options: Any,
) -> Any:
    options["allow_secret"] = is_secret_allowed(allow_secret)
    files_from_root = list(files) if files == ("-",) else call.list_paths(files)
    text = read_optional_content(content, content_file)
    return call.act("revise", id, content=text, files=files_from_root, **options)


def render_revise(answer: "Revised") -> str:
    if not answer.changed:
        return f"{answer.id}  unchanged"
    version = answer.version[:12]
    lines = [f"{answer.id}  changed {', '.join(answer.changed)}  ({answer.branch}, {version})"]
    lines += _render_outdates(answer)
    lines += [f"warning: {warning}" for warning in answer.warnings or ()]
    return "\n".join(lines)


def render_forget(answer: "Forgotten") -> str:
    if answer.restored is not None:
        return f"restored  {' '.join(answer.restored)}"
    links = f"  ({answer.links_hidden} links hidden)" if answer.links_hidden else ""
    return f"forgotten  {' '.join(answer.forgotten or ())}{links}"


# --- link -----------------------------------------------------------------------------------------


def run_link(
    call: Invocation, source: str, rest: tuple[str, ...], relation: str, **options: Any
) -> Any:
    """The relation stands between the two memories, or is an option."""
    if len(rest) > 2 or (len(rest) == 2 and "relation" in call.typed):
        raise Misuse(
            "Give a source, optionally a relation, and a target.",
            hint="See `treering link --help`.",
        )
    word = rest[0] if len(rest) == 2 else relation
    return call.act("link", source, rest[-1], relation=word, **options)


def render_link(answer: "MadeLink | RemovedLink") -> str:
    from treering.actions.link import RemovedLink

    if isinstance(answer, RemovedLink):
        if answer.removed:
            return "removed"
        others = f", but there is {', '.join(answer.relations)}" if answer.relations else ""
        return f"no such link{others}"
    verb = "linked" if answer.created else "kept"
    ends = f"{answer.source} {answer.relation} {answer.target}"
    lines = [f"{verb}  {ends}  ({answer.confidence:g})"]
    lines += [f"warning: {warning}" for warning in answer.warnings or ()]
    return "\n".join(lines)
