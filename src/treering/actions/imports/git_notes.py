"""git notes: what people hung on commits, and a memory that keeps its JSON in notes."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treering.actions.imports.records import Numbered, check
from treering.errors import Invalid
from treering.git import log
from treering.git.repository import Repository

_MEMORY = "mem-"  # git-notes-memory: one JSON object a branch, on the first commit
_WORDS = {
    "learning": "insight",
    "preference": "convention",
    "task": "progress",
    "question": "issue",
}
_CONFIDENCE = {"c": 0.95, "h": 0.9, "n": 0.8, "l": 0.5}


def records(repository: Repository, wanted: str = "") -> Iterator[Numbered]:
    """Every note of the repository, or of one notes ref."""
    number = 0
    for ref in _refs(repository.common_dir, wanted):
        name = ref.removeprefix(log.NOTES)
        if name.startswith(("ent-", "idx-")):
            continue  # indexes that git-notes-memory derives from its mem- notes
        for commit, text in log.read_notes(repository.common_dir, ref):
            found = (
                _memories(name, text) if name.startswith(_MEMORY) else [_note(name, commit, text)]
            )
            for names, fields in found:
                number += 1
                yield check(number, f"{ref} {commit[:12]}", fields, *names)


def _refs(git_dir: Path, wanted: str) -> list[str]:
    if wanted in ("", "."):
        pattern = log.NOTES
    else:
        pattern = wanted if wanted.startswith(log.NOTES) else log.NOTES + wanted
    refs = log.list_notes_refs(git_dir, pattern)
    if not refs:
        raise Invalid("There are no notes here.", hint="`git notes list` shows what git has.")
    return refs


def _note(ref: str, commit: str, text: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Words hung on a commit: a memory about that commit."""
    details = {"imported_from": f"git notes {ref}"}
    return (), {"content": text, "commit": commit, "source": "git-notes", "details": details}


def _memories(ref: str, text: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    try:
        found = json.loads(text)
        items = [(str(key), dict(value)) for key, value in found.items()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        yield (), {"details": {"imported_from": ref}}  # reported as a record without content
        return
    for key, item in items:
        yield (key,), _fields(ref, key, item)


def _fields(ref: str, key: str, item: dict[str, Any]) -> dict[str, Any]:
    said = item.get("d", "")
    kind = str(item.get("t", ""))
    return {
        "id": key,
        "content": said if isinstance(said, str) else _prose(said),
        "type": _WORDS.get(kind, kind if kind in ("decision", "progress") else ""),
        "tags": [str(tag) for tag in item.get("g") or []],
        "confidence": _CONFIDENCE.get(str(item.get("i")), 0.8),
        "branch": str(item.get("b") or ref.removeprefix(_MEMORY)),
        "created": _when(item.get("c")),
        "modified": _when(item.get("u")),
        "source": "git-notes-memory",
        "details": {"imported_from": ref},
    }


def _when(said: object) -> str:
    """That memory writes local time without saying which; it is taken as UTC."""
    try:
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return ""
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat()


def _prose(said: Any) -> str:
    """Structured content as lines a person reads."""
    if isinstance(said, dict):
        return "\n".join(f"{key}: {_inline(value)}" for key, value in said.items())
    return _inline(said)


def _inline(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
