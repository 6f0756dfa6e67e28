"""The trailer by which a commit says that it overrules a memory: `Overrules: ID reason`."""

import re

_TRAILER = r"(?im)^[ \t]*overrules:[ \t]*(?:treering://memory/)?([0-9a-z]{4,12})\b[ \t]*(.{0,400})$"
_MOST = 50


def read_overruled(message: str) -> list[tuple[str, str]]:
    """The ids that a message names, whole or their beginnings, and the reason of each."""
    found = re.findall(_TRAILER, message)[:_MOST]
    return [(name.lower(), reason.strip()) for name, reason in found]
