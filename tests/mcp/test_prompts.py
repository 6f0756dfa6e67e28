"""Saved prompts as the protocol's prompts."""

import pytest


@pytest.fixture
def saved(repo):
    repo.tr.prompts(
        "save",
        name="review-change",
        content="Review {{file}}{{#if focus}} for {{focus}}{{/if}}.",
        description="A careful look at one file.",
    )


def test_saved_prompts_are_listed_with_their_arguments(agent, saved):
    """A client shows them as commands to choose from."""

    async def story(it):
        return (await it.client.list_prompts()).prompts

    (prompt,) = agent(story)
    assert (prompt.name, prompt.description) == ("review-change", "A careful look at one file.")
    assert [(a.name, a.required) for a in prompt.arguments] == [("file", True), ("focus", False)]


def test_a_prompt_is_run_with_its_arguments(agent, saved):
    """The text is an instruction of the person who chose it."""

    async def story(it):
        return await it.client.get_prompt("review-change", {"file": "a.py", "focus": "{{races}}"})

    result = agent(story)
    (message,) = result.messages
    assert (message.role, message.content.text) == ("user", "Review a.py for {{races}}.")


def test_missing_argument_and_unknown_prompt_are_invalid_parameters(agent, saved):
    """Not an internal error: the client can say what to do."""

    async def story(it):
        missing = await it.refused(it.client.get_prompt("review-change", {}))
        unknown = await it.refused(it.client.get_prompt("no-such-prompt", {}))
        return missing, unknown

    missing, unknown = agent(story)
    assert (missing.code, unknown.code) == (-32602, -32602)
    assert "file" in missing.message


def test_what_was_saved_a_moment_ago_is_there(agent, repo):
    """Read from the store at each call, by whomever it was saved."""

    async def story(it):
        before = (await it.client.list_prompts()).prompts
        await it.answer("prompts", op="save", name="hello", content="Say hello.")
        repo.tr.prompts("save", name="bye", content="Say goodbye.")
        it.client._response_cache = None
        return before, [prompt.name for prompt in (await it.client.list_prompts()).prompts]

    before, after = agent(story)
    assert (before, after) == ([], ["bye", "hello"])


def test_templates_and_prompts_are_told_apart_by_the_tool(agent, repo):
    """A template renders memories, whose text is never looked at for braces again."""
    repo.tr.remember("Use {{braces}} with care", type="convention")

    async def story(it):
        await it.answer(
            "prompts",
            op="save",
            kind="template",
            name="digest",
            content="{{#each memories}}- {{title}}{{/each}}",
        )
        return await it.answer("prompts", op="render", name="digest", variables={})

    assert "- Use {{braces}} with care" in agent(story)["text"]
