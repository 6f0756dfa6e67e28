"""Saved prompts as the protocol's prompts, read from the store at each call: what was saved a
moment ago, here or by someone else, is there.

A prompt is an instruction, chosen by the person who runs it, so it is not fenced; memories that a
template puts into it are.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace


def _prompts(workspace: "Workspace", op: str, **options: Any) -> Any:
    from treering.actions.prompts.prompts import (
        prompts,  # at the first call, not before the handshake
    )

    return prompts(workspace, op, kind="prompt", **options)


def list_prompts(workspace: "Workspace") -> dict[str, Any]:
    """Each name once: the user's own before the project's, as running it would find them."""
    items = sorted(_prompts(workspace, "list")["prompts"], key=lambda item: item["domain"])
    by_name = {item["name"]: _offer(item) for item in items}  # "user" comes last, and stays
    return {"prompts": [by_name[name] for name in sorted(by_name)]}


def _offer(item: dict[str, Any]) -> dict[str, Any]:
    from treering.text.flags import unless_flagged

    required = [{"name": name, "required": True} for name in item["variables"]]
    optional = [{"name": name, "required": False} for name in item.get("optional", [])]
    # Clients list prompts by themselves; what one says is read by whoever runs it.
    description = unless_flagged(item["description"], "") or "A saved prompt."
    return {
        "name": item["name"],
        "description": description,
        "arguments": [*required, *optional],
    }


def run(workspace: "Workspace", name: str, variables: dict[str, str]) -> dict[str, Any]:
    """What the prompt is for, and what it says, after what has to be said about it: few clients
    show a description, all show the messages."""
    prompt = _prompts(workspace, "get", name=name)
    result = _prompts(workspace, "run", name=name, variables=variables)
    warnings = [f"Warning from treering: {warning}" for warning in result.get("warnings", [])]
    return {
        "description": " ".join([prompt["description"], *warnings]).strip(),
        "messages": [
            {"role": "user", "content": {"type": "text", "text": text}}
            for text in (*warnings, result["text"])
        ],
    }
