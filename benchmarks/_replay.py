"""Real branches, landed again in ways that are known: what a judge of landings is tried on.

A history is a bare clone of some public repository. Its true merges are replayed onto the trunk as
it was, as a squash, a rebase, a squash that the merger touched up, or not at all. Where it has the
heads of pull requests (`refs/pull/N/head`) their real squashes are taken as they are. Everything is
written to a scratch repository that borrows the history's objects.
"""

import json
import random
import re
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pygit2

from benchmarks._bench import git

SEED = 20_260_815
LATER = 300  # trunk commits after the landing
FEWEST_LATER = 100
NEWEST = 4_000  # trunk commits to choose from
MOST_OWN = 40  # commits of a branch
_NUMBER = re.compile(r"\(#(\d+)\)$")
_WORD = re.compile(rb"[A-Za-z]{4,}")
_WHO = pygit2.Signature("Ada Lovelace", "ada@example.org", 1_700_000_000, 0)

#: The rows of the table, and whether the branch has landed; None where nobody can tell.
KINDS: dict[str, bool | None] = {
    "squash": True,
    "rebase": True,
    "squash + changelog line": True,
    "one behind": True,
    "two behind": True,
    "one word reworded": True,
    "formatted": True,
    "conflicts resolved by hand": True,
    "real squash": True,
    "really behind": True,
    "half landed": False,
    "landed + one more commit": False,
    "never landed": False,
    "not landed yet": False,
    "in no message of the trunk": None,
}


class Case(NamedTuple):
    """A branch, a trunk, and what became of the one in the other."""

    kind: str
    tip: str
    target: str
    is_later: bool


class TrueMerge(NamedTuple):
    """A merge of the trunk: its first parent, and the branch from its first commit on."""

    commit: Any
    before: Any
    chain: list[Any]  # along first parents, oldest first
    fork: Any
    is_clean: bool


class Later(NamedTuple):
    """A trunk that went on after a landing, still to be written."""

    kind: str
    tip: str
    landed_as: str
    merge: TrueMerge
    tree: str


class Replay:
    """One history, and the cases made from it."""

    def __init__(self, history: Path, scratch: Path, merges: int, pulls: int) -> None:
        self._merges, self._pulls = merges, pulls
        self._choose = random.Random(f"{SEED} {history.name}")
        self.path = scratch / history.name
        if not self.path.exists():
            git(scratch, "init", "-q", "--bare", "-b", "main", str(self.path))
            objects = self.path / "objects" / "info" / "alternates"
            objects.write_text(f"{history.resolve() / 'objects'}\n", encoding="utf-8")
        self._history = history
        self._repo = pygit2.Repository(str(self.path))
        self._waiting: list[Later] = []
        self._cases: list[Case] = []

    def cases(self) -> list[Case]:
        """Made once for a scratch folder, and read again later."""
        written = self.path / "cases.json"
        if not written.exists():
            self._make()
            written.write_text(json.dumps(self._cases), encoding="utf-8")
        return [Case(*case) for case in json.loads(written.read_text(encoding="utf-8"))]

    def _make(self) -> None:
        self._line = git(
            self._history, "rev-list", "--first-parent", f"-{NEWEST}", "HEAD"
        ).decode().split()  # fmt: skip
        self._heights = {commit: len(self._line) - at for at, commit in enumerate(self._line)}
        merges = [c for c in self._line[10:] if len(self._repo[c].parent_ids) == 2]
        self._choose.shuffle(merges)
        clean = resolved = 0
        for commit in merges[: 40 * self._merges]:
            if clean >= self._merges and resolved >= self._merges // 2:
                break
            if (merge := self._look_at(commit)) is None:
                continue
            if merge.is_clean and clean < self._merges:
                clean += 1
                self._replay(merge)
            elif not merge.is_clean and resolved < self._merges // 2:
                resolved += 1
                self._land("conflicts resolved by hand", merge, merge.commit.tree_id)
        self._take_pulls()
        self._write_later()

    # --- true merges ------------------------------------------------------------------------------

    def _look_at(self, commit: str) -> TrueMerge | None:
        merge = self._repo[commit]
        before, tip = merge.parents
        base = self._repo.merge_base(before.id, tip.id)
        own = git(self.path, "rev-list", f"-{MOST_OWN + 1}", f"{before.id}..{tip.id}").split()
        if base is None or not 1 <= len(own) <= MOST_OWN or merge.tree_id == before.tree_id:
            return None
        held = {one.decode() for one in own}
        chain, at = [], tip
        while str(at.id) in held:
            chain.append(at)
            if not at.parents:
                return None
            at = at.parents[0]
        tree = self._merge(self._repo[base].tree, before.tree, tip.tree)
        return TrueMerge(merge, before, chain[::-1], self._repo[base], tree == merge.tree_id)

    def _replay(self, merge: TrueMerge) -> None:
        tree = merge.commit.tree_id
        tip = str(merge.chain[-1].id)
        self._land("squash", merge, tree)
        self._land("rebase", merge, *self._pick(merge))
        self._land("squash + changelog line", merge, self._note(merge))
        for behind, kind in ((1, "one behind"), (2, "two behind")):
            if len(merge.chain) > behind and self._adds(merge.fork, merge.chain[-1 - behind]):
                self._land(kind, merge, tree, tip=str(merge.chain[-1 - behind].id))
        self._land("one word reworded", merge, self._edit(merge, self._reword, most=1))
        self._land("formatted", merge, self._edit(merge, _reformat))
        for kind, part in (
            ("half landed", merge.chain[: len(merge.chain) // 2]),
            ("landed + one more commit", merge.chain[:-1]),
        ):
            if part and self._adds(part[-1], merge.chain[-1]) and self._adds(merge.fork, part[-1]):
                some = self._merge(merge.fork.tree, merge.before.tree, part[-1].tree)
                rest = merge.chain[len(part) :]
                if some and all(len(commit.parent_ids) == 1 for commit in rest):
                    self._land(kind, merge, some)
        self._cases.append(Case("never landed", tip, str(merge.before.id), False))
        self._waiting.append(
            Later("never landed", tip, str(merge.before.id), merge, str(merge.before.tree_id))
        )

    def _land(self, kind: str, merge: TrueMerge, *trees: Any, tip: str = "") -> None:
        """Trunk commits with these trees on top of what the merge was made on."""
        if not trees or not all(trees) or trees[0] == merge.before.tree_id:
            return
        at = merge.before.id
        for tree in trees:
            at = self._repo.create_commit(None, _WHO, _WHO, kind, tree, [at])
        tip = tip or str(merge.chain[-1].id)
        self._cases.append(Case(kind, tip, str(at), False))
        self._waiting.append(Later(kind, tip, str(at), merge, str(trees[-1])))

    def _adds(self, old: Any, new: Any) -> bool:
        return bool(old.tree_id != new.tree_id)

    def _merge(self, base: Any, ours: Any, theirs: Any) -> Any:
        index = self._repo.merge_trees(base, ours, theirs)
        return None if index.conflicts else index.write_tree(self._repo)

    def _pick(self, merge: TrueMerge) -> list[Any]:
        trees: list[Any] = [merge.before.tree_id]
        for commit in merge.chain:
            if len(commit.parents) != 1:
                return []
            made = self._merge(commit.parents[0].tree, self._repo[trees[-1]], commit.tree)
            if made is None:
                return []
            trees += [made] if made != trees[-1] else []
        return trees[1:]

    def _note(self, merge: TrueMerge) -> Any:
        """The merge, and a line in a changelog or some other text that it leaves alone."""
        touched = {path for path, _, _ in self._differences(merge.before.tree, merge.commit.tree)}
        names = [
            entry.name
            for entry in merge.commit.tree
            if entry.type_str == "blob" and entry.name not in touched
        ]
        names.sort(key=lambda name: (not re.match(r"(?i)change|news|history", name), name))
        if not names:
            return None
        blob = self._repo[merge.commit.tree[names[0]].id].data
        lines = blob.split(b"\n")
        text = b"\n".join([*lines[:3], b"- Something was done by somebody.", *lines[3:]])
        return self._replace(merge.commit.tree_id, {names[0]: self._repo.create_blob(text)})

    def _edit(
        self, merge: TrueMerge, change: Callable[[bytes, bytes], bytes | None], most: int = 50
    ) -> Any:
        """The merge with files that it touched changed once more."""
        new: dict[str, Any] = {}
        for path, old, now in self._differences(merge.before.tree, merge.commit.tree):
            if now and len(new) < most:
                text = self._repo[now].data
                before = self._repo[old].data if old else b""
                made = None if b"\0" in text else change(before, text)
                if made not in (None, text):
                    new[path] = self._repo.create_blob(made)
        return self._replace(merge.commit.tree_id, new) if new else None

    def _reword(self, before: bytes, after: bytes) -> bytes | None:
        old, lines = set(before.split(b"\n")), after.split(b"\n")
        added = [at for at, line in enumerate(lines) if line not in old and _WORD.search(line)]
        if not added:
            return None
        at = self._choose.choice(added)
        lines[at] = _WORD.sub(b"reworded", lines[at], count=1)
        return b"\n".join(lines)

    def _differences(self, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
        """Path and blobs of every file that differs, without links and modules."""
        found = []
        for delta in old.diff_to_tree(new).deltas:
            sides = (delta.old_file, delta.new_file)
            if all(side.mode in (0, 0o100644, 0o100755) for side in sides):
                ids = [side.id if side.mode else None for side in sides]
                found.append((delta.new_file.path or delta.old_file.path, *ids))
        return found

    def _replace(self, tree: Any, blobs: dict[str, Any]) -> Any:
        index = pygit2.Index()
        index.read_tree(self._repo[tree])
        for path, blob in blobs.items():
            index.add(pygit2.IndexEntry(path, blob, 0o100644))
        return index.write_tree(self._repo)

    # --- the trunk goes on ------------------------------------------------------------------------

    def _write_later(self) -> None:
        """Every trunk in one stream, so that git writes one pack and not a file a commit."""
        if not self._waiting:
            return
        marks = self.path / "marks"
        stream, ends = [], {}
        mark = 0
        for late in self._waiting:
            at = late.landed_as
            lines = list(self._follow(late))
            if len(lines) < FEWEST_LATER:
                continue
            for number, (tree, files) in enumerate(lines):
                mark += 1
                stream.append(f"commit refs/late\nmark :{mark}\n")
                stream.append(f"committer A <a@b> {1_700_000_000 + number} +0000\ndata 0\n")
                stream.append(f'from {at}\nM 040000 {tree} ""\n')
                stream += [
                    f"M 100644 {blob} {json.dumps(path)}\n" if blob else f"D {json.dumps(path)}\n"
                    for path, blob in files
                ]
                at = f":{mark}"
            ends[mark] = late
        feed = "".join(stream).encode()
        git(
            self.path, "fast-import", "--quiet", "--force", f"--export-marks={marks}", feed=feed
        )  # fmt: skip
        ids = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
        self._cases += [
            Case(late.kind, late.tip, ids[f":{mark}"], True) for mark, late in ends.items()
        ]

    def _follow(self, late: Later) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
        """Trees and files of the real trunk after the merge; its own merges became squashes.

        What the landing had otherwise than the merge stays so. The trunk's own edits of these files
        are put on top where they go together, and left out where they do not.
        """
        start = self._line.index(str(late.merge.commit.id))
        after = self._line[max(0, start - LATER) : start][::-1]
        if not after:
            return
        differing = self._differences(late.merge.commit.tree, self._repo[late.tree])
        if len(differing) > 60:
            return
        merged: dict[tuple[str, str], Any] = {}
        for commit in after:
            here = self._repo[commit]
            files = []
            for path, old, new in differing:
                now = _blob(here.tree, path)
                if now != old:
                    key = (path, str(now))
                    if key not in merged:
                        merged[key] = self._merge_file(old, new, now)
                    files.append((path, merged[key]))
                else:
                    files.append((path, new))
            yield str(here.tree_id), files

    def _merge_file(self, base: Any, ours: Any, theirs: Any) -> Any:
        """The blob of both changes of a file; where they do not go together, that of ours."""
        if not (base and ours and theirs):
            return ours
        sides = [pygit2.IndexEntry("file", side, 0o100644) for side in (base, ours, theirs)]
        try:
            made = self._repo.merge_file_from_index(*sides, use_deprecated=False)
        except UnicodeDecodeError:  # pygit2 reads every file as UTF-8
            return ours
        return self._repo.create_blob(made.contents.encode()) if made.automergeable else ours

    # --- pull requests ----------------------------------------------------------------------------

    def _take_pulls(self) -> None:
        listed = git(
            self._history, "for-each-ref", "--format=%(refname) %(objectname)", "refs/pull/*/head"
        )
        heads = {
            line.split()[0].split("/")[2]: line.split()[1] for line in listed.decode().splitlines()
        }
        subjects = git(
            self._history, "log", "--first-parent", "--no-merges", f"-{NEWEST}", "--format=%H %s"
        ).decode(errors="replace")  # fmt: skip
        squashes = []
        for line in subjects.splitlines():
            commit, _, subject = line.partition(" ")
            if (found := _NUMBER.search(subject)) and found[1] in heads:
                squashes.append((commit, heads[found[1]]))
        self._choose.shuffle(squashes)
        taken = behind = 0
        for commit, head in squashes[: 60 * self._pulls]:
            own = self._own_of(commit, head)
            if own and taken < self._pulls:
                taken += 1
                self._judge_at("real squash", head, commit)
                self._cases.append(Case("not landed yet", head, f"{commit}^", False))
            if own and behind < self._pulls and (last := self._last_by_author(own)):
                behind += 1
                self._judge_at("really behind", last, commit)
        self._take_unnamed(heads)

    def _own_of(self, commit: str, head: str) -> list[Any]:
        """The commits of a pull request along first parents, newest first; [] when unfit."""
        try:
            listed = git(
                self.path, "rev-list", "--first-parent", f"-{MOST_OWN + 1}", f"{commit}^..{head}"
            ).decode().split()  # fmt: skip
            own = [self._repo[one] for one in listed]
        except (KeyError, ValueError, subprocess.CalledProcessError):
            return []
        if not 1 <= len(own) <= MOST_OWN:
            return []
        return own if self._repo[commit].tree_id != self._repo[commit].parents[0].tree_id else []

    def _last_by_author(self, own: Sequence[Any]) -> str:
        """The last commit that the one who began it had at home, if others went on."""
        author = own[-1].author.email
        for at, commit in enumerate(own):
            if commit.author.email == author and commit.committer.email != "noreply@github.com":
                has_work = any(len(one.parent_ids) == 1 for one in own[at:])
                return str(commit.id) if at and has_work else ""
        return ""

    def _judge_at(self, kind: str, tip: str, landed_as: str) -> None:
        self._cases.append(Case(kind, tip, landed_as, False))
        height = self._heights.get(landed_as, 0)
        if height and height + LATER <= len(self._line):
            late = self._line[len(self._line) - height - LATER]
            self._cases.append(Case(kind, tip, late, True))

    def _take_unnamed(self, heads: dict[str, str]) -> None:
        """Pull requests that no message of the trunk names: most were never merged."""
        told = git(self._history, "log", "--format=%B", "HEAD").decode(errors="replace")
        named = set(re.findall(r"#(\d+)", told)) | set(re.findall(r"pull/(\d+)", told))
        recent = sorted(int(number) for number in heads if number not in named)[-800:]
        self._choose.shuffle(recent)
        taken = 0
        for number in recent:
            head = heads[str(number)]
            own = git(
                self.path, "rev-list", f"-{MOST_OWN + 1}", head, "--not", self._line[0]
            ).split()
            if 1 <= len(own) <= MOST_OWN and taken < self._pulls:
                taken += 1
                self._cases.append(Case("in no message of the trunk", head, self._line[0], False))


def _blob(tree: Any, path: str) -> Any:
    try:
        return tree[path].id
    except KeyError:
        return None


def _reformat(_: bytes, text: bytes) -> bytes:
    """As formatters do: other quotes and indentation, no blanks at ends, long lines wrapped."""
    lines = []
    for line in text.split(b"\n"):
        body = line.strip()
        indent = line[: len(line) - len(line.lstrip())].replace(b"\t", b"    ") * 2
        if body.count(b"'") % 2 == 0 and b'"' not in body:
            body = body.replace(b"'", b'"')
        cut = body.rfind(b", ", 0, 70)
        if len(body) > 80 and cut > 20:
            lines += [indent + body[: cut + 1], indent + b"    " + body[cut + 2 :]]
        else:
            lines.append(indent + body if body else b"")
    return b"\n".join(lines)


def list_histories(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "objects").is_dir())


def halves(histories: Sequence[Path]) -> dict[str, list[Path]]:
    """By a hash of their names: one half to tune on, the other to report."""
    import hashlib

    order = sorted(histories, key=lambda path: hashlib.sha256(path.stem.encode()).digest())
    middle = (len(order) + 1) // 2
    return {"tuning": order[:middle], "reporting": order[middle:]}


def cpu() -> float:
    """Processor seconds of this process and of those it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
