"""Twelve memories as a team writes them, to count what they cost an agent.

Each is a title and a paragraph, with two tags and a file; all of them are about tokens of a
session, so that one question finds them all. The first has a hundred words.
"""

from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import git
from treering import Treering

_START = 1_772_442_000.0  # 2026-03-02
QUESTION = "session token"


class Note(NamedTuple):
    type: str
    title: str
    text: str
    file: str
    tags: tuple[str, str]


NOTES = (
    Note("decision", "Session tokens are opaque, not JWT",
         "We weighed signed JWTs against opaque random strings that are looked up in Redis. A JWT "
         "saves the look-up, but it cannot be revoked before it expires, and support has to end "
         "sessions within a minute when an account is stolen. The look-up costs 0.4 ms at the "
         "median, which is nothing beside the rest of a request. So a session token is 32 random "
         "bytes, stored as a hash with its user and its expiry. Services that must check a token "
         "without the network get a short-lived signed assertion from the gateway instead.",
         "src/auth/session.py", ("auth", "redis")),
    Note("issue", "Expired session token answers 500 instead of 401",
         "The middleware read the expiry before it knew whether the session was found, so a token "
         "that Redis had already dropped raised an AttributeError. Fixed by looking at the result "
         "first. The load test did not see it, because its sessions never expire.",
         "src/auth/middleware.py", ("auth", "bug")),
    Note("convention", "Never log a session token, log its fingerprint",
         "A token in a log is a session anyone with access to the log can use. Use "
         "fingerprint(token), the first eight characters of its hash, in logs, traces and error "
         "reports. The linter has a rule for names that end in _token.",
         "src/logging/fields.py", ("logging", "security")),
    Note("pattern", "Refresh a session token in the background",
         "The client asks for a new token when the old one has a fifth of its life left, and goes "
         "on with the old one until the answer is there. Requests are never held up by a refresh, "
         "and two tabs that refresh at once both keep a valid token.",
         "web/src/session.ts", ("auth", "frontend")),
    Note("insight", "Clock skew of ninety seconds is normal on phones",
         "A tenth of the failed refreshes came from devices whose clock was off. The expiry of a "
         "session token is now sent as a duration, not as a date, and the device counts from when "
         "it was received.",
         "web/src/clock.ts", ("mobile", "auth")),
    Note("config", "SESSION_TTL is twelve hours, thirty days for remembered devices",
         "Both are read at start from the environment. A shorter value ends running sessions at "
         "their next request, because the expiry is computed from when the token was made.",
         "deploy/values.yaml", ("config", "auth")),
    Note("api", "POST /sessions answers with the token once",
         "The body has token, expires_in and user. No later call shows the token again, GET "
         "/sessions lists fingerprints only. A wrong password and an unknown user get the same "
         "answer after the same time.",
         "openapi/sessions.yaml", ("api", "auth")),
    Note("debt", "Two caches of session tokens in the gateway",
         "The proxy keeps its own map beside Redis, from when Redis was slow. It is the reason why "
         "a revoked token works for up to a minute on one node. Remove it once the new connection "
         "pool has been out for a release.",
         "src/gateway/cache.py", ("gateway", "cleanup")),
    Note("testing", "Session tests use the fake clock of conftest",
         "freeze(minutes=13 * 60) jumps past the expiry of a session token without sleeping. The "
         "tests that really wait are marked slow and run at night.",
         "tests/conftest.py", ("tests", "auth")),
    Note("security", "Session token cookie: Secure, HttpOnly, SameSite=Lax",
         "Strict breaks the way back from the payment provider, which is a cross-site redirect. "
         "Lax is enough because every change is a POST with its own token. The cookie has no "
         "Domain, so that subdomains of customers never see it.",
         "src/auth/cookies.py", ("security", "web")),
    Note("component", "SessionStore is the only reader of token hashes",
         "Everything else asks it with a token and gets a Session or None. It hashes, looks up, "
         "checks the expiry and extends it. Redis is behind it, and in tests a dictionary.",
         "src/auth/store.py", ("auth", "architecture")),
    Note("decision", "No session token in the URL, not even once",
         "The first version of the magic link put the session token into the query, and it turned "
         "up in the referrer of the help pages. The link now has a code that is good for one "
         "exchange within ten minutes.",
         "src/auth/magic_link.py", ("security", "auth")),
)  # fmt: skip


def remember_notes(path: Path) -> None:
    """The files committed, and a note about each, one every other day."""
    for note in NOTES:
        file = path / note.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{note.title}\n", encoding="utf-8")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "code")
    for number, note in enumerate(NOTES):
        moment = _START + number * 2 * 86_400
        Treering.open(path, clock=lambda moment=moment: moment).remember(
            f"{note.title}\n\n{note.text}", type=note.type, tags=note.tags, files=[note.file]
        )
