"""Hidden characters: what a reader cannot see must not be in what an agent reads."""

import re

from treering.errors import Invalid

# Terminal control sequences whole, so that `ESC[31m` leaves no `[31m` behind.
_ESCAPES = (
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\\\)|[ -/]*[0-~])?"
    "|\x9b[0-?]*[ -/]*[@-~]"
)
_NEVER_SEEN = (
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"  # controls but tab, line feed, form feed, return
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls
    "\u200b\u2060-\u2064\ufeff\u180e\u00ad\u034f\u206a-\u206f"  # zero width, fillers
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800"  # letters that look like nothing
    "\ufff0-\ufffb"
    "\U000e0000-\U000e007f"  # tag characters: invisible ASCII
)
_HIDDEN = (
    f"[{_NEVER_SEEN}]"
    "|\u200c(?![\u0600-\u06ff\u0900-\u0dff])"  # the non-joiner is spelling in some scripts only
)
# One variation selector after a sign is emoji style; elsewhere, or in a run, it is a message.
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTORS = f"[{_SELECTOR}]"
_STRAY = f"(?:^|(?<=[\\sA-Za-z])){_SELECTORS}+|(?<={_SELECTORS}){_SELECTORS}+"
#: One set of characters, which is looked for many times faster than what stands around them.
_MAYBE_HIDDEN = f"[{_NEVER_SEEN}\u200c{_SELECTOR}]"

_LINES = str.maketrans("", "", "\t\n\f\r")


def clean(text: str) -> str:
    """The text without hidden characters; emoji joiners and variation selectors stay."""
    if "\x1b" in text or "\x9b" in text:
        text = re.sub(_ESCAPES, "", text)
    if text.isascii() and text.translate(_LINES).isprintable():
        return text
    if not re.search(_MAYBE_HIDDEN, text):
        return text
    return re.sub(_STRAY, "", re.sub(_HIDDEN, "", text))


def clean_line(text: str) -> str:
    """The text as one line: hidden characters out, white space folded."""
    return " ".join(clean(text).split())


def must_be_utf8(text: str, what: str) -> str:
    """Arguments that were not UTF-8 arrive with lone surrogates; they could not be written back."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"The {what} is not valid UTF-8.") from error
    return text
