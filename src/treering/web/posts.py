"""Changes to memories by forms: each by one verb, with the version that was seen.

Where somebody else was faster, nothing is written, and the page shows what they changed.
"""

from urllib.parse import parse_qs

from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.history import revert as revert_memory
from treering.actions.remember import Remembered
from treering.actions.revise import Revised
from treering.call import Call
from treering.errors import Conflict, Invalid, TreeringError
from treering.model.choices import TYPE_NAMES
from treering.model.text_merge import merge_texts
from treering.verbs import find_verb
from treering.verbs.history import review
from treering.verbs.memories import forget as forget_memories
from treering.verbs.memories import link as link_memories
from treering.verbs.memories import read
from treering.verbs.memories import remember as remember_memory
from treering.verbs.memories import revise as revise_memory
from treering.web.memory import (
    WRITABLE,
    compare_words,
    keeps_form,
    read_memory,
    show_link,
    show_remember,
    show_revise,
    show_supersede,
)
from treering.web.rendering import plural
from treering.web.visit import Notice, Visit

_CLEAR = "-"


@keeps_form(show_remember)
def remember(visit: Visit) -> Response:
    answer: Remembered = visit.ask(
        remember_memory,
        visit.needed("content", "The text"),
        type=visit.field("type"),
        title=visit.field("title"),
        topic=visit.field("topic"),
        tags=visit.words("tags"),
        files=visit.lines("files"),
        outcome=visit.field("outcome"),
        private=bool(visit.field("only_here")),
        branch=visit.branch,
    )
    if answer.duplicate:
        return _go_to(visit, answer.id, Notice("This was remembered already. Nothing was written."))
    undo = Call("forget", answer.id, branch=visit.branch)
    lines = (*(answer.warnings or ()), *(f"Similar: {one.title}" for one in answer.similar))
    return _go_to(visit, answer.id, Notice(f"Remembered on {answer.branch}.", (undo,), lines))


@keeps_form(show_revise)
def revise(visit: Visit) -> Response:
    """Change what differs from what was seen, and nothing else."""
    seen = _read_seen(visit)
    return _revise(visit, seen, _changed_fields(visit, seen))


def set_outcome(visit: Visit) -> Response:
    return _revise(visit, _read_seen(visit), {"outcome": visit.field("outcome") or _CLEAR})


def _revise(visit: Visit, seen: Card, changes: dict[str, object]) -> Response:
    if not changes:
        return _go_to(visit, seen.id, Notice("Nothing was changed."))
    try:
        answer: Revised = visit.ask(
            revise_memory, seen.id, expect=visit.field("expect"), branch=visit.branch, **changes
        )
    except Conflict:
        return _show_conflict(visit, seen)
    words = ", ".join(answer.changed) or "nothing"
    undo = _undo_of(visit, answer.id, answer.version) if answer.changed else ()
    notice = Notice(f"Changed on {answer.branch}: {words}.", undo, answer.warnings or ())
    return _go_to(visit, answer.id, notice)


def _read_seen(visit: Visit) -> Card:
    """The memory in the version that the form was made from."""
    expect = visit.needed("expect", "The version that was seen").strip()
    try:
        memory: Card = visit.ask(read, visit.path["id"], at=expect, links=0, branch=visit.branch)
    except TreeringError:
        return read_memory(visit)
    return memory


def _changed_fields(visit: Visit, seen: Card) -> dict[str, object]:
    """The fields of the form that are not what they were."""
    new: dict[str, object] = {}
    content = visit.needed("content", "The text")
    if content != (seen.content or "").strip("\n"):
        new["content"] = content
    for name, old in (("title", seen.title), ("topic", seen.topic)):
        if (text := visit.field(name)) != old:
            new[name] = text or _CLEAR
    for name, now in (("type", seen.type), ("status", seen.status)):
        if (text := visit.field(name)) and text != now:
            new[name] = text
    tags, old_tags = visit.words("tags"), list(seen.tags)
    new["tags_add"] = [tag for tag in tags if tag not in old_tags]
    new["tags_remove"] = [tag for tag in old_tags if tag not in tags]
    files = visit.lines("files")
    if files != [file.path for file in seen.files or ()]:
        new["files"] = files or [_CLEAR]
    if (text := visit.field("confidence")) and _number(text) != seen.confidence:
        new["confidence"] = _number(text)
    return {name: value for name, value in new.items() if value not in ([], "")}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise Invalid(f"The confidence {text!r} is not a number.") from error


def _show_conflict(visit: Visit, seen: Card) -> Response:
    """Both wordings, and the form once more with both put together: what each changed stands in
    it, and where both changed the same words yours do. Theirs stay to copy from."""
    current = read_memory(visit)
    was, theirs, mine = seen.content or "", current.content or "", visit.text("content")
    together = merge_texts(was, theirs, mine) if mine else None
    return visit.show(
        "conflict.html",
        status=409,
        memory=current,
        theirs=compare_words(was, theirs),
        mine=compare_words(was, mine) if mine else None,
        text=together.text if together else theirs,
        is_lossy=bool(together and together.has_loser),
        types=TYPE_NAMES,
        statuses=WRITABLE,
        typed=lambda name: "" if name == "content" else visit.field(name),
    )


@keeps_form(show_supersede)
def supersede(visit: Visit) -> Response:
    """Put a new memory in the place of this one, or one that is there already."""
    if conflict := _find_conflict(visit):
        return conflict
    old_id, by = visit.path["id"], visit.field("by")
    if not by:
        answer: Remembered = visit.ask(
            remember_memory,
            visit.needed("content", "The new text"),
            supersedes=old_id,
            branch=visit.branch,
        )
        if answer.duplicate:
            by = answer.id
    if by:
        visit.ask(revise_memory, old_id, supersede_with=by, branch=visit.branch)
        new = visit.ask(read, by, links=0, branch=visit.branch)
        undo = _undo_of(visit, old_id)
    else:
        new = answer
        undo = (
            *_undo_of(visit, old_id),
            Call("forget", new.id, branch=visit.branch),
        )
    notice = Notice("It takes the place of the one before.", undo, back=visit.field("back"))
    return go_back(visit, notice) if notice.back else _go_to(visit, new.id, notice)


@keeps_form(show_link)
def link(visit: Visit) -> Response:
    if conflict := _find_conflict(visit):
        return conflict
    id = visit.path["id"]
    answer = visit.ask(
        link_memories,
        source=id,
        target=visit.needed("target", "The other memory").strip(),
        relation=visit.field("relation"),
        note=visit.field("note"),
        branch=visit.branch,
    )
    return _go_to(visit, id, Notice("Linked.", _undo_of(visit, id), answer.warnings or ()))


def forget(visit: Visit) -> Response:
    """Hide it. Its page stays, with the way back."""
    if conflict := _find_conflict(visit):
        return conflict
    id = visit.path["id"]
    visit.ask(forget_memories, [id], reason=visit.field("reason"), branch=visit.branch)
    if back := visit.field("back"):
        undo = Call("forget", id, restore=True, branch=visit.branch)
        return go_back(visit, Notice("Forgotten.", (undo,), back=back))
    return _go_to(visit, id)


def restore(visit: Visit) -> Response:
    """Take a forgetting back."""
    visit.ask(forget_memories, [visit.path["id"]], restore=True, branch=visit.branch)
    return _go_to(visit, visit.path["id"], Notice("It is back."))


def revert(visit: Visit) -> Response:
    """Make it what it was at a commit of its history."""
    if conflict := _find_conflict(visit):
        return conflict
    answer: Revised = visit.ask(
        revert_memory,
        visit.path["id"],
        to=visit.needed("to", "The version").strip(),
        branch=visit.branch,
    )
    notice = Notice("It is as it was then.", _undo_of(visit, answer.id, answer.version))
    return _go_to(visit, answer.id, notice)


def keep(visit: Visit) -> Response:
    """Note that a person looked at doubtful memories, and keeps them."""
    ids = visit.fields("id")
    visit.ask(review, keep=ids, branch=visit.branch)
    undo = tuple(step for id in ids for step in _undo_of(visit, id))
    notice = Notice(f"Kept {plural(len(ids), 'memory', 'memories')}.", undo)
    return go_back(visit, notice._replace(back=visit.field("back") or "/review"))


# --- what they share ------------------------------------------------------------------------------


def _find_conflict(visit: Visit) -> Response | None:
    """The page that shows what changed meanwhile, where something did."""
    expect = visit.field("expect")
    current: Card = visit.ask(read, visit.path["id"], links=0, branch=visit.branch)
    if not expect or current.version == expect:
        return None
    return _show_conflict(visit, _read_seen(visit))


def _undo_of(visit: Visit, id: str, version: str = "") -> tuple[Call, ...]:
    """Back to the version before the last change, unless there was another one since."""
    current = version or visit.ask(read, id, links=0, branch=visit.branch).version
    return (Call("revert", id, expect=current, branch=visit.branch),)


def _go_to(visit: Visit, id: str, notice: Notice | None = None) -> Response:
    return visit.go(f"/memory/{id}", notice)


def go_back(visit: Visit, notice: Notice) -> Response:
    """On in the view that something was done from: a page of ours, never an address elsewhere."""
    view, _, query = notice.back.partition("?")
    fields = parse_qs(query, errors="replace", max_num_fields=20)
    return visit.go(view if view in ("/review", "/branches") else "/", notice, **fields)


def undo(visit: Visit) -> Response:
    """Take something back that was done on this page, as long as nobody changed it since."""
    notice = visit.site.notices.take_undo(visit.field("done"))
    if notice is None:
        raise Invalid(
            "It was undone already, or too long ago.",
            hint="`treering log` lists what was done, `treering revert ID` takes it back.",
        )
    verbs = [(find_verb(call.verb), call) for call in notice.undo]
    steps = [(verb.act, verb.name_arguments(call.words, call.options)) for verb, call in verbs]
    for _, options in steps:  # nobody's later change is taken back with ours: all or nothing
        if expect := options.get("expect", ""):
            branch = options.get("branch", "")
            current = visit.act(read, options["id"], links=0, branch=branch)
            if current.version != expect:
                raise Conflict(
                    f"The memory {current.id} was changed since.",
                    hint="Its history shows every version, and goes back to any of them.",
                )
    for act, options in steps:
        visit.act(act, **options)
    first = steps[0][1]
    ids = first.get("ids") or [first.get("id", "")]
    if notice.back or len(ids) != 1 or not ids[0]:
        return go_back(visit, Notice("Undone.", back=notice.back or "/branches"))
    return visit.go(f"/memory/{ids[0]}", Notice("Undone."))
