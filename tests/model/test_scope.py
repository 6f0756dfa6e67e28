"""Scope names: any branch git allows, there and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.model.scope import Scope, escape, unescape


@pytest.mark.parametrize(
    ("branch", "component"),
    [
        ("main", "main"),
        ("feature/x", "feature%2Fx"),
        ("100%", "100%25"),
        ("a%2Fb", "a%252Fb"),
        ("@abc", "@abc"),
        ("日本/é", "日本%2Fé"),
    ],
)
def test_branch_names_are_escaped_reversibly(branch: str, component: str) -> None:
    """`a` and `a/b` must both fit, so a name is one component."""
    assert escape(branch) == component
    assert unescape(component) == branch


@given(st.text(min_size=1, max_size=60))
def test_escaping_is_reversible_for_any_text(branch: str) -> None:
    """No two branches may share a scope."""
    if len(escape(branch).encode()) <= 200 and "%+" not in escape(branch):
        assert unescape(escape(branch)) == branch


def test_a_long_name_is_cut_and_marked_by_its_hash() -> None:
    """git adds .lock to a component of at most 255 bytes."""
    branch = "feature/" + "é" * 120

    component = escape(branch)

    assert len(component.encode()) <= 178
    assert component[-18:-16] == "%+"
    assert unescape(component) is None
    assert Scope.of_component(component, branch) == Scope(branch)
    assert Scope.of_component(component, "another") is None


def test_a_cut_never_splits_an_escape() -> None:
    """Half an escape would read as another name."""
    for n in range(150, 160):
        head = escape("x" * n + "/" * 60).partition("%+")[0]
        assert head.removeprefix("x" * n).replace("%2F", "") == ""


def test_a_detached_scope_is_no_branch() -> None:
    """A branch may be called @..., and must not fall together with a detached commit."""
    detached = Scope.detached_at("9fceb02d0ae598e95dc970b74767f19372d61af8")

    assert detached.branch == "@9fceb02d0ae5"
    assert detached.component == "%409fceb02d0ae5"
    assert Scope("@9fceb02d0ae5").component == "@9fceb02d0ae5"
    assert Scope.of_component("%409fceb02d0ae5") == detached
    assert Scope.of_component("%40nonsense") is None
