"""Looking up identifiers: who types a name exactly gets the memory about it first.

The memories are made from real code, the standard library's: one per public function and class of
some modules, titled and described as a person would note it down. Docstrings mention each other's
names all the time, which is what makes the look-up hard.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

from treering.model.memory import FileRef
from treering.search.meaning.table import StaticTable

MODULES = (
    "argparse", "configparser", "csv", "difflib", "email.message", "ftplib", "http.client",
    "http.cookiejar", "imaplib", "json.decoder", "logging.handlers", "mailbox", "queue", "shutil",
    "smtplib", "socketserver", "subprocess", "tarfile", "tempfile", "textwrap", "threading",
    "unittest.mock", "urllib.parse", "urllib.request", "urllib.robotparser", "xml.dom.minidom",
    "zipfile",
)  # fmt: skip

#: What people look up besides names, with a memory that holds it.
ODD = {
    "ERR_1234": "Webhook deliveries fail with ERR_1234 when the signature is stale.",
    "ERR_1243": "ERR_1243 means that the tenant is locked.",
    "E0401": "pylint reports E0401 for the generated stubs.",
    "SQLSTATE 23505": "Duplicate slugs raise SQLSTATE 23505 from Postgres.",
    "CVE-2024-3094": "We were not hit by CVE-2024-3094, the images are older.",
    "HTTP 429": "The partner answers HTTP 429 after 100 calls a minute.",
    "v2.14.3": "Pin the driver to 2.14.3, later ones leak sockets.",
    "2.14.1": "2.14.1 has the deadlock fix.",
    "libssl.so.1.1": "The old image needs libssl.so.1.1 on the path.",
    "--no-verify": "Never push with --no-verify, the hooks check licences.",
    "MAX_RETRY_COUNT": "MAX_RETRY_COUNT is read once at start.",
    "max-retry-delay": "max-retry-delay is in milliseconds.",
    "src/billing/invoice_job.py": "src/billing/invoice_job.py must stay idempotent.",
    "invoice_view.py": "templates for src/billing/invoice_view.py live elsewhere.",
    "docker-compose.override.yml": "Local ports go to docker-compose.override.yml only.",
    "std::unique_ptr": "Handles are wrapped in std::unique_ptr everywhere.",
    "std::shared_mutex": "The cache uses std::shared_mutex for readers.",
    "useEffect": "A useEffect without dependencies ran the poll twice.",
    "useLayoutEffect": "Measure in useLayoutEffect, else it flickers.",
    "XMLHttpRequest": "The legacy widget still uses XMLHttpRequest.",
    "getElementById": "getElementById is wrapped by dom.find here.",
    "__init_subclass__": "Plugins register through __init_subclass__ hooks.",
    "sha256": "Cache keys are sha256 of the normalised body.",
    "utf-8": "Exports are utf-8 without a byte order mark.",
    "k8s": "k8s probes call the health page.",
    "@app.route": "Handlers use @app.route only in the admin blueprint.",
    "feature/login-v2": "The branch feature/login-v2 has the new form.",
    "0x80070005": "Setup stops with 0x80070005 on locked-down laptops.",
    "3b18e512dba79e4c": "The build broke at commit 3b18e512dba79e4c, reverted since.",
    "NullPointerException": "NullPointerException in the importer means a missing locale.",
}


def _public(module: str) -> dict[str, Any]:
    loaded = importlib.import_module(module)
    return {
        name: thing
        for name, thing in sorted(vars(loaded).items())
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__ == module
        and thing.__doc__
    }


@pytest.fixture(scope="module")
def code_library(tmp_path_factory: pytest.TempPathFactory, library_at: Any) -> Any:
    library = library_at(tmp_path_factory.mktemp("identifiers") / "index")
    library.embedder = StaticTable()
    for module in MODULES:
        for name, thing in _public(module).items():
            kind = "class" if inspect.isclass(thing) else "function"
            path = Path(module.replace(".", "/")).with_suffix(".py").as_posix()
            text = f"{inspect.getdoc(thing)}\n\nA {kind} of `{module}`."
            library.remember(f"{name} in {module}", text, files=(FileRef(path),), type="api")
    for text in ODD.values():
        library.remember(text)
    return library


def _cases() -> list[tuple[str, str]]:
    names = {module: list(_public(module)) for module in MODULES}
    often = [name for found in names.values() for name in found]
    often += [step for module in MODULES for step in module.split(".")] * 2
    return [
        (name, f"{name} in {module}")
        for module, found in names.items()
        for name in found
        if often.count(name) == 1
    ]


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_every_identifier_is_found_first(code_library: Any, mode: str) -> None:
    """More than a hundred names, each typed exactly; what a name means must not outdo it."""
    cases = _cases()
    wrong = {
        name: found
        for name, title in cases
        if (found := code_library.titles(name, limit=1, mode=mode)) != [title]
    }

    assert len(cases) >= 100
    assert wrong == {}


def test_every_dotted_name_is_found_first(code_library: Any) -> None:
    """The same names as `module.name`, the way tracebacks have them."""
    wrong = [
        (name, title)
        for name, title in _cases()
        if code_library.titles(f"{title.split(' in ')[1]}.{name}", limit=1) != [title]
    ]

    assert len(wrong) <= len(_cases()) // 25, wrong


@pytest.mark.parametrize("asked", sorted(ODD))
def test_codes_paths_and_versions_are_found_first(code_library: Any, asked: str) -> None:
    """Error codes, versions, options and files are identifiers too."""
    assert code_library.titles(asked, limit=1) == [ODD[asked]]
    assert code_library.titles(asked, limit=1, mode="hybrid") == [ODD[asked]]


@pytest.mark.parametrize("style", ["snake", "camel", "kebab", "words"])
def test_a_name_is_found_in_any_style(code_library: Any, style: str) -> None:
    """`make_archive`, `makeArchive`, `make-archive` and `make archive` are one name."""
    spelt = {
        "snake": "make_archive",
        "camel": "makeArchive",
        "kebab": "make-archive",
        "words": "make archive",
    }

    assert code_library.titles(spelt[style], limit=1) == ["make_archive in shutil"]
