"""Other memory servers, as npm has them, to be measured in the same run.

They are installed into build/peers at the first run. Where there is no node, or npm brings nothing,
there are none, and whoever asks is told so.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "build" / "peers"
_PACKAGES = {
    "server-memory": ("@modelcontextprotocol/server-memory", "mcp-server-memory"),
    "memory-libsql": ("mcp-memory-libsql", "mcp-memory-libsql"),
}
_PATIENCE = 240  # seconds


def peers(folder: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Each peer's name, command and environment, with its store in `folder`."""
    if not shutil.which("npm"):
        print("  (no peers: there is no npm)")
        return
    programs = _FOLDER / "node_modules" / ".bin"
    if not all((programs / program).exists() for _, program in _PACKAGES.values()):
        _install()
    for name, (package, program) in _PACKAGES.items():
        path = programs / program
        if not path.exists():
            print(f"  (npm did not bring {package})")
            continue
        home = folder / name
        home.mkdir(exist_ok=True)
        environment = os.environ | {
            "HOME": str(home),
            "MEMORY_FILE_PATH": str(home / "memory.json"),
            "LIBSQL_URL": f"file:{home / 'memory.db'}",
            "DATA_DIR": str(home),
        }
        yield name, [str(path)], environment


def _install() -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    (_FOLDER / "package.json").write_text('{"private": true}', encoding="utf-8")
    packages = [package for package, _ in _PACKAGES.values()]
    command = ["npm", "install", "--prefix", str(_FOLDER), "--silent", "--no-audit", *packages]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE)
