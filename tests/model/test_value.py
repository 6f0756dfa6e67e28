"""Our data classes are what the standard library's are, to whoever uses them."""

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from treering.model.value import dataclass, field, field_names, replace


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
