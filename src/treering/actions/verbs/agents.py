"""What agents are told about parameters, where that is not the help that people read.

An agent pays for each word of the list of tools in every session, so a parameter whose name says
it all gets none: `""`. One that is not here is explained by its help. It lies apart because only
the server needs it.
"""

#: Said of a parameter of this name, whatever the tool.
_EVERYWHERE = {
    "agent": "",
    "author": "",
    "branch": "",  # the one checked out, as the instructions say
    "confidence": "",
    "limit": "",
    "max_confidence": "",
    "min_confidence": "",
    "op": "",
    "outcome": "",
    "repos": "",
    "session": "",
    "status": "",
    "tags": "",
    "title": "",
}

_OF_TOOL = {
    "remember": {
        "content": "Markdown. First line: the title.",
        "type": "decision, pattern, convention, component, concept, insight, issue, debt, api, "
        "config, security, testing, progress or context.",
        "topic": "A path: backend/auth",
        "reasoning": "",
        "files": "Paths it is about.",
        "supersedes": "Ids it replaces.",
        "links": '"relation:id"',
        "private": "Never synced.",
        "id": "Only when copying.",
    },
    "recall": {
        "query": 'Words, "phrases", -not, prefix*, type: tag: topic: title: author: file: since: '
        "confidence>0.7",
        "type": "",
        "topic": "",
        "tags": "All must match.",
        "since": "7d, 12h, 2w or a date.",
        "until": "",
        "file": "Or folder, path:line, path:from-to.",
        "scope": "",
        "at": "Revision or date.",
        "records": "Commits, sessions, checkpoints.",
        "mode": "",
        "order": "",
        "expand": "Link hops, 0-3.",
        "relation": "",
        "detail": "light: no text. full: all.",
        "cursor": "",
        "repos": "Of the hub, or all.",
    },
    "read": {
        "id": 'Or unique prefix, or "out:..."',
        "at": "Revision, date, version.",
        "history": "",
        "links": "Hops, 0-3.",
        "offset": "Its next_offset.",
    },
    "revise": {
        "id": "Or unique prefix.",
        "content": "The whole new text.",
        "append": "",
        "type": "",
        "topic": '"-" clears.',
        "tags_add": "",
        "tags_remove": "",
        "files": 'Replaces all. ["-"] clears.',
        "reason": "Why, or how it went.",
        "supersede_with": "Id of the newer memory.",
        "expect": "Version you read; refused if changed since.",
    },
    "forget": {"ids": "All or none.", "reason": "", "restore": ""},
    "link": {
        "source": "Id or prefix.",
        "target": "",
        "relation": "depends_on, implements, affects, references, derived_from, "
        "prerequisite_of, part_of, conflicts_with or your own.",
        "note": "",
        "remove": "",
    },
    "graph": {
        "id": "Where to start.",
        "to": "path: where to end.",
        "relation": "",
        "direction": "",
        "depth": "",
        "types": "",
        "format": "For draw.",
        "threshold": "",
    },
    "entities": {
        "name": "",
        "kind": "",
        "text": "For extract.",
        "ids": "Ids or names.",
        "canonical": "merge: which stays.",
        "properties": "For add.",
        "store": "extract: keep them.",
        "dry_run": "For merge.",
    },
    "checkpoint": {
        "summary": "Where things stand.",
        "next_steps": "",
        "open_files": "",
    },
    "context": {
        "task": "What you are about to do.",
        "files": "To be changed; path:line.",
        "recent_files": "",
        "budget": "Characters.",
        "template": "",
    },
    "prompts": {
        "name": "",
        "kind": "",
        "content": "With {{variables}}.",
        "description": "",
        "variables": "",
        "query": "Which memories fill {{memories}}.",
        "format": "",
        "domain": "delete needs it.",
    },
    "status": {"view": ""},
    "maintain": {
        "into": "",
        "ids": "",
        "type": "",
        "query": "",
        "content": "The text you wrote.",
        "threshold": "",
        "remote": "",
        "direction": "",
        "purge": "gc: old trash for good.",
        "older_than": "",
        "force": "gc: trash the unsure, too.",
        "keep_lessons": "",
        "before_sync": "restore: undo the last sync.",
        "undo": "promote: take back.",
        "dry_run": "Default true; restore, reindex: false.",
    },
}


def wording(tool: str, parameter: str, help_text: str) -> str:
    """What the list of tools says about a parameter; empty where its name is enough."""
    own = _OF_TOOL.get(tool, {})
    return own.get(parameter, _EVERYWHERE.get(parameter, help_text))


def worded() -> set[tuple[str, str]]:
    """Each tool and parameter that has words of its own."""
    return {(tool, parameter) for tool, own in _OF_TOOL.items() for parameter in own}
