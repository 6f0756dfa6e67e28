"""pygit2, put in place but not yet run: for processes that live for one command.

`import pygit2` costs several times the start of Python itself (ssl, tarfile, enums, remotes), which
every `treering remember` would pay for the C binding alone. After `defer_pygit2()` its submodules
can be imported without running the package; asking the package for anything else runs it whole. It
is what importlib.util.LazyLoader does, except that reading `__path__`, as importing a submodule
must, does not count as asking. Only the program's own start calls it: in a library, another user of
pygit2 in the same process has a right to the plain thing.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


class _UntilAskedFor(ModuleType):
    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        spec.loader.exec_module(self)
        return getattr(self, name)


def defer_pygit2() -> None:
    if "pygit2" in sys.modules or (spec := find_spec("pygit2")) is None:
        return
    package = module_from_spec(spec)
    package.__class__ = _UntilAskedFor
    sys.modules["pygit2"] = package


def is_deferred() -> bool:
    """Whether pygit2 is in place, and has not run."""
    return type(sys.modules.get("pygit2")) is _UntilAskedFor
