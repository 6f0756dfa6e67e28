"""pygit2, put in place but not yet run: for processes that live for one command.

`import pygit2` costs several times the start of Python itself (ssl, tarfile, enums, remotes), which
every `treering remember` would pay for the C binding alone. After `defer_pygit2()` its submodules
can be imported without running the package; asking the package for anything else runs it whole. It
is what importlib.util.LazyLoader does, except that reading `__path__`, as importing a submodule
must, does not count as asking. Only the program's own start calls it: in a library, another user of
pygit2 in the same process has a right to the plain thing.
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

#: Where OpenSSL is told to look for certificates.
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


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
    """Return whether pygit2 is in place, and has not run."""
    return type(sys.modules.get("pygit2")) is _UntilAskedFor


def load_binding() -> None:
    """Load the C binding; where the package is deferred, without certificates of authorities.

    libgit2 starts OpenSSL, which reads all certificates of the machine: half of what loading takes.
    Only a connection needs them, and our own are made by git. The package, once it runs, names them
    to libgit2 itself.
    """
    if not is_deferred():
        return
    before = {name: os.environ.get(name) for name in _CERTIFICATES}
    os.environ.update(dict.fromkeys(_CERTIFICATES, os.devnull))
    try:
        import_module("pygit2._pygit2")
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
