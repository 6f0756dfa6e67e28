"""Data classes and named tuples that cost little to make: for programs that live for one command.

The standard library writes and compiles five methods for each data class, and imports `inspect` for
it; for a named tuple it compiles one, and sets a dozen attributes one by one. A short command makes
a hundred such classes and few values of them. These are the same to whoever uses them, and to the
type checker they are the standard library's. Of a data class only `__init__` is compiled, when the
first value is made, of a named tuple nothing. `dataclasses.replace`, `fields` and `is_dataclass`
take the data classes, too.
"""

from __future__ import annotations

import sys
from collections import _tuplegetter  # type: ignore[attr-defined]  # what named tuples are made of
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple
else:

    def field(*, default_factory):
        """A field whose default is made anew each time."""
        return _Factory(default_factory)

    def replace(value, /, **changes):
        """The same value with some fields changed."""
        for name in value.__match_args__:
            if name not in changes:
                changes[name] = getattr(value, name)
        return value.__class__(**changes)

    def dataclass(*, frozen=False, slots):  # noqa: ARG001 - they all have slots
        """The class, with slots and the methods of a value."""
        return lambda cls: _make(cls, frozen)

    class _TupleMaker(type):
        """Makes a plain class of tuples of each class that names NamedTuple as its base."""

        def __new__(cls, name, bases, namespace):
            return _make_tuple(name, namespace) if bases else type.__new__(cls, name, (), namespace)

    class NamedTuple(metaclass=_TupleMaker):
        """A tuple whose places have names."""


__all__ = ["NamedTuple", "dataclass", "field", "field_names", "replace"]


class _Factory:
    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a data class or of one of its values, in their order."""
    names: tuple[str, ...] = kind.__match_args__
    return names


def _make(cls: type[Any], is_frozen: bool) -> type[Any]:
    names = _list_fields(cls)
    namespace = {
        key: value
        for key, value in cls.__dict__.items()
        if key not in ("__dict__", "__weakref__", *names)
    }
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    methods = {**_METHODS, **(_FROZEN if is_frozen else {"__hash__": None})}
    make: Callable[..., type[Any]] = type(cls)
    return make(
        cls.__name__,
        cls.__bases__,
        methods
        | {
            "__slots__": names,
            "__match_args__": names,
            "__init__": _first_init(names, defaults),
            "__dataclass_fields__": _StandardFields(defaults),
        }
        | namespace
        | {"__qualname__": cls.__qualname__},
    )


def _list_fields(cls: type[Any]) -> tuple[str, ...]:
    try:
        return tuple(cls.__annotations__)
    except NameError:  # since 3.14: types that are only imported for the type checker
        from importlib import import_module

        annotations: Any = import_module("annotationlib")
        forward = annotations.Format.FORWARDREF
        return tuple(annotations.get_annotations(cls, format=forward))


def _first_init(names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    """An `__init__` that compiles the real one, puts it in its own place, and goes on with it."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        cls = type(self)
        cls.__init__ = _compile_init(cls, names, defaults)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _compile_init(
    cls: type[Any], names: tuple[str, ...], defaults: dict[str, Any]
) -> Callable[..., None]:
    """Only names of fields are compiled, which stand in our own source."""
    scope: dict[str, Any] = {"_made": _MADE}
    head, body = [], []
    for name in names:
        scope[f"_set_{name}"] = cls.__dict__[name].__set__  # past what refuses changes
        value = defaults.get(name, _REQUIRED)
        scope[f"_default_{name}"] = value.make if isinstance(value, _Factory) else value
        default = "" if value is _REQUIRED else f"=_default_{name}"
        if isinstance(value, _Factory):
            default = "=_made"
            body.append(f" if {name} is _made: {name} = _default_{name}()")
        head.append(name + default)
        body.append(f" _set_{name}(self, {name})")
    source = f"def __init__(self, {', '.join(head)}):\n" + "\n".join(body or [" pass"])
    exec(source, scope)  # noqa: S102 - see above
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


class _StandardFields:
    """`__dataclass_fields__`, worked out for whoever asks: the standard library does."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self._defaults = defaults

    def __get__(self, value: object, owner: type[Any]) -> dict[str, Any]:
        from dataclasses import field as standard_field
        from dataclasses import make_dataclass

        lines: list[Any] = []
        for name, kind in owner.__annotations__.items():
            default = self._defaults.get(name, _REQUIRED)
            if default is _REQUIRED:
                lines.append((name, kind))
            elif isinstance(default, _Factory):
                lines.append((name, kind, standard_field(default_factory=default.make)))
            else:
                lines.append((name, kind, standard_field(default=default)))
        made: Any = make_dataclass(owner.__name__, lines)
        owner.__dataclass_fields__ = fields = dict(made.__dataclass_fields__)
        return fields


_REQUIRED, _MADE = object(), object()


def _values(value: Any) -> Iterator[Any]:
    return (getattr(value, name) for name in value.__match_args__)


def _repr(self: Any) -> str:
    pairs = zip(self.__match_args__, _values(self), strict=True)
    inner = ", ".join(f"{name}={value!r}" for name, value in pairs)
    return f"{self.__class__.__qualname__}({inner})"


def _eq(self: Any, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return False
    return tuple(_values(self)) == tuple(_values(other))


def _hash(self: Any) -> int:
    return hash(tuple(_values(self)))


def _refuse(self: Any, name: str, *_: object) -> None:
    raise AttributeError(f"{self.__class__.__name__} cannot be changed: {name}")


def _reduce(self: Any) -> tuple[type[Any], tuple[Any, ...]]:
    return self.__class__, tuple(_values(self))


_METHODS = {"__repr__": _repr, "__eq__": _eq, "__reduce__": _reduce}
_FROZEN = {"__hash__": _hash, "__setattr__": _refuse, "__delattr__": _refuse}


def _make_tuple(name: str, namespace: dict[str, Any]) -> type[Any]:
    names = _list_annotated(namespace)
    defaults = {field: namespace.pop(field) for field in names if field in namespace}
    getters = {field: _tuplegetter(at, "") for at, field in enumerate(names)}
    methods = {
        "__slots__": (),
        "__match_args__": names,
        "_fields": names,
        "_field_defaults": defaults,
        "__new__": _make_new(names, defaults),
    }
    return type(name, (tuple,), _TUPLE_METHODS | getters | methods | namespace)


def _list_annotated(namespace: dict[str, Any]) -> tuple[str, ...]:
    if "__annotations__" in namespace or sys.version_info < (3, 14):
        return tuple(namespace.get("__annotations__", ()))
    from importlib import import_module

    annotations: Any = import_module("annotationlib")
    annotate = annotations.get_annotate_from_class_namespace(namespace)
    forward = annotations.Format.FORWARDREF
    return tuple(annotations.call_annotate_function(annotate, forward)) if annotate else ()


def _make_new(names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., Any]:
    count, new, last = len(names), tuple.__new__, tuple(defaults.values())

    def __new__(cls: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        if kwargs:
            args += _order(cls, names[len(args) :], kwargs, defaults)
        elif len(args) < count:
            args += last[len(args) - count :]
        if len(args) != count:
            raise TypeError(f"{cls.__name__} has {count} fields, not {len(args)}")
        return new(cls, args)

    return __new__


def _order(
    cls: Any, names: tuple[str, ...], kwargs: dict[str, Any], defaults: dict[str, Any]
) -> tuple[Any, ...]:
    """The values of some fields, as they were named or not at all."""
    values = defaults | kwargs
    if not kwargs.keys() <= set(names):
        raise TypeError(
            f"{cls.__name__} has no {', '.join(kwargs.keys() - set(names))} to be named"
        )
    try:
        return tuple([values[name] for name in names])
    except KeyError as error:
        raise TypeError(f"{cls.__name__} needs {error}") from error


def _make_from(cls: Any, items: Iterable[Any]) -> Any:
    row = tuple(items)
    if len(row) != len(cls._fields):  # here no default counts
        raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(row)}")
    return tuple.__new__(cls, row)


def _replace(self: Any, /, **changes: Any) -> Any:
    row = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
    if changes:
        raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
    return tuple.__new__(type(self), row)


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _list_items(self: Any) -> tuple[Any, ...]:
    return tuple(self)


_TUPLE_METHODS = {
    "__repr__": _repr,
    "__getnewargs__": _list_items,
    "_make": classmethod(_make_from),
    "_replace": _replace,
    "_asdict": _asdict,
}
