"""A memory, its links, its id: the value everything else moves around, and the rules it keeps."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from treering.errors import Invalid
from treering.model.choices import OUTCOMES, STATUSES, Outcome, Status
from treering.model.dates import instant
from treering.model.taxonomy import PASSING_TYPES, TYPES

MAX_TITLE = 200
MAX_TOPIC_SEGMENT = 100
MAX_TAG = 100
MAX_CONTENT = 256 * 1024
#: A memory is found by so many of its tags, files and links, the first ones; all are shown.
MAX_INDEXED_TAGS = 50
MAX_INDEXED_FILES = 100
MAX_INDEXED_LINKS = 200
MIN_PREFIX = 4
MAX_NAME = 64

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_URI = "treering://memory/"
_PREFIX = f"[{ALPHABET}]{{1,12}}"
_OBJECT_ID = "[0-9a-f]{40}"
_RELATION = r"[^\W\d][\w .-]{0,63}"
_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
#: In `details`: the ids a memory must never be linked with again by inference.
_UNLINKED = "unlinked"
_MARKDOWN_LEAD = r"^[\s#>*+-]+"


class FileRef(NamedTuple):
    """A file the memory is about, and the blob it was when the memory was made."""

    path: str
    blob: str = ""


class Link(NamedTuple):
    """An edge from the memory that holds it to `target`."""

    relation: str
    target: str
    confidence: float = 0.8
    by: str = "user"
    reason: str = ""
    extra: Mapping[str, Any] = MappingProxyType({})

    @property
    def edge(self) -> tuple[str, str]:
        """Return what makes two links of a memory the same one."""
        return (self.relation, self.target)


def age_of_link(link: Link) -> float:
    """Return when a link was made, as far as it says so itself; 0 where it does not."""
    since = link.extra.get("since")
    try:
        return instant(since) if isinstance(since, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


class Memory(NamedTuple):
    """One thing worth remembering; `extra` holds front matter keys we do not know."""

    id: str
    type: str
    title: str
    content: str
    created: str
    modified: str
    tags: tuple[str, ...] = ()
    topic: str = ""
    status: Status = "active"
    confidence: float = 0.8
    source: str = ""
    author: str = ""
    agent: str = ""
    session: str = ""
    commit: str = ""
    files: tuple[FileRef, ...] = ()
    links: tuple[Link, ...] = ()
    details: Mapping[str, Any] = {}  # shared, and safe: a Mapping is never changed in place
    extra: Mapping[str, Any] = {}

    @property
    def is_forgotten(self) -> bool:
        return self.status == "deleted"

    @property
    def outcome(self) -> Outcome | None:
        """Return how it turned out, where somebody said so."""
        word = self.details.get("outcome")
        return next((outcome for outcome in OUTCOMES if outcome == word), None)

    @property
    def lost_wording(self) -> str:
        """The version whose words a merge could not keep, until somebody settles it."""
        merge = self.details.get("merge")
        lost = merge.get("lost") if isinstance(merge, dict) else None
        return lost if isinstance(lost, str) else ""

    @property
    def is_passing(self) -> bool:
        """Return whether it is about the work on a branch, which is over once the branch has
        landed: a checkpoint, a progress note, a commit that was rewritten."""
        is_replaced = self.type == "commit" and self.status == "superseded"
        return is_replaced or self.type in PASSING_TYPES

    @property
    def unlinked(self) -> tuple[str, ...]:
        """The ids somebody took a link to away from this memory: inference leaves them alone."""
        items = self.details.get(_UNLINKED)
        return (
            tuple(i for i in items if isinstance(i, str)) if isinstance(items, list | tuple) else ()
        )

    @property
    def as_indexed(self) -> "Memory":
        """With the tags, files and links it is found by: each of them costs every search a little,
        and somebody else may have written thousands."""
        if len(self.tags) + len(self.files) + len(self.links) <= MAX_INDEXED_TAGS:
            return self
        return self._replace(
            tags=self.tags[:MAX_INDEXED_TAGS],
            files=self.files[:MAX_INDEXED_FILES],
            links=self.links[:MAX_INDEXED_LINKS],
        )

    def has_link(self, relation: str, target: str) -> bool:
        return any(link.edge == (relation, target) for link in self.links)

    # --- what becomes of it, as a new memory ------------------------------------------------------

    def touch(self, now: str) -> "Memory":
        """Changed now by somebody's word: of two versions the one touched last wins."""
        return self._replace(modified=now)

    def with_content(self, content: str) -> "Memory":
        """New content; a title that was taken from the first line follows it."""
        follows = self.title == title_of(self.content)
        return self._replace(content=content, title=title_of(content) if follows else self.title)

    def with_details(self, **details: Any) -> "Memory":
        """These details in the place of those of the same name, or beside the others."""
        return self._replace(details=dict(self.details) | details)

    def settle_conflict(self) -> "Memory":
        """No longer in conflict: somebody said which words count."""
        details = {key: value for key, value in self.details.items() if key != "merge"}
        return self._replace(details=details)

    def supersede(self, by: str) -> "Memory":
        """Replaced by another memory."""
        return self.with_details(superseded_by=by)._replace(status="superseded")

    def revive(self) -> "Memory":
        """In force again: nothing replaces it any more."""
        details = {key: value for key, value in self.details.items() if key != "superseded_by"}
        return self._replace(status="active", details=details)

    def forget(self, reason: str = "") -> "Memory":
        """Hidden, with what is needed to undo it."""
        mark = {"was": self.status} | ({"reason": reason} if reason else {})
        return self.with_details(forgotten=mark)._replace(status="deleted")

    def restore(self) -> "Memory":
        """Brought back to the status it had when it was forgotten."""
        details = dict(self.details)
        mark = details.pop("forgotten", None)
        was = mark.get("was") if isinstance(mark, dict) else None
        statuses: list[Status] = [word for word in STATUSES if word == was and word != "deleted"]
        return self._replace(status=statuses[0] if statuses else "active", details=details)

    def link(self, new: Link) -> "Memory":
        """With this link, in the place of the same one if it has that already."""
        edges = [link.edge for link in self.links]
        links = [link for link in self.links if link.edge != new.edge]
        links.insert(edges.index(new.edge) if new.edge in edges else len(links), new)
        return self._replace(links=tuple(links))._note_unlinked(new.target, is_unlinked=False)

    def unlink(self, relation: str, target: str) -> "Memory":
        """Without this link, which inference then leaves alone for good."""
        return self.drop_link(relation, target)._note_unlinked(target, is_unlinked=True)

    def drop_link(self, relation: str, target: str) -> "Memory":
        """Without this link, which may be inferred again."""
        links = tuple(link for link in self.links if link.edge != (relation, target))
        return self._replace(links=links)

    def avoid_links(self, targets: Sequence[str]) -> "Memory":
        """With ids that inference is to leave alone."""
        return self.with_details(**{_UNLINKED: list(targets)}) if targets else self

    def _note_unlinked(self, target: str, *, is_unlinked: bool) -> "Memory":
        others = [item for item in self.unlinked if item != target]
        details = {key: value for key, value in self.details.items() if key != _UNLINKED}
        return self._replace(details=details).avoid_links([*others, *[target] * is_unlinked])


def is_id(text: str) -> bool:
    return len(text) == 12 and not text.strip(ALPHABET)


def uri_of(memory_id: str) -> str:
    """The address of a memory among the resources of MCP."""
    return _URI + memory_id


def is_name(text: str) -> bool:
    """Return whether a prompt or template may be saved under this: kebab-case, and safe in any
    path."""
    return len(text) <= MAX_NAME and bool(re.fullmatch(_NAME, text))


def derive_id(kind: str, content: str, n: int = 0) -> str:
    """Twelve characters of sha256 over type, content and n, each ended by a NUL byte."""
    digest = hashlib.sha256(f"{kind}\0{content}\0{n}\0".encode()).digest()
    bits = int.from_bytes(digest[:8], "big") >> 4  # 12 characters hold 60 of the 64 bits
    return "".join(ALPHABET[bits >> shift & 31] for shift in range(55, -1, -5))


def id_prefix(text: str) -> str:
    """A typed id or prefix, made ready to look up; look-alikes (o, i, l) mean the digit."""
    word = text.strip().removeprefix(_URI).lower()
    word = word.translate(str.maketrans("oil", "011"))
    if len(word) < MIN_PREFIX:
        raise Invalid(
            f"{text!r} is too short for an id.", hint=f"Give at least {MIN_PREFIX} characters."
        )
    if not re.fullmatch(_PREFIX, word):
        raise Invalid(f"{text!r} is not a memory id.", hint="An id looks like 7k2m9qx4c0wd.")
    return word


def title_of(content: str) -> str:
    """The first line that says something, without markdown marks, cut to a title's length."""
    for line in content.splitlines():
        title = " ".join(re.sub(_MARKDOWN_LEAD, "", line).split())
        if title:
            return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"
    return "untitled"


def beyond_title(text: str, title: str) -> str:
    """Return what a text says beyond the title that stands beside it: most begin with it."""
    plain = text.lstrip("#>*- \t")
    if title.endswith("…") and plain.startswith(title[:-1]):  # it was cut, and the text goes on
        return "…" + plain[len(title) - 1 :]
    if plain.startswith(title):
        return plain.removeprefix(title).lstrip("*_ .:;,-–—\n")
    return "" if title.startswith(plain.rstrip(" …")) else text


def trim(content: str) -> str:
    """Content without leading and trailing blank lines; all between stays byte for byte."""
    if content[:1].isspace():
        content = re.sub(r"\A(?:[^\S\n]*\n)+", "", content)
    if content[-1:].isspace():
        content = re.sub(r"(?:\r?\n[^\S\n]*)+\Z", "", content)
    return content if content.strip() else ""


def check(memory: Memory) -> Memory:
    """Hold a memory to the format's rules; the same for what we write, fetch or import."""
    _need(is_id(memory.id), f"id {memory.id!r} is not 12 characters of base 32")
    _need(memory.type in TYPES, f"type {memory.type!r} is not one of the types")
    _need(memory.status in STATUSES, f"status {memory.status!r} is not one of {STATUSES}")
    _check_title(memory.title)
    _check_topic(memory.topic)
    _need(0 <= memory.confidence <= 1, f"confidence {memory.confidence} is not between 0 and 1")
    _need(bool(memory.content), "content is empty")
    _need(
        len(memory.content.encode()) <= MAX_CONTENT,
        f"content is longer than {MAX_CONTENT // 1024} KB",
    )
    for tag in memory.tags:
        one_line = bool(tag.strip()) and tag.isprintable()
        _need(one_line and len(tag) <= MAX_TAG, f"tag {tag[:40]!r} is empty, long or not one line")
    for name in ("source", "author", "agent", "session"):
        value = getattr(memory, name)
        _need("\n" not in value and len(value) <= 500, f"{name} is not one short line")
    _need(
        not memory.commit or bool(re.fullmatch(_OBJECT_ID, memory.commit)),
        "commit is not an object id",
    )
    for file in memory.files:
        _check_file(file)
    for link in memory.links:
        _check_link(link)
    for name in ("created", "modified"):
        _check_date(name, getattr(memory, name))
    return memory


def _need(holds: bool, problem: str) -> None:
    if not holds:
        raise Invalid(f"Not a valid memory: {problem}.")


def _check_title(title: str) -> None:
    _need(bool(title.strip()) and title == title.strip(), "title is empty or padded")
    _need(len(title) <= MAX_TITLE, f"title is longer than {MAX_TITLE} characters")
    _need(len(title.splitlines()) == 1, "title is more than one line")


def _check_topic(topic: str) -> None:
    segments = topic.split("/") if topic else []
    _need(all(s.strip() and "\n" not in s for s in segments), f"topic {topic!r} has an empty part")
    _need(
        all(len(s) <= MAX_TOPIC_SEGMENT for s in segments),
        f"a part of the topic is longer than {MAX_TOPIC_SEGMENT} characters",
    )


def _check_file(file: FileRef) -> None:
    parts = file.path.split("/")
    inside = bool(file.path) and not {"", ".", ".."} & set(parts) and "\0" not in file.path
    _need(
        inside and len(file.path) <= 4096, f"file {file.path!r} is not a path inside the repository"
    )
    _need(
        not file.blob or bool(re.fullmatch(_OBJECT_ID, file.blob)),
        f"{file.path}: blob is not an id",
    )


def _check_link(link: Link) -> None:
    _need(
        bool(re.fullmatch(_RELATION, link.relation)),
        f"relation {link.relation!r} is not a plain word",
    )
    _need(is_id(link.target), f"link target {link.target!r} is not an id")
    _need(0 <= link.confidence <= 1, f"link confidence {link.confidence} is not between 0 and 1")


def _check_date(name: str, value: str) -> None:
    try:
        instant(value)
    except (ValueError, OverflowError):
        _need(False, f"{name} {value!r} is not an ISO date")
