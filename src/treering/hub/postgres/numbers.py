"""Words and models as numbers of the database."""

import zlib
from functools import lru_cache


@lru_cache(1_000_000)
def number_of(term: str) -> int:
    """A word as a number that fits an integer of the database."""
    return zlib.crc32(term.encode(errors="surrogatepass")) - (1 << 31)
