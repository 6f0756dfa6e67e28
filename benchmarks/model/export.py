"""The trained table as the file the program reads: see treering/search/meaning/table.py."""

import zlib
from pathlib import Path
from typing import Any

import numpy

from treering.search.meaning.table import HEADER, MAGIC, MIDDLE, MOST_WEIGHT

HERE = Path(__file__).resolve().parents[2]
TARGET = HERE / "src" / "treering" / "search" / "meaning" / "data" / "table.bin"


def export(numbers: dict[str, int], rows: Any, counts: Any, target: Path | None = None) -> str:
    """Write it; what it came to."""
    pieces = [piece for piece in numbers if _is_kept(piece, int(counts[numbers[piece]]))]
    chosen = rows[[numbers[piece] for piece in pieces]]
    scales = numpy.abs(chosen).max(axis=1) / 127
    weights = numpy.clip(numpy.round(scales / scales.max() * MOST_WEIGHT), 1, None)
    unit = scales.max() / MOST_WEIGHT
    small = numpy.clip(numpy.round(chosen / (weights * unit)[:, None]), -127, 127)
    vocabulary = "\n".join(pieces).encode()
    body = vocabulary + weights.astype("<u2").tobytes() + (small + MIDDLE).astype("u1").tobytes()
    head = HEADER.pack(MAGIC, len(pieces), rows.shape[1], len(vocabulary), zlib.crc32(body))
    path = target or TARGET
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + body)
    return f"{path.name}: {len(pieces)} pieces of {len(numbers)}, {len(head + body)} bytes"


def _is_kept(piece: str, count: int) -> bool:
    """Pieces of plain letters and digits; a whole word of another language is not one of ours."""
    bare = piece.removeprefix("##")
    if not (bare.isascii() and bare.isalnum()):
        return False
    return count > 0 or piece.startswith("##") or len(bare) < 3
