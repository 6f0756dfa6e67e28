"""treering status"""

from collections.abc import Callable
from typing import Any

from treering.actions.answers import jsonable
from treering.cli.render import memories as counted
from treering.cli.render import safe, table
from treering.cli.screen import bold, dim


def text(answer: dict[str, Any]) -> str:
    return _summary(answer) if "memories" in answer else _plain(answer)


def _summary(answer: dict[str, Any]) -> str:
    here, memories = answer["repository"], answer["memories"]
    lines = [
        f"On {safe(here['branch'])} (trunk: {safe(here['trunk'])}): "
        f"{counted(memories['visible'])} visible, {memories['total']} copies in all branches"
    ]
    if memories["by_type"]:
        lines.append("  " + ", ".join(f"{n} {kind}" for kind, n in memories["by_type"].items()))
    if answer["top_tags"]:
        tags = ", ".join(f"{safe(t['tag'])} ({t['count']})" for t in answer["top_tags"])
        lines.append(f"  tags: {tags}")
    lines.append(table([_branch_row(row, here["branch"]) for row in answer["branches"]]))
    lines += [f"  {dim(note)}" for note in _notes(answer)]
    return "\n".join(line for line in lines if line)


def _branch_row(row: dict[str, Any], current: str) -> tuple[str, ...]:
    is_here = row["branch"] == current
    name = safe(row["branch"])
    marked = f"* {bold(name)}" if is_here else f"  {name}"
    return (marked, str(row["memories"]), row["state"])


def _notes(answer: dict[str, Any]) -> list[str]:
    """What somebody might want to do next; nothing where all is in order."""
    notes = []
    if gone := answer["memories"].get("vanished"):
        notes.append(f"{counted(gone)} vanished with their refs: `treering doctor`")
    if not answer["hooks"]["installed"]:
        notes.append("no hooks: `treering init` lets commits remember themselves")
    if pending := answer["journal"]["pending"]:
        notes.append(f"{pending} hook events wait: the next recall, gc or worker looks at them")
    shared = answer["sync"]
    notes += [
        f"{safe(kept['branch'])}: {kept['files']} files left out by {safe(kept['author'])} in "
        f"{kept['commit'][:12]} were put back"
        for kept in shared.get("kept", ())
    ]
    notes += [
        f"{safe(sync['branch'])}: a sync changed {sync['changed']} memories and hid "
        f"{sync['hidden']}: `treering restore {safe(sync['branch'])} --before-sync` takes it back"
        for sync in shared.get("undo", ())
        if sync["many"]
    ]
    if shared["ahead"] or shared["behind"]:
        notes.append(
            f"{safe(shared['remote'])}: {shared['ahead']} to push, {shared['behind']} to fetch:"
            " `treering sync`"
        )
    return notes


def _plain(answer: dict[str, Any]) -> str:
    for name, rows_of in _TABLES.items():
        if name in answer:
            return table([_safe(row) for row in rows_of(answer)]) or "Nothing yet."
    return table([_safe((name, _one_line(value))) for name, value in answer.items()])


def _safe(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(safe(cell) for cell in row)


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


#: The part of an answer that is a table -> its rows.
_TABLES: dict[str, Callable[[dict[str, Any]], list[tuple[str, ...]]]] = {
    "types": _cells("types", "type", "count", "description"),
    "topics": _topic_rows,
    "tags": _cells("tags", "tag", "count"),
    "files": lambda answer: _file_rows(answer["tree"]),
    "branches": _cells("branches", "branch", "memories", "state"),
    "outputs": lambda answer: [tuple(map(str, _fields(item))) for item in answer["outputs"]],
}


def _fields(item: Any) -> list[Any]:
    return list(jsonable(item).values())
