"""Credentials: found before anything is written, named by kind, never repeated.

Precision first: a memory refused for nothing is a memory lost, so each pattern is one a vendor made
to be recognised, or an assignment whose value is random enough to be no example.
"""

import math
import re
from collections import Counter

from treering.errors import BlockedSecret

_KINDS: tuple[tuple[str, str, str], ...] = (
    # kind, a word that must be there (cheap test first), pattern
    ("private key", "PRIVATE KEY-----", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    ("AWS access key", "A", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}\b"),
    ("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,64}"),
    ("Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}\b"),
    ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{20,}"),
    ("Stripe key", "_live_", r"\b[rs]k_live_[A-Za-z0-9]{16,200}\b"),
    ("Google API key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}\b"),
    ("OpenAI key", "sk-", r"\bsk-(?:proj-|svcacct-)?[\w-]{20,200}T3BlbkFJ[\w-]{20,}"),
    ("Anthropic key", "sk-ant-", r"\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{60,200}"),
    ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", "pypi-", r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}"),
    ("SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b"),
    ("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{34}\b"),
    ("JSON web token", "eyJ", r"\beyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{20,}"),
    ("password in a URL", "://", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,64}:([^\s/:@]{6,128})@\w"),
)  # fmt: skip

_ASSIGNED = (
    r"(?i)\b(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|auth[_-]?token|password|passwd)\b"
    r"[\"']?\s{0,3}[:=]\s{0,3}[\"']([^\s\"']{12,200})[\"']"
)
_PLACEHOLDER = (
    r"(?i)^pass(word)?$|example|placeholder|changeme|your|xxx|\*\*\*|<|\$\{|\{\{|test|dummy"
)


def find(text: str) -> str | None:
    """The kind of the first credential in the text, or None."""
    for kind, word, pattern in _KINDS:
        if word in text and (match := re.search(pattern, text)) and not _is_example(match):
            return kind
    if "'" not in text and '"' not in text:
        return None  # an assignment has its value in quotes
    for match in re.finditer(_ASSIGNED, text):
        if not _is_example(match) and _randomness(match[1]) > 3.5:
            return "assigned credential"
    return None


def masked(text: str) -> str:
    """The text with each credential replaced by the name of its kind."""
    for kind, word, pattern in _KINDS:
        if word in text:
            text = re.sub(pattern, lambda m, kind=kind: _mask(m, kind), text)  # type: ignore[misc]
    return re.sub(_ASSIGNED, lambda m: _mask(m, "assigned credential"), text)


def _mask(match: re.Match[str], kind: str) -> str:
    if _is_example(match) or (kind == "assigned credential" and _randomness(match[1]) <= 3.5):
        return match[0]
    return f"[masked: {kind}]"


def refuse(*texts: str) -> None:
    """Raise BlockedSecret when one of the texts holds a credential."""
    for text in texts:
        if kind := find(text):
            raise BlockedSecret(f"The text holds what looks like a credential: {kind}.")


def _is_example(match: re.Match[str]) -> bool:
    return bool(re.search(_PLACEHOLDER, match[match.lastindex or 0]))


def _randomness(text: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
