"""treering hub: one question to every repository, and what it takes to answer it."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from treering.cli.group import join_outer, make_params, options
from treering.cli.run import stop_collecting_imports
from treering.cli.screen import count, format_date, table
from treering.errors import Invalid
from treering.verbs.hub import VERBS
from treering.verbs.verb import Verb

if TYPE_CHECKING:
    from treering.actions.hub.workspace import (
        HubStatus,
        RepositoryLine,
        RepositoryLines,
        UpdateRound,
    )
    from treering.cli.invocation import Invocation
    from treering.hub.hub import RepositoryHub, UpdateResult


@click.group("hub", params=options(), epilog="Example: treering hub add acme/api ../api")
@click.pass_context
def command(ctx: click.Context, repo: str | None, as_json: bool) -> None:
    """Search many repositories at once, with `recall --repos all`."""
    outer = ctx.obj or {}
    ctx.obj = {
        "repo": repo or outer.get("repo"),
        "as_json": as_json or outer.get("as_json", False),
    }


def _make(verb: Verb) -> click.Command:
    def run(repo: str | None, as_json: bool, hub: str, **words: Any) -> int:
        from treering.cli.invocation import name_invocation

        stop_collecting_imports()
        call = name_invocation(*join_outer(repo, as_json))
        opened = _open(call, hub)
        if verb.name in _RUNS:
            return _RUNS[verb.name](call, opened, **words)
        from treering.actions.hub import workspace as hub_actions

        act = getattr(hub_actions, _ACTIONS.get(verb.name, verb.name))
        call.answer(act(opened, **words), _RENDERERS[verb.name])
        return 0

    return click.Command(
        verb.name,
        params=[*make_params(verb), *options()],
        callback=run,
        help=f"{verb.summary}\n\n{verb.more}".strip(),
        epilog=f"Example: {verb.example}",
    )


def _open(call: "Invocation", named: str) -> "RepositoryHub":
    from treering.actions.hub.workspace import HubWorkspace
    from treering.cli.caller import read_hub

    setting = read_hub()
    return HubWorkspace.open(setting._replace(named=named or setting.named), call.repo).hub


# --- answers --------------------------------------------------------------------------------------


def _render_list(answer: "RepositoryLines") -> str:
    rows = [_row(line) for line in answer.repositories]
    return table(rows, indent="") if rows else "The hub has no repositories yet."


def _row(line: "RepositoryLine") -> tuple[str, ...]:
    when = format_date(line.updated) if line.updated else "never"
    state = f"failed: {line.error}" if line.error else "behind" if line.behind else ""
    return line.name, count(line.memories), when, state, line.url


def _render_status(answer: "HubStatus") -> str:
    lines = [f"hub  {answer.place} ({answer.kind})"]
    lines += [f"{count(len(answer.repos), 'repository')}, {count(answer.memories)}"]
    lines += [table([_row(line) for line in answer.repos], indent="  ")] if answer.repos else []
    tokens = [(token.name, ", ".join(token.repos)) for token in answer.tokens]
    lines += ["tokens", table(tokens, indent="  ")] if tokens else []
    return "\n".join(lines)


_RENDERERS: dict[str, Callable[[Any], str]] = {
    "add": lambda line: (
        f"added  {line.name}  {line.url}\n`treering hub update {line.name}` fetches its memories."
    ),
    "list": _render_list,
    "remove": lambda answer: f"removed  {answer.removed}",
    "status": _render_status,
    "grant": lambda answer: (
        f"{answer.token}\nThis token is shown only once. It can read {', '.join(answer.repos)}."
    ),
    "revoke": lambda answer: f"revoked  {answer.revoked}",
}
_ACTIONS = {"list": "list_repositories"}


# --- update ---------------------------------------------------------------------------------------


#: Seconds for one repository, the first update of a large one included.
UPDATE_SECONDS = 1800.0
#: Bytes of one file and of memory: what would be larger is not a repository of memories.
MAX_FILE, MAX_MEMORY = 4 * 1024**3, 4 * 1024**3
#: Repositories that are updated at once: most of the time of many is waiting for a network.
MAX_UPDATES = 4
#: Set for a process that updates one repository, and says with which limits.
_WORKER = "TREERING_HUB_WORKER"


def _run_update(
    call: "Invocation", hub: "RepositoryHub", names: tuple[str, ...], watch: str
) -> int:
    from treering.actions.hub.workspace import read_seconds, update

    if limits := os.environ.get(_WORKER):
        return _update_here(call, hub, names[0], limits)
    if watch:
        return _watch(call, hub, names, read_seconds(watch))
    answer = update(
        hub,
        names,
        partial(update_apart, hub.address),
        say=lambda result: call.say(_render_result(result)),
    )
    call.answer(answer, _render_round)
    return 1 if answer.repos and answer.failed == len(answer.repos) else 0


def _update_here(call: "Invocation", hub: "RepositoryHub", name: str, limits: str) -> int:
    """Update one repository in this process, which was started for it."""
    import resource

    largest, memory, seconds = map(int, limits.split())
    signal.alarm(seconds)  # should whoever started it be killed
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit is an error
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    call.answer(hub.update(name), _render_result)
    return 0


def update_apart(address: str, names: Sequence[str]) -> Iterator["UpdateResult"]:
    """Update repositories as `treering hub update NAME`, several at once, each in a process with
    limits: one that hangs, or is larger than any should be, costs its own turn and no other."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    processes: list[subprocess.Popen[str]] = []
    pool = ThreadPoolExecutor(MAX_UPDATES)
    try:
        for done in as_completed(
            [pool.submit(_update_one, address, name, processes) for name in names]
        ):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            _kill(process)
        pool.shutdown()


def _update_one(
    address: str, name: str, processes: list["subprocess.Popen[str]"]
) -> "UpdateResult":
    from treering.cli.caller import own_command
    from treering.hub.hub import UpdateResult

    limits = f"{MAX_FILE} {MAX_MEMORY} {math.ceil(2 * UPDATE_SECONDS)}"
    process = subprocess.Popen(
        own_command("hub", "update", "--json", "--", name),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TREERING_HUB": address, _WORKER: limits},
        start_new_session=True,  # git and ssh below it end with it
    )
    processes.append(process)
    try:
        out, err = process.communicate(timeout=UPDATE_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.communicate()
        message = f"It took more than {UPDATE_SECONDS:g} seconds."
        return UpdateResult(name, "failed", error=message)
    _kill(process)
    try:
        values = json.loads(out)
        return UpdateResult(**values | {"notes": tuple(values.get("notes") or ())})
    except (ValueError, TypeError):
        return UpdateResult(name, "failed", error=_explain(process.returncode, err))


def _kill(process: "subprocess.Popen[str]") -> None:
    """End a process with all that it started, or what it left behind."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _explain(code: int, err: str) -> str:
    """Return why a process said nothing."""
    if code < 0:
        return f"The update ended by signal {-code}."
    try:
        return str(json.loads(err)["error"]["message"])
    except (ValueError, TypeError, KeyError):
        return f"The update ended with exit code {code}."


def _watch(call: "Invocation", hub: "RepositoryHub", names: tuple[str, ...], seconds: float) -> int:
    """Until it is told to end; a round is a line of JSON for programs."""
    from treering.actions.hub.workspace import watch
    from treering.text.values import jsonable, strip_control_characters

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for answer in watch(hub, names, partial(update_apart, hub.address), seconds):
        if call.as_json:
            click.echo(json.dumps(jsonable(answer), ensure_ascii=False))
        else:
            for result in answer.repos:
                if result.status != "unchanged":
                    click.echo(_render_result(strip_control_characters(result)))
    return 0


def _render_result(result: "UpdateResult") -> str:
    more = f"  {result.error}" if result.error else f"  {count(result.memories)}"
    notes = "".join(f"\n  {note}" for note in result.notes)
    return f"{result.status:<9}  {result.name}{more}{notes}"


def _render_round(answer: "UpdateRound") -> str:
    if not answer.repos:
        return "The hub has no repositories yet. `treering hub add NAME URL` adds one."
    failed = f", {answer.failed} failed" if answer.failed else ""
    return f"{len(answer.repos)} checked, {answer.updated} updated{failed}"


# --- serve ----------------------------------------------------------------------------------------


def _run_serve(call: "Invocation", hub: "RepositoryHub", http: str, hosts: tuple[str, ...]) -> int:  # noqa: ARG001
    if not http:
        raise Invalid("No address to listen on.", hint="Give --http PORT.")
    from treering.mcp.hub_server import serve_hub

    serve_hub(hub, http, hosts, lambda url: click.echo(f"serving {url}", err=True))
    return 0


_RUNS: dict[str, Callable[..., int]] = {"update": _run_update, "serve": _run_serve}

for _verb in VERBS:
    command.add_command(_make(_verb))
