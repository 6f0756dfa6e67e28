"""The index: derived, so that whatever is wrong with it is put right by dropping it."""

from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.store.store import Store


def index(store: Store, may_repair: bool) -> Iterator[Finding]:
    """Open every part of the index on disk; a damaged one is built anew by the next recall."""
    from treering.search.storage import AbsentError, IndexFolder
    from treering.text.flags import DetectorRules

    folder = IndexFolder(store.folder / "index", DetectorRules.version)
    current = folder.path / "CURRENT"
    if not current.exists():
        return
    try:
        for segment in folder.segments():
            sum(1 for _ in segment.postings())
            len(segment.entries)
    except AbsentError:
        return  # of another version, or none: the next recall makes one
    except Exception as error:  # the index fails in many ways, and each means the same
        if may_repair:
            folder.drop()
        yield Finding(
            "index-damaged",
            "warning",
            f"The index cannot be read ({type(error).__name__}). recall answers without it.",
            "treering reindex",
            fixed=may_repair and not current.exists(),
        )
