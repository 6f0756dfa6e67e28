"""Whose word a memory is: yours, a teammate's, or that of someone this repository does not know.

A label for readers, not a proof: whoever may push memories may write any name into them. Known are
the people whose commits are in the code.
"""

import json
import re
import secrets
from pathlib import Path

from treering.actions.workspace import Workspace
from treering.git import process
from treering.git.files import check_folder, make_folder, read_file
from treering.git.repository import Repository
from treering.model.memory import Memory

YOU, TEAMMATE, UNVERIFIED = "you", "teammate", "unverified"
#: The newest commits are asked for their authors; the people of older ones have left.
_COMMITS = 5_000
_ADDRESS = r"<([^<>]+)>\s*$"


def origin_of(workspace: Workspace, memory: Memory) -> str:
    """`you`, `teammate` or `unverified`; a look-up, once the authors of the code are known."""
    address = _address(memory.author)
    if not address:
        return UNVERIFIED
    if address == workspace.person.email.lower():
        return YOU
    return TEAMMATE if workspace.authors.has(address) else UNVERIFIED


def _address(author: str) -> str:
    found = re.search(_ADDRESS, author)
    return found[1].strip().lower() if found else ""


class Authors:
    """The authors of a repository's code: kept in memory, and on disk for the next process."""

    def __init__(self, repository: Repository, cache: Path) -> None:
        self._repository = repository
        self._file = cache / "authors.json"
        self._tips = ""
        self._addresses: frozenset[str] = frozenset()
        self._load()

    def has(self, address: str) -> bool:
        """Known once, known for good; someone unknown is looked for again when the code moved."""
        if address in self._addresses:
            return True
        if self._tips != (tips := self._tips_now()):
            self._look(tips)
        return address in self._addresses

    def _tips_now(self) -> str:
        """A value that changes with the code: HEAD and what remotes' main branches are at."""
        repository = self._repository
        heads = [repository.head().commit]
        for remote in repository.remotes():
            if branch := repository.remote_head(remote):
                heads.append(repository.remote_tip_of(remote, branch))
        return " ".join(head or "" for head in heads)

    def _look(self, tips: str) -> None:
        text = process.run(
            self._repository.common_dir,
            *("log", f"--max-count={_COMMITS}", "--no-show-signature", "--format=%ae%n%ce"),
            *("HEAD", "--branches", "--remotes", "--"),
            may_fail=(128,),
        )
        found = {line.strip().lower() for line in text.decode(errors="replace").splitlines()}
        self._addresses |= found - {""}
        self._tips = tips
        self._save()

    def _load(self) -> None:
        try:
            check_folder(self._file.parent, levels=2)
            kept = json.loads(read_file(self._file))
            self._tips = str(kept["tips"])
            self._addresses = frozenset(map(str, kept["addresses"]))
        except (OSError, ValueError, KeyError, TypeError):
            return

    def _save(self) -> None:
        """For the next process; where it cannot be kept, that one looks again."""
        beside = self._file.with_suffix(f".{secrets.token_hex(8)}")
        try:
            make_folder(self._file.parent, levels=2)
            kept = {"tips": self._tips, "addresses": sorted(self._addresses)}
            beside.write_text(json.dumps(kept), encoding="utf-8")
            beside.replace(self._file)
        except OSError:
            return
