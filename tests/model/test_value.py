"""Our data classes and named tuples are what the standard library's are, to whoever uses them."""

import copy
import dataclasses
import pickle
import typing
from collections.abc import Mapping
from typing import Any

import pytest

from treering.model.value import NamedTuple, dataclass, field, field_names, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A value."""

    x: int
    y: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.x + self.y


@dataclass(slots=True)
class Counter:
    count: int = 0


def test_a_value_is_made_compared_and_shown_by_its_fields() -> None:
    point = Point(1, y=2)

    assert point == Point(1, 2, {})
    assert point != Point(1, 3)
    assert point != (1, 2, {})
    assert repr(point) == "Point(x=1, y=2, more={})"
    assert point.total == 3
    assert Point.__doc__ == "A value."
    assert len({Point(1, more=()), Point(1, more=())}) == 1  # type: ignore[arg-type]


def test_defaults_that_are_made_are_made_each_time() -> None:
    assert Point(1).more is not Point(1).more


@pytest.mark.parametrize("wrong", [(), (1, 2, {}, 4)])
def test_a_field_too_few_or_too_many_is_an_error(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        Point(*wrong)


def test_a_frozen_value_cannot_be_changed_and_another_can() -> None:
    counter = Counter()
    counter.count += 1

    assert counter.count == 1
    with pytest.raises(AttributeError):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del Point(1).x  # type: ignore[misc]
    with pytest.raises(AttributeError):
        counter.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(counter)


def test_the_standard_library_takes_it_for_one_of_its_own() -> None:
    point = Point(1, 2)

    assert dataclasses.is_dataclass(point)
    assert [field.name for field in dataclasses.fields(point)] == ["x", "y", "more"]
    assert field_names(Point) == ("x", "y", "more")
    assert dataclasses.replace(point, x=5) == replace(point, x=5) == Point(5, 2)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "more": {}}
    assert copy.deepcopy(point) == point


def test_a_value_can_be_matched() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


class Place(NamedTuple):
    """Somewhere."""

    path: str
    line: int = 1
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}"

    def __str__(self) -> str:
        return self.name


class StandardPlace(typing.NamedTuple):
    """Somewhere."""

    path: str
    line: int = 1
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}"

    def __str__(self) -> str:
        return self.name


class Nearby(Place):
    """One that says more."""

    def __new__(cls, path: str) -> "Nearby":
        return super().__new__(cls, path, 7)


@pytest.mark.parametrize("kind", [Place, StandardPlace])
def test_a_named_tuple_is_a_tuple_with_names(kind: Any) -> None:
    """Both kinds pass the very same test."""
    place = kind("a.py", tags=("x",))

    assert place == ("a.py", 1, ("x",))
    assert (place.path, place.line, place.tags) == tuple(place)
    assert repr(place) == f"{kind.__name__}(path='a.py', line=1, tags=('x',))"
    assert (place.name, str(place), kind.__doc__) == ("a.py:1", "a.py:1", "Somewhere.")
    assert hash(place) == hash(tuple(place))
    assert type(kind) is type
    assert kind._fields == kind.__match_args__ == ("path", "line", "tags")
    assert kind._field_defaults == {"line": 1, "tags": ()}
    assert place._asdict() == {"path": "a.py", "line": 1, "tags": ("x",)}
    assert list(place._asdict()) == list(kind._fields)
    assert place._replace(line=2) == kind("a.py", 2, ("x",))
    assert kind._make(["b.py", 3, ()]) == kind(path="b.py", line=3)
    assert type(kind._make(["b.py", 3, ()])) is type(place._replace(line=2)) is kind
    assert pickle.loads(pickle.dumps(place)) == copy.deepcopy(place) == place
    assert type(pickle.loads(pickle.dumps(place))) is kind
    assert typing.get_type_hints(kind)["line"] is int
    match place:
        case (path, line, _):
            assert (path, line) == ("a.py", 1)


@pytest.mark.parametrize("kind", [Place, StandardPlace])
def test_a_named_tuple_refuses_what_it_has_no_place_for(kind: Any) -> None:
    for wrong in (lambda: kind(), lambda: kind("a", 1, (), 4), lambda: kind("a", row=1)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        kind._make(["a"])
    with pytest.raises((TypeError, ValueError)):
        kind("a")._replace(row=1)
    with pytest.raises(AttributeError):
        kind("a").path = "b"
    with pytest.raises(AttributeError):
        kind("a").other = "b"


def test_a_named_tuple_may_have_children() -> None:
    nearby = Nearby("a.py")

    assert type(nearby) is Nearby
    assert (nearby.path, nearby.line, nearby.name) == ("a.py", 7, "a.py:7")
