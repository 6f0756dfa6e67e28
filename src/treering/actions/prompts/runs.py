"""Which version of each of the project's prompts was last run here, and what to tell before one is
run that someone else wrote or changed since.

A prompt is an order to an agent, taken from a branch to which others push.
"""

from treering.actions.origin import YOU, name_people, origin_of
from treering.actions.prompts.store import SavedPrompt
from treering.actions.workspace import Workspace
from treering.model.provenance import SOMEONE, Contributor

_MOST = 1_000
_FILE = "prompts.json"


class PromptRuns:
    """The versions last run, by prompt: a small file that may be lost at the cost of a warning."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def note(self, entry: SavedPrompt) -> None:
        """The user knows this version by now."""
        runs = self._load()
        if entry.domain == "project" and runs.get(_key(entry)) != entry.version:
            runs.pop(_key(entry), None)
            runs[_key(entry)] = entry.version
            self._workspace.state.write_json(_FILE, dict(list(runs.items())[-_MOST:]))

    def warnings(self, entry: SavedPrompt) -> list[str]:
        """What to tell about a version before it is run."""
        people = writers_of(self._workspace, entry)
        last = self._load().get(_key(entry), "")
        if not people or last == entry.version or origin_of(self._workspace, people) == YOU:
            return []
        others = [person for person in people if origin_of(self._workspace, [person]) != YOU]
        who = " and ".join(name_people(others)) or "Someone"
        name = f"the project's {entry.prompt.kind} {entry.prompt.name}"
        if last:
            return [f"{who} changed {name} since you last ran it: read it first."]
        return [f"{who} wrote {name}, and you have not run it before: read it first."]

    def _load(self) -> dict[str, str]:
        versions = self._workspace.state.read_json(_FILE)
        if not isinstance(versions, dict):
            return {}
        return {str(key): str(version) for key, version in versions.items()}


def writers_of(workspace: Workspace, entry: SavedPrompt) -> tuple[Contributor, ...]:
    """Those whose words a project's prompt holds, the creator first; nobody for the user's own."""
    if entry.domain == "user":
        return ()
    version = workspace.ledger.version(entry.version)
    return version.people if version else (SOMEONE,)


def owner_of(workspace: Workspace, entry: SavedPrompt) -> str:
    """Whose a prompt is, as its commits tell."""
    people = writers_of(workspace, entry)
    return next(iter(name_people(people[:1])), "unknown") if people else YOU


def _key(entry: SavedPrompt) -> str:
    return f"{entry.prompt.kind}s/{entry.prompt.name}"
