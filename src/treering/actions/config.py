"""config: treering's settings, which live in git's own configuration under `treering.`."""

from dataclasses import dataclass

from treering.actions.workspace import Workspace
from treering.capture.commits import CAPTURES
from treering.errors import Invalid
from treering.git import config as git_config
from treering.model.choices import ASK_POLICIES, TRANSCRIPT_USES
from treering.model.dates import duration
from treering.search.meaning.models import BUILT_IN


@dataclass(frozen=True, slots=True)
class KnownSetting:
    key: str
    default: str
    meaning: str


SETTINGS: dict[str, KnownSetting] = {
    setting.key: setting
    for setting in (
        KnownSetting(
            "trunk", "", "the branch that work lands on, first of several (empty: detected)"
        ),
        KnownSetting("fsync", "true", "sync to disk before a memory is acknowledged"),
        KnownSetting("remote", "", "the remote memories are shared through (empty: origin)"),
        KnownSetting("remoteprefix", "", "the ref prefix there (empty: refs/treering/clones)"),
        KnownSetting(
            "trustaddress", "false", "trust commits from elsewhere that carry your address"
        ),
        KnownSetting(
            "sync", "false", "share memories with `git push` and `git pull`: true, false or wait"
        ),
        KnownSetting("share", "branches", "what sync shares: branches (once pushed) or trunk"),
        KnownSetting(
            "semantic", "auto", "search by meaning: auto, off, table, or a model's folder"
        ),
        KnownSetting("synonyms", "", "a file in the work tree with groups of synonyms"),
        KnownSetting(
            "hookbudget", "1400", "characters a hook may show an agent at a time (0: none)"
        ),
        KnownSetting(
            "tell", "all", "what hooks may show agents: all, accepted (code landed) or own"
        ),
        KnownSetting(
            "guard.push", "off", "report what a push overrules: off, on, or block to refuse it"
        ),
        KnownSetting("tell.start", "on", "show agents context when a session starts: on or off"),
        KnownSetting(
            "tell.prompts", "first", "show agents what relates to a prompt: first, all or off"
        ),
        KnownSetting("tell.reads", "on", "show agents what binds the lines they read: on or off"),
        KnownSetting("tell.edits", "on", "show agents what binds the lines they edit: on or off"),
        KnownSetting("told", "true", "keep a record of what agents were shown"),
        KnownSetting("sessiongap", "4h", "a pause longer than this ends a session"),
        KnownSetting("capture", "sparing", "which commits hooks capture: sparing, all or none"),
        KnownSetting(
            "transcripts", "private", "summaries of agents' transcripts: private, shared or off"
        ),
        KnownSetting("ask", "off", "ask an agent to remember what it learned: off or once"),
        KnownSetting(
            "hub",
            "",
            "the hub: a folder or a postgresql:// URL (empty: your own)",
        ),
    )
}
#: Settings that are one of a few words.
_WORDS: dict[str, tuple[str, ...]] = {
    "capture": CAPTURES,
    "transcripts": TRANSCRIPT_USES,
    "ask": ASK_POLICIES,
    "share": ("branches", "trunk"),
    "sync": ("true", "false", "wait"),
    "tell": ("all", "accepted", "own"),
    "guard.push": ("off", "on", "block"),
    "tell.start": ("on", "off"),
    "tell.prompts": ("first", "all", "off"),
    "tell.reads": ("on", "off"),
    "tell.edits": ("on", "off"),
}
#: Settings whose values all count; of others the last one does, as in git.
_MULTIVALUED = ("trunk",)


@dataclass(frozen=True, slots=True)
class SettingValue:
    key: str
    value: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class SettingValues:
    settings: tuple[SettingValue, ...]


def config(
    workspace: Workspace, key: str = "", value: str = "", *, unset: bool = False
) -> SettingValues:
    """Show all settings or one; set it for this repository; or take the setting back.

    What names a server or a model of your own is set for all your repositories: in a repository
    that you were handed it would not count.
    """
    name = key.removeprefix("treering.").lower()
    if key and name not in SETTINGS:
        raise Invalid(
            f"There is no setting {key!r}.", hint="There are: " + ", ".join(SETTINGS) + "."
        )
    if unset and not key:
        raise Invalid("Which setting should be unset?")
    folder = workspace.repository.common_dir
    is_protected = name == "hub" or (name == "semantic" and value.lower() not in BUILT_IN)
    level: git_config.Level = "--global" if is_protected else "--local"
    if unset:
        git_config.unset(folder, f"treering.{name}", level=level)
        if name == "semantic":
            git_config.unset(folder, f"treering.{name}", level="--global")
    elif value:
        _check(name, value)
        git_config.put(folder, f"treering.{name}", value, level=level)
    if name == "sync" and (unset or value):
        from treering.actions.setup.hook_files import update_wait_hook  # hooks read settings, too

        if note := update_wait_hook(workspace.repository):
            raise Invalid(note, hint="The setting stands; see `treering sync --help`.")
    if name == "guard.push" and (unset or value):
        from treering.actions.setup.hook_files import update_push_notice

        update_push_notice(workspace.repository)
    chosen = [SETTINGS[name]] if key else SETTINGS.values()
    return SettingValues(tuple(_show(workspace, setting) for setting in chosen))


def _show(workspace: Workspace, setting: KnownSetting) -> SettingValue:
    values = workspace.repository.config_values(f"treering.{setting.key}")
    value = ", ".join(values) if setting.key in _MULTIVALUED else "".join(values[-1:])
    return SettingValue(setting.key, value or setting.default, setting.default, setting.meaning)


def _check(name: str, value: str) -> None:
    if "\n" in value:
        raise Invalid("A setting is one line.")
    if name in ("fsync", "told", "trustaddress") and value.lower() not in ("true", "false"):
        raise Invalid(f"{name} is true or false, not {value!r}.")
    if name == "hookbudget" and not value.isdecimal():
        raise Invalid(f"hookbudget is a number of characters, not {value!r}.")
    if name == "semantic":
        from treering.actions.searcher import refuse_unusable_model  # hooks read settings, too

        refuse_unusable_model(value)
    if name == "sessiongap":
        duration(value)
    if name in _WORDS and value.lower() not in _WORDS[name]:
        *others, last = _WORDS[name]
        raise Invalid(f"{name} is {', '.join(others)} or {last}, not {value!r}.")
