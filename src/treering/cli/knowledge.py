"""The commands graph, entities and status."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from treering.call import Call
from treering.cli.invocation import Invocation, read_content
from treering.cli.screen import (
    Verbatim,
    bold,
    count,
    dim,
    kind,
    marked,
    short,
    state,
    table,
    titled,
    wrap,
)

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.actions.graph import EdgeShown, GraphNode
    from treering.answers import (
        Drawing,
        Edges,
        NeighborsAnswer,
        PathAnswer,
        Prerequisites,
        Stats,
        SuggestedPairs,
    )

# --- graph ----------------------------------------------------------------------------------------

_MOST_LOCAL = 5


def run_graph(
    call: Invocation, op: str | None, words: tuple[str, ...], id: str, to: str, **options: Any
) -> Any:
    """After the operation come the memory to start from, and for a path the one to end at."""
    if len(words) > 2 or (words and id) or (len(words) == 2 and to):
        raise click.UsageError("Give at most two memories.")
    start, end = (*words, *("", "")[len(words) :])
    return call.act("graph", op or "stats", id=start or id, to=end or to, **options)


def render_graph(answer: Any) -> str:
    name = type(answer).__name__
    text = "\n".join(_GRAPH_LINES[name](answer))
    return Verbatim(text) if name == "Drawing" else text


def _neighbours(answer: "NeighborsAnswer") -> Iterator[str]:
    yield wrap(bold(answer.title) + marked(answer), f"{short(answer.id)}  ")
    yield from _branch(answer.nodes, answer.id, "")
    if answer.total > len(answer.nodes):
        yield f"{len(answer.nodes)} of {answer.total}: use --limit to see more"


def _branch(nodes: "tuple[GraphNode, ...]", at: str, indent: str) -> Iterator[str]:
    """Yield what hangs below one memory, drawn as a tree."""
    shown = {node.id for node in nodes}
    root = not indent
    below = [n for n in nodes if n.via == at or (root and n.via not in shown)]
    for node in below:
        is_last = node is below[-1]
        arrow = f"{node.relation} →" if node.direction == "out" else f"← {node.relation}"
        line = f"{dim(arrow)}  {short(node.id)}  {kind(node.type or '', 0)}  {titled(node)}"
        deeper = indent + ("   " if is_last else "│  ")
        corner = f"{indent}{'└─' if is_last else '├─'} "
        yield wrap(line + marked(node), corner, deeper + "    ")
        yield from _branch(nodes, node.id, deeper)


def _edges(answer: "Edges") -> Iterator[str]:
    rows = [
        (short(edge.source), edge.relation, short(edge.target), _render_confidence(edge))
        for edge in answer.edges
    ]
    yield table(rows) if rows else "No links."
    if answer.total > len(rows):
        yield f"{len(rows)} of {answer.total}: use --limit to see more"


def _render_confidence(edge: "EdgeShown") -> str:
    return dim(f"{edge.confidence:g} {edge.by}".strip())


def _path(answer: "PathAnswer") -> Iterator[str]:
    for station in answer.path:
        yield wrap(titled(station) + marked(station), f"{short(station.id)}  ")
        if station.relation_to_next:
            arrow = "↓" if station.direction_to_next == "out" else "↑"
            yield dim(f"  {arrow} {station.relation_to_next}")


def _prerequisites(answer: "Prerequisites") -> Iterator[str]:
    yield f"{short(answer.id)}  {bold(answer.title)}"
    for before in answer.prerequisites:
        head = f"{'  ' * (before.depth or 0)}{short(before.id)}  "
        yield wrap(titled(before) + marked(before), head)
    if not answer.prerequisites:
        yield "  no prerequisites"


def _stats(answer: "Stats") -> Iterator[str]:
    yield (
        f"{answer.nodes} memories, {answer.edges} links, {answer.components} groups"
        f" (largest {answer.largest_component}), {answer.orphans} without links"
    )
    rows = [(relation, str(count)) for relation, count in answer.by_relation.items()]
    yield table(rows, indent="  ")
    yield table(
        [(str(hub.degree), short(hub.id), titled(hub) + marked(hub)) for hub in answer.hubs],
        indent="  ",
    )


def _drawing(answer: "Drawing") -> Iterator[str]:
    yield answer.text


def _suggestions(answer: "SuggestedPairs") -> Iterator[str]:
    for pair in answer.pairs:
        yield wrap(pair.source_title, f"{pair.score:.2f}  {short(pair.source)}  ")
        yield wrap(pair.target_title, f"      {short(pair.target)}  ")
        yield wrap(dim(pair.reason), "      ")
        yield f"      {Call('link', pair.source, pair.relation, pair.target)}"
    if not answer.pairs:
        yield "No missing links found."


#: Each kind of answer -> its lines. By name, so that no action is loaded for another command.
_GRAPH_LINES: dict[str, Callable[[Any], Iterator[str]]] = {
    "NeighborsAnswer": _neighbours,
    "Edges": _edges,
    "PathAnswer": _path,
    "Prerequisites": _prerequisites,
    "Stats": _stats,
    "Drawing": _drawing,
    "SuggestedPairs": _suggestions,
}


# --- entities -------------------------------------------------------------------------------------


def run_entities(
    call: Invocation,
    op: str,
    words: tuple[str, ...],
    name: str,
    text: str,
    ids: tuple[str, ...],
    **options: Any,
) -> Any:
    """After the operation come a name, a text to extract from, or the entities to merge."""
    operation = op.strip().lower()
    if operation == "extract":
        text = text or (" ".join(words) if words else "" if ids else _read_stdin())
    elif operation in ("merge", "delete") and len(words) + len(ids) > 1:
        ids = (*words, *ids)
    else:
        name = name or " ".join(words)
    return call.act("entities", op, name=name, text=text, ids=ids, **options)


def _read_stdin() -> str:
    return "" if sys.stdin.isatty() else read_content("-")


def render_entities(answer: dict[str, Any]) -> str:
    if "entities" in answer:
        return table([_entity_row(item) for item in answer["entities"]]) or "No entities."
    if "deleted" in answer:
        return "deleted  " + ", ".join(answer["deleted"])
    if "merged" in answer:
        verb = "would merge" if answer["dry_run"] else "merged"
        links = f"{answer['links_moved']} links move"
        return f"{verb}  {', '.join(answer['merged'])} into {answer['into']} ({links})"
    lines = [f"{answer['id']}  {answer['kind']:<12}  {answer['name']}"]
    if aliases := answer.get("aliases"):
        lines.append(f"  also called: {', '.join(aliases)}")
    lines += [f"  {k}: {v!s}" for k, v in answer.get("properties", {}).items()]
    lines += [f"  {m['id']}  {m['title']}" for m in answer.get("mentioned_by", [])]
    return "\n".join(lines)


def _entity_row(item: dict[str, Any]) -> tuple[str, ...]:
    last = f"{item['mentions']} mentions" if "mentions" in item else f"{item['confidence']:.2f}"
    return (item["id"] or "-", item["kind"], item["name"], last)


# --- status ---------------------------------------------------------------------------------------


def run_status(call: Invocation, **options: Any) -> Any:
    answer = call.act("status", **options)
    if call.as_json or not isinstance(answer, dict) or "memories" not in answer:
        return answer
    from treering.cli.setup import is_new, render_steps

    steps = render_steps(call.workspace, answer) if is_new(answer) else ""
    call.answer(answer, lambda cleaned: "\n".join(filter(None, [render_status(cleaned), steps])))
    return None


def render_status(answer: Any) -> str:
    if not isinstance(answer, dict):
        from treering.cli.guard import render_guard

        return render_guard(answer)
    return _render_summary(answer) if "memories" in answer else _render_view(answer)


def _render_summary(answer: dict[str, Any]) -> str:
    here, memories = answer["repository"], answer["memories"]
    where = "On" if here["branch"] == here["checked_out"] else "Seen from"
    lines = [
        f"{where} {here['branch']} (trunk: {here['trunk']}): "
        f"{count(memories['visible'])} visible, {memories['total']} stored in all branches"
    ]
    if memories["by_type"]:
        types = (f"{n} {kind(name, 0)}" for name, n in memories["by_type"].items())
        lines.append("  " + ", ".join(types))
    if answer["top_tags"]:
        tags = ", ".join(f"{t['tag']} ({t['count']})" for t in answer["top_tags"])
        lines.append(f"  tags: {tags}")
    lines.append(table([_branch_row(row, here["checked_out"]) for row in answer["branches"]]))
    lines += [wrap(dim(note), "  ", "    ") for note in _list_notes(answer)]
    return "\n".join(line for line in lines if line)


def _branch_row(row: dict[str, Any], current: str) -> tuple[str, ...]:
    is_here = row["branch"] == current
    name = row["branch"]
    label = f"* {bold(name)}" if is_here else f"  {name}"
    return (label, str(row["memories"]), state(row["state"]))


def _list_notes(answer: dict[str, Any]) -> list[str]:
    """Return what somebody might want to do next; nothing where all is in order."""
    notes = []
    if gone := answer["memories"].get("vanished"):
        notes.append(f"{count(gone)} vanished with their refs: run `treering doctor`")
    if pending := answer["journal"]["pending"]:
        notes.append(f"{count(pending, 'hook event')} waiting: the next recall or gc picks them up")
    sync = answer["sync"]
    notes += [
        f"{kept['branch']}: {kept['files']} files left out by {kept['author']} in "
        f"{kept['commit'][:12]} were put back"
        for kept in sync.get("kept", ())
    ]
    notes += [
        f"{undo['branch']}: a sync changed {undo['changed']} memories and hid "
        f"{undo['hidden']}: `treering restore {undo['branch']} --before-sync` takes it back"
        for undo in sync.get("undo", ())
        if undo["many"]
    ]
    local = sync.get("local", ())
    notes += [f"{one['branch']} stays local: {one['reason']}" for one in local[:_MOST_LOCAL]]
    if len(local) > _MOST_LOCAL:
        more = f"{len(local) - _MOST_LOCAL} more branches stay local"
        notes.append(f"{more}: `treering sync --dry-run` lists them")
    news = ((sync["ahead"], "push"), (sync["behind"], "fetch"))
    if ways := [f"{count(number, 'change')} to {way}" for number, way in news if number]:
        notes.append(f"{sync['remote']}: {', '.join(ways)}: `treering sync`")
    return notes + _list_remote_notes(answer)


def _list_remote_notes(answer: dict[str, Any]) -> list[str]:
    """A clone brings no memories along, and nothing else would tell that there are some."""
    if answer["memories"]["total"]:
        return []
    texts = {
        True: "has memories: `treering sync fetch --remote {name}` gets them",
        "unknown": "may have memories: `treering sync fetch --remote {name}` looks",
    }
    return [
        f"{remote['name']} {texts[remote['memories']].format(name=remote['name'])}"
        for remote in answer["remotes"]
        if remote["memories"] in texts
    ]


def _render_view(answer: dict[str, Any]) -> str:
    for name, rows_of in _TABLES.items():
        if name in answer:
            return table(rows_of(answer)) or "Nothing yet."
    return table([(name, _one_line(value)) for name, value in answer.items()])


def _one_line(value: Any) -> str:
    """A few named values in one line; of a list how many there are, where there are many."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_one_line(item)}" for name, item in value.items())
    if isinstance(value, list):
        words = [str(item) for item in value if isinstance(item, str)]
        return " ".join(words) if value and words else str(len(value))
    return str(value) or "-"


def _topic_rows(answer: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for item in answer["topics"]:
        *above, last = item["topic"].split("/")
        low, high = item["confidence"]
        sure = f"{low:.2f}" if low == high else f"{low:.2f}-{high:.2f}"
        rows.append(("  " * len(above) + last, str(item["count"]), sure))
    return rows


def _file_rows(level: list[dict[str, Any]], indent: str = "") -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for item in level:
        mark = "/" if "children" in item else ""
        rows.append((f"{indent}{item['name']}{mark}", str(item["count"])))
        rows += _file_rows(item.get("children", []), indent + "  ")
    return rows


def _cells(*names: str) -> Callable[[dict[str, Any]], list[tuple[str, ...]]]:
    """The rows of a list of alike things, by the names of their columns."""
    key, *columns = names
    return lambda answer: [tuple(str(row[name]) for name in columns) for row in answer[key]]


def _review_row(card: "Card") -> tuple[str, ...]:
    reasons = dict.fromkeys(doubt.reason for doubt in card.reasons or ())
    return (card.id, ", ".join(reasons), card.title)


#: The part of an answer that is a table -> its rows.
_TABLES: dict[str, Callable[[dict[str, Any]], list[tuple[str, ...]]]] = {
    "types": _cells("types", "type", "count", "description"),
    "topics": _topic_rows,
    "tags": _cells("tags", "tag", "count"),
    "files": lambda answer: _file_rows(answer["tree"]),
    "branches": _cells("branches", "branch", "memories", "state"),
    "review": lambda answer: [_review_row(card) for card in answer["review"]],
    "outputs": lambda answer: [tuple(map(str, _fields(item))) for item in answer["outputs"]],
}


def _fields(item: Any) -> list[Any]:
    from treering.text.values import jsonable

    return list(jsonable(item).values())
