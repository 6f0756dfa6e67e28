"""The Python door: `Treering.open(path)`, and the verbs as methods.

A `Treering` has a workspace and shows nothing of it: what stands here is all there is to rely on.
The answers are typed. Their classes are in `treering.answers`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from treering import answers
from treering.actions.backfill import backfill
from treering.actions.config import config
from treering.actions.context.context import context
from treering.actions.diff import diff
from treering.actions.doctor.doctor import doctor
from treering.actions.driver import drain
from treering.actions.export import export_markdown, export_records
from treering.actions.forget import forget
from treering.actions.gc import gc, promote_by_hand
from treering.actions.guard import guard
from treering.actions.imports.imports import import_path
from treering.actions.link import link
from treering.actions.log import log
from treering.actions.read import read
from treering.actions.recall import recall
from treering.actions.redact import redact
from treering.actions.reindex import reindex
from treering.actions.remember import remember
from treering.actions.restore import restore
from treering.actions.revert import revert
from treering.actions.revise import revise
from treering.actions.setup.init import init, uninstall
from treering.actions.sync import sync
from treering.actions.tidying.links import infer_links, prune_links
from treering.actions.tidying.review import review
from treering.actions.why.why import why
from treering.actions.workspace import Workspace
from treering.clock import Clock, wall_clock
from treering.git.objects import Person
from treering.hub.place import HubSetting
from treering.methods import offer
from treering.operations import Operations

__all__ = ["Treering"]


class Treering(Operations):
    """The memories of one repository, seen from the branch that is checked out at each call.

    >>> tr = Treering.open(".")
    >>> tr.remember("Use WAL mode: readers never block", type="decision").title
    'Use WAL mode: readers never block'
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        agent: str = "",
        person: Person | None = None,
        clock: Clock = wall_clock,
        cache: Path | None = None,
        user_folder: Path | None = None,
        hub: str | Path = "",
    ) -> "Treering":
        """Open the repository that holds `path`.

        `agent` and `person`, a `treering.Person`, are named as the authors of what is written;
        without a person it is git's own user. `cache` is a folder to use where the repository
        cannot be written, and `user_folder` the one with the user's own prompts. `hub` is the place
        that `repos` are looked for in; without one it is `treering.hub` of git's configuration.

        >>> tr = Treering.open(".", agent="reviewer")
        >>> tr.read(tr.remember("Reviews wait for the tests").id).agent
        'reviewer'
        """
        workspace = Workspace.open(
            path,
            agent=agent,
            person=person,
            clock=clock,
            cache=cache,
            user_folder=user_folder,
            hub=HubSetting(str(hub), cache=cache),
        )
        return cls(workspace)

    # --- memories ---------------------------------------------------------------------------------

    remember = offer(
        remember,
        """Store a memory. Its type is classified if none is given.

        The same text twice is one memory: the answer says `duplicate`, and nothing is written.

        >>> made = tr.remember("Use WAL mode: readers never block", tags=["db"])
        >>> made.type, made.branch
        ('decision', 'main')
        """,
    )
    recall = offer(
        recall,
        """Search what is visible here. Without a query, list it, newest first.

        >>> made = tr.remember("Use WAL mode: readers never block", tags=["db"])
        >>> [result.title for result in tr.recall("readers", tags=["db"]).results]
        ['Use WAL mode: readers never block']
        """,
    )
    read = offer(
        read,
        """Read a whole memory, by its id or a prefix of 4 characters or more.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.read(made.id[:6]).content
        'Use WAL mode: readers never block'
        """,
    )
    revise = offer(
        revise,
        """Change parts of a memory. What is not given stays.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.revise(made.id, outcome="success", tags_add=["db"]).changed
        ('tags', 'outcome')
        """,
    )
    review = offer(
        review,
        """List what is doubtful, with the reasons, and note what a person keeps all the same.

        >>> made = tr.remember("Perhaps use WAL mode", confidence=0.3)
        >>> [doubt.reason for doubt in tr.review().items[0].reasons]
        ['low-confidence']
        >>> tr.review(keep=[made.id]).total
        0
        """,
    )
    forget = offer(
        forget,
        """Hide memories, or bring them back. History keeps them.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.forget([made.id]).forgotten == (made.id,)
        True
        >>> tr.forget([made.id], restore=True).restored == (made.id,)
        True
        """,
    )
    link = offer(
        link,
        """Link one memory to another, strengthen their link, or remove it.

        >>> one = tr.remember("Use WAL mode: readers never block")
        >>> two = tr.remember("The report reads while orders are written")
        >>> tr.link(two.id, one.id, relation="depends_on").created
        True
        """,
    )
    log = offer(
        log,
        """List what happened to memories, newest first, or to one of them.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> [entry.op for entry in tr.log(made.id).entries]
        ['remember']
        """,
    )
    why = offer(
        why,
        """Tell why lines of code are there: who wrote them, and the memories that explain them.

        `path` may end with a line or lines, as in `src/db.py:40-60`; `at` is a revision.

        >>> made = tr.remember("The readme is short on purpose", files=["README.md"])
        >>> found = tr.why("README.md:1")
        >>> [memory.title for memory in found.memories], found.lines[0].subject
        (['The readme is short on purpose'], 'add README.md')
        """,
    )
    diff = offer(
        diff,
        """Tell what branch B knows that branch A does not, for a range `A..B`.

        >>> tr.diff("main..main").added
        ()
        """,
    )
    guard = offer(
        guard,
        """Name the decisions whose lines a change takes away, for a range `A..B` or what is staged.

        >>> tr.guard("main..HEAD").findings
        ()
        """,
    )
    revert = offer(
        revert,
        """Make a memory what it was before its last change, or at a commit of its history.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> changed = tr.revise(made.id, tags_add=["db"])
        >>> tr.revert(made.id).changed
        ('tags',)
        """,
    )
    redact = offer(
        redact,
        """Take a memory's text out of all history, for good.

        >>> made = tr.remember("The staging server is 10.0.0.7")
        >>> tr.redact(made.id, dry_run=True).versions
        1
        """,
    )

    # --- memories taken together ------------------------------------------------------------------

    infer_links = offer(
        infer_links,
        """Find links between stored memories. Without `dry_run`, make them.

        >>> tr.infer_links().links
        ()
        """,
    )
    prune_links = offer(
        prune_links,
        """Find links with little confidence left. Without `dry_run`, remove them.

        >>> tr.prune_links().total
        0
        """,
    )

    def context(
        self,
        *,
        task: str = "",
        files: Sequence[str] = (),
        recent_files: Sequence[str] = (),
        budget: int = 2000,
        template: str = "",
        branch: str = "",
    ) -> answers.ContextAnswer:
        """Tell what matters now for a task and its files, in a text of at most `budget` characters.

        >>> made = tr.remember("Use WAL mode: readers never block", files=["db.py"])
        >>> [entry["title"] for entry in tr.context(files=["db.py"])["high"]]
        ['Use WAL mode: readers never block']
        """
        return context(
            self._workspace, task=task, files=files, recent_files=recent_files, budget=budget,
            template=template, branch=branch,
        )  # fmt: skip

    # --- many at once -----------------------------------------------------------------------------

    def exported(
        self, *, branch: str = "", all: bool = False, private: bool = False
    ) -> Iterator[answers.ExportedMemory]:
        """Give one mapping a memory, as `treering export` writes them.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> [memory["title"] for memory in tr.exported()]
        ['Use WAL mode: readers never block']
        """
        return export_records(self._workspace, branch=branch, all=all, private=private)

    export_markdown = offer(
        export_markdown,
        """Write memories as markdown files below a folder, and return how many.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.export_markdown(folder)
        1
        """,
    )
    import_path = offer(
        import_path,
        """Import a file, a folder, or another system's store.

        >>> written = (folder / "notes.jsonl").write_text('{"content": "Use WAL mode"}')
        >>> tr.import_path(folder / "notes.jsonl").imported
        1
        """,
    )
    backfill = offer(
        backfill,
        """Capture commits made before there were hooks.

        >>> tr.backfill(since="90d").captured
        2
        """,
    )
    drain = offer(
        drain,
        """Take in what git hooks noted, and let memories follow their branches, as the worker does.

        >>> tr.drain().pending
        0
        """,
    )

    # --- branches and remotes ---------------------------------------------------------------------

    gc = offer(
        gc,
        """Let memories follow their branches: promote what landed, trash what was thrown away.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> [(line.branch, line.verdict) for line in tr.gc(dry_run=True).plan]
        [('main', 'live')]
        """,
    )
    promote = offer(
        promote_by_hand,
        """Put a branch's memories into another branch's now, even if its code has not landed.

        >>> made = tr.remember("Threads made it slower", branch="try")
        >>> tr.promote("try").into
        'main'
        """,
    )
    restore = offer(
        restore,
        """Bring the dropped memories of a branch back.

        >>> tr.restore("gone").memories
        1
        """,
    )
    sync = offer(
        sync,
        """Share memories through a git remote: fetch, merge, push.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.sync(remote="origin").pushed
        1
        """,
    )

    # --- the store itself -------------------------------------------------------------------------

    config = offer(
        config,
        """Show settings, or change one.

        >>> [setting.value for setting in tr.config("capture", "all").settings]
        ['all']
        """,
    )
    doctor = offer(
        doctor,
        """Check everything treering wrote, and repair what is safe.

        >>> tr.doctor(dry_run=True).ok
        True
        """,
    )
    reindex = offer(
        reindex,
        """Rebuild the search index.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.reindex().indexed
        1
        """,
    )
    init = offer(
        init,
        """Set up git hooks, fetches and agents' clients for treering.

        >>> "post-commit" in tr.init(dry_run=True).hooks
        True
        """,
    )
    uninstall = offer(
        uninstall,
        """Take back what `init` added. Memories stay.

        >>> tr.uninstall(dry_run=True).hooks
        ()
        """,
    )
