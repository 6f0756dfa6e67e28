"""A mapping made from another by a few changes: the large one is shared, not copied."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

Value = TypeVar("Value")
_MOST = 256  # changes, after which everything is copied once


class ChangedMap(Mapping[str, Value], Generic[Value]):
    """Another mapping with some keys changed, or gone (None); neither is changed itself."""

    __slots__ = ("_base", "_changes", "_size")

    def __init__(self, base: dict[str, Value], changes: dict[str, Value | None]) -> None:
        self._base = base
        self._changes = changes
        fewer = sum(key in base and value is None for key, value in changes.items())
        more = sum(key not in base and value is not None for key, value in changes.items())
        self._size = len(base) - fewer + more

    @classmethod
    def of(
        cls, before: Mapping[str, Value], changes: Mapping[str, Value | None]
    ) -> "Mapping[str, Value]":
        """A mapping after some changes. One that was changed so before shares its base."""
        if isinstance(before, cls):
            base, all_changes = before._base, {**before._changes, **changes}
        else:
            base = before if isinstance(before, dict) else dict(before)
            all_changes = dict(changes)
        after = cls(base, all_changes)
        return after if len(all_changes) <= _MOST else after.flatten()

    def flatten(self) -> dict[str, Value]:
        """The same as a dictionary of its own."""
        whole = self._base.copy()
        for key, value in self._changes.items():
            if value is None:
                whole.pop(key, None)
            else:
                whole[key] = value
        return whole

    def __getitem__(self, key: str) -> Value:
        if key in self._changes:
            value = self._changes[key]
            if value is None:
                raise KeyError(key)
            return value
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        if key in self._changes:
            return self._changes.get(key) is not None
        return key in self._base

    def __iter__(self) -> Iterator[str]:
        changes = self._changes
        yield from (key for key in self._base if key not in changes or changes[key] is not None)
        yield from (k for k, value in changes.items() if value is not None and k not in self._base)

    def __len__(self) -> int:
        return self._size


def flatten(mapping: Mapping[str, Value]) -> Mapping[str, Value]:
    """A mapping that is quickly gone through."""
    return mapping.flatten() if isinstance(mapping, ChangedMap) else mapping
