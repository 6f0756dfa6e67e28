"""Each filter on its own, through a listing."""

from typing import Any

import pytest

from treering.model.memory import FileRef

CASES = [
    ("type:decision", ["JWT"]),
    ("type:decisions,issue", ["JWT", "Webhook"]),
    ("-type:decision", ["Templates", "Webhook"]),
    ("tag:AUTH", ["JWT"]),
    ("tag:auth tag:security", ["JWT"]),
    ("tag:auth tag:cache", []),
    ("-tag:auth", ["Templates", "Webhook"]),
    ("topic:backend", ["JWT", "Webhook"]),
    ("topic:backend/auth", ["JWT"]),
    ("topic:back", []),
    ("title:jw", ["JWT"]),
    ("author:ada", ["JWT", "Templates"]),
    ("author:LOVELACE", ["JWT"]),
    ("agent:claude", ["Webhook"]),
    ("session:s2", ["Webhook"]),
    ("file:src/auth/jwt.py", ["JWT"]),
    ("file:jwt.py", ["JWT"]),
    ("file:src/", ["JWT", "Templates"]),
    ("file:./src/auth", ["JWT"]),
    ("file:auth/jwt.py", []),
    ("since:2025-06-01", ["Templates"]),
    ("until:2025-01-01", ["JWT"]),
    ("since:2025-01-02 until:2025-06-30", ["Webhook"]),
    ("confidence>0.5", ["JWT", "Templates"]),
    ("confidence>=0.5", ["JWT", "Templates", "Webhook"]),
    ("confidence<0.9", ["Webhook"]),
    ("status:needs-review", ["Webhook"]),
]


@pytest.mark.parametrize(("text", "titles"), CASES)
def test_a_filter_leaves_what_fits(library: Any, text: str, titles: list[str]) -> None:
    """The contract's meaning of each filter."""
    library.remember(
        "JWT", type="decision", tags=("auth", "security"), topic="backend/auth", confidence=0.9,
        author="Ada Lovelace <ada@example.org>", files=(FileRef("src/auth/jwt.py"),),
        created="2025-01-01T10:00:00Z",
    )  # fmt: skip
    library.remember(
        "Webhook", type="issue", topic="backend/payments", status="needs-review", confidence=0.5,
        author="Grace", agent="claude-code", session="s2", created="2025-02-01T00:00:00Z",
    )  # fmt: skip
    library.remember(
        "Templates", type="pattern", tags=("cache",), topic="backoffice", confidence=1.0,
        author="Ada", files=(FileRef("src/web/page.py"),), created="2025-07-01T00:00:00Z",
    )  # fmt: skip

    assert sorted(library.titles(text)) == titles
