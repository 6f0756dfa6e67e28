"""Marks: how a hub tells the memories of its repositories apart.

In a hub every id, blob, session and link target begins with the mark of its repository, five digits
and a colon. So equal texts in two repositories are two memories, and nothing that one repository
says is ever taken for another's word. In a repository there are no marks.
"""

import re

from treering.model.memory import Memory

#: Characters of a mark.
LENGTH = 6
MOST_REPOSITORIES = 99_999
_MARK = re.compile(r"\d{5}:")


def make_mark(number: int) -> str:
    """Return the mark of the repository with a number."""
    return f"{number:05}:"


def mark_of(word: str) -> str:
    """Return the mark that a word begins with; empty for none."""
    return word[:LENGTH] if word[LENGTH - 1 : LENGTH] == ":" and _MARK.match(word) else ""


def unmark(word: str) -> str:
    """Return a word without the mark it may begin with."""
    return word[len(mark_of(word)) :]


def mark_memory(memory: Memory, mark: str) -> Memory:
    """Return a memory as a hub knows it."""
    return memory._replace(
        id=mark + memory.id,
        session=mark + memory.session if memory.session else "",
        links=tuple(link._replace(target=mark + link.target) for link in memory.links),
    )
