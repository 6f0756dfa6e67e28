"""What the table is made from: packages by exact file and hash, their licences looked at.

`sources.json` is the lock: file, hash and licence of each. A file whose hash or licence differs is
refused. Python packages are found by name in the index that pip is set to, Debian packages by apt;
nothing of them is installed or run, they are opened as archives.
"""

import email
import email.message
import hashlib
import html
import json
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

LOCK = Path(__file__).with_name("sources.json")
_LINK = re.compile(r'<a[^>]*href="([^"]+)"[^>]*>([^<]+)</a>')
_VERSION = re.compile(r"-(\d+(?:\.\d+)*)\.tar\.gz$")
#: What may be used, as licence expressions and as classifiers spell it.
_ALLOWED = re.compile(
    r"(MIT|BSD|0BSD|Apache|PSF|Python-2|Python Software Foundation)"
    r"[\w .,:()+-]*",
    re.I,
)
_REFUSED = re.compile(r"GPL|GNU|MPL|Mozilla|proprietary|commercial|Commons", re.I)


class Source(NamedTuple):
    """One archive: its project, its file, the hash of that file, and its licence."""

    name: str
    file: str
    sha256: str
    licence: str
    kind: str  # teacher, package or debian


def read_lock() -> list[Source]:
    return [Source(**line) for line in json.loads(LOCK.read_text(encoding="utf-8"))]


def write_lock(sources: list[Source]) -> None:
    lines = ",\n".join(json.dumps(source._asdict()) for source in sources)
    LOCK.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def fetch(source: Source, folder: Path) -> Path:
    """The archive on disk, its hash and licence looked at; it is got only once."""
    path = folder / source.file
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (_fetch_debian if source.kind == "debian" else _fetch_package)(source, folder)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != source.sha256:
        raise ValueError(f"{source.file} has the hash {digest}, not {source.sha256}")
    licence = licence_of(path)
    if licence != source.licence:
        raise ValueError(f"{source.file} is under {licence!r}, not {source.licence!r}")
    return path


def lock_newest(name: str, folder: Path) -> Source:
    """The newest source archive of a project, as a line for the lock."""
    links = [link for link in _links(name) if _VERSION.search(link[1])]
    url, file = max(links, key=lambda link: _version(link[1]))
    path = folder / file
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_get(url))
    return lock_file(name, path, "package")


def lock_file(name: str, path: Path, kind: str) -> Source:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Source(name, path.name, digest, licence_of(path), kind)


def _version(file: str) -> tuple[int, ...]:
    match = _VERSION.search(file)
    return tuple(map(int, match[1].split("."))) if match else ()


def _fetch_package(source: Source, folder: Path) -> None:
    for url, file in _links(source.name):
        if file == source.file:
            (folder / file).write_bytes(_get(url))
            return
    raise ValueError(f"the index has no {source.file}")


def _fetch_debian(source: Source, folder: Path) -> None:
    version = urllib.parse.unquote(source.file.split("_")[1])
    subprocess.run(["apt-get", "download", f"{source.name}={version}"], cwd=folder, check=True)


def _links(name: str) -> list[tuple[str, str]]:
    """The files of a project: where each is, and what it is called."""
    url = f"{_index().rstrip('/')}/{name}/"
    page = _get(url, accept="text/html").decode()
    return [
        (urllib.parse.urljoin(url, html.unescape(link)), file.strip())
        for link, file in _LINK.findall(page)
    ]


def _index() -> str:
    """The index pip is set to, or the one it uses by itself."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.stdout.strip():
        return asked.stdout.strip()
    from pip._internal.models.index import PyPI  # the one place that knows the default

    return PyPI.simple_url


def _get(url: str, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=120) as answer:
        data: bytes = answer.read()
        return data


# --- licences -------------------------------------------------------------------------------------


def licence_of(path: Path) -> str:
    """The licence a package states, if it is one that may be used; ValueError otherwise."""
    if path.suffix == ".deb":
        return "WordNet 3.0"  # its text is packed with it, and travels with the table
    stated = _stated(_metadata(path))
    if not stated or _REFUSED.search(stated) or not _ALLOWED.match(stated):
        raise ValueError(f"{path.name} is under {stated!r}")
    return stated


def _stated(metadata: email.message.Message) -> str:
    expression = metadata.get("License-Expression", "")
    if expression:
        return " ".join(expression.split())
    kinds = [
        line.split(" :: ")[-1]
        for line in metadata.get_all("Classifier", [])
        if line.startswith("License ::") and line != "License :: OSI Approved"
    ]
    if kinds:
        return ", ".join(sorted(kinds))
    lines = metadata.get("License", "").strip().splitlines()
    return lines[0][:80] if lines else ""


def _metadata(path: Path) -> email.message.Message:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            return email.message_from_bytes(archive.read(name))
    with tarfile.open(path) as archive:
        member = next(m for m in archive if re.fullmatch(r"[^/]+/PKG-INFO", m.name))
        file = archive.extractfile(member)
        assert file
        return email.message_from_bytes(file.read())


# --- what is in them ------------------------------------------------------------------------------


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """The source and documentation files of an archive: path, text."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.size < 1_000_000 and _is_wanted(member.name):
                file = archive.extractfile(member)
                if file:
                    yield member.name, file.read().decode("utf-8", "replace")


def _is_wanted(name: str) -> bool:
    lower = name.lower()
    if "/locale/" in lower or "/tests/" in lower or "/vendor" in lower or "/_vendor" in lower:
        return False
    if lower.endswith((".py", ".rst", ".md")):
        return True
    return "/releasenotes/notes/" in lower and lower.endswith(".yaml")


def read_debian(path: Path, wanted: str) -> dict[str, Any]:
    """The files of a Debian package whose paths match a pattern, by their base names."""
    listed = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(path)], capture_output=True, check=True
    )
    files = {}
    import io

    with tarfile.open(fileobj=io.BytesIO(listed.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member) if re.search(wanted, member.name) else None
            if file:
                files[Path(member.name).name] = file.read().decode("utf-8", "replace")
    return files
