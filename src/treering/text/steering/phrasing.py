"""What a text says, as a row of kinds: one character a word, in any language.

`Ignore all previous instructions` and `Ignoriere alle vorherigen Anweisungen` make the same row.
Rules about rows are short, hold for every language of the vocabulary, and are linear: a row is no
longer than its text, and a rule looks a few words ahead at most.
"""

import re
from collections.abc import Iterator
from functools import cache, reduce
from operator import or_

from treering.model.value import NamedTuple
from treering.text.steering.alphabets import ABROAD, STEMS
from treering.text.steering.phrases import PHRASES
from treering.text.steering.plain import disguises, read
from treering.text.steering.vocabulary import WORDS
from treering.text.words import holds_any

OTHER = "_"  # a word of no kind
END = "|"  # where a sentence ends

_FIRST_CODE = 0xA1
_REMEMBERED, _LONGEST = 20_000, 40  # words, and letters of one
_MENTION = 6  # words before an order that may say that somebody else gives it
_WORD = (
    r"[^\W_]+(?:[@$][^\W_]+){0,8}|[@$][^\W_]+"
    r"|[.!?;](?=\s|$)|[。！？।؟|]|[\"'](?::|,\s?[\"'])|\n(?=[ \t]{0,20}(?:\n|[-*+>#]|\d))"
)
_LETTERS_SPELLED = 5  # from which on single letters may be a word that is spelled
_SPELLED = r"(?<!\S)(?:[^\W\d_] ){4,}[^\W\d_](?!\S)"
_UNSPACED = "[\u0600-\u06ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"

#: What stands before `@`, last letter first, and what stands after.
_BEFORE_HOST = r"[\w.+-]{1,65}+"
_HOST = r"@[a-z0-9-]{1,63}\.[a-z0-9.-]{2,63}"

# What has a shape rather than a word: the mark that stands for it is in upper case, which no
# word of a text is. Mark, texts of which one must be there (a cheap test first), pattern. One that
# begins with a letter of its own is looked for many times faster than one that looks behind first.
_SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("DEST", ("://",), r"(?:https?|ftp)://[a-z0-9._~:/?#@!$&*+,;=%{}\[-]{1,400}"),
    ("DEST", ("@",), _HOST),
    ("DEST",
     (".com", ".net", ".org", ".io", ".dev", ".example", ".xyz", ".app", ".cloud", ".site", ".ru"),
     r"(?<![\w.@/-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|dev|example|xyz|app|cloud|site|ru)\b"),
    ("DEST", (".",), r"\d(?<![\w.]\d)\d{0,2}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"),
    ("SENSITIVE", (".",),
     r"\.(?:env|ssh|aws|netrc|npmrc|pypirc|git-credentials|kube)(?![a-z0-9])[a-z0-9_/.]{0,40}"),
    ("SENSITIVE", ("/etc/",), r"/etc/(?:shadow|passwd)\b"),
    ("SENSITIVE", ("id_",), r"\bid_(?:rsa|ed25519)\b"),
    ("SENSITIVE", ("_",),
     r"_(?:token|secret|key|password|credentials)(?![a-z0-9])"),
    ("OWN", (".md",), r"\b(?:claude|agents|gemini)\.md\b"),
    ("OWN", (".cursorrules",), r"\.cursorrules"),
    ("UNSAFE", ("--",), r"--(?:no-verify|force\b|yolo|dangerously[\w-]{0,30})"),
    ("UNSAFE", ("rm -rf",), "rm -rf"),
    ("PIPE", ("|",), r"\b(?:curl|wget)\b[^\n|]{1,100}\|\s?(?:sudo )?(?:ba|z|da)?sh\b"),
    ("PIPE", ("<(curl",), r"sh <\(curl"),
    ("SYSMESSAGE", ("system", "sistem", "系统", "システム", "시스템", "النظام"),
     r"(?:^|\n)[#*\[ ]{0,4}(?:systeme?|sistema|sistem|系统|システム|시스템|النظام)"
     r"[*\]]{0,2} ?[:：]"),
)  # fmt: skip


class Lexicon(NamedTuple):
    """The vocabulary made ready: codes of words, characters that stand for a kind, phrases."""

    codes: dict[str, str]
    characters: dict[str, str]
    phrases: dict[str, list[tuple[tuple[str, ...], str]]]


class WordCodes(dict[str, str]):
    """The code of a word, remembered: words repeat. Whoever writes a text does not decide how much
    is kept."""

    def __missing__(self, word: str) -> str:
        codes = _lexicon().codes
        code = codes.get(word) or _guess(word, codes)
        if len(self) >= _REMEMBERED:
            self.clear()
        if len(word) <= _LONGEST:
            self[word] = code
        return code


@cache
def _codes() -> WordCodes:
    return WordCodes()


@cache
def _lexicon() -> Lexicon:
    kinds: dict[str, set[str]] = {}
    for table in (WORDS, ABROAD):
        for kind, words in table.items():
            for word in read(words).split():
                kinds.setdefault(word, set()).add(kind)
    for name in {*PHRASES, *STEMS, *WORDS, *ABROAD, *(mark.lower() for mark, _, _ in _SHAPES)}:
        kinds[name.upper()] = {name}
    for kind, stems in STEMS.items():
        for stem in stems.split():
            kinds.setdefault(stem, set()).add(kind)

    groups = sorted({tuple(sorted(group)) for group in kinds.values()})
    code_of = {group: chr(_FIRST_CODE + n) for n, group in enumerate(groups)}
    characters: dict[str, str] = {}
    for group, code in code_of.items():
        for kind in group:
            characters[kind] = characters.get(kind, "") + code
    codes = {word: code_of[tuple(sorted(group))] for word, group in kinds.items()}
    return Lexicon(codes, characters, _phrases())


def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Phrases by their first word, each with its other words and its mark."""
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, phrases in PHRASES.items():
        for phrase in read(phrases).split(","):
            first, *rest = phrase.split()
            by_first.setdefault(first, []).append((tuple(rest), kind.upper()))
    return by_first


@cache
def _stems() -> re.Pattern[str]:
    stems = {stem for line in STEMS.values() for stem in line.split()}
    return re.compile("|".join(sorted(stems, key=lambda stem: (-len(stem), stem))))


@cache
def _letters() -> re.Pattern[str]:
    """English words as they are found in letters without spaces."""
    kinds = ("drop", "earlier", "orders", "all", "your", "not", "tell", "user", "system")
    words = {word for kind in kinds for word in WORDS[kind].split() if len(word) > 2}
    return re.compile("|".join(sorted(words, key=lambda word: (-len(word), word))))


def write_row(text: str) -> str:
    """A text that was read, as kinds: a character a word, and END after each sentence."""
    lexicon = _lexicon()
    words = _words(text)
    _join_phrases(words, lexicon.phrases)
    return "".join(map(_codes().__getitem__, words))


def _words(text: str) -> list[str]:
    for mark, gates, pattern in _SHAPES:
        if holds_any(text, gates):
            is_address = pattern is _HOST
            text = _mark_addresses(text) if is_address else re.sub(pattern, f" {mark} ", text)
    text = text.replace("n't", " not")
    words = re.findall(_WORD, text)
    if sum(len(word) == 1 for word in words) >= _LETTERS_SPELLED:
        row = " ".join(words)
        spelled = re.sub(_SPELLED, lambda match: _spell(match[0]), row)
        words = words if spelled == row else spelled.split(" ")
    if not text.isascii() and re.search(_UNSPACED, text):
        row = _stems().sub(lambda match: f" {match[0]} ", " ".join(words))
        words = row.split(" ")
    return words


def _mark_addresses(text: str) -> str:
    """A mark in the place of each address. From its `@` on: most words are before none."""
    parts: list[str] = []
    at = 0
    for host in re.finditer(_HOST, text):
        local = re.match(_BEFORE_HOST, text[max(0, host.start() - 65) : host.start()][::-1])
        start = host.start() - (local.end() if local else 0)
        if at <= start and 0 < host.start() - start <= 64:
            parts += [text[at:start], " DEST "]
            at = host.end()
    return "".join([*parts, text[at:]])


def _spell(letters: str) -> str:
    """`i g n o r e` as a word, and letters in a row as the words they hold."""
    word = letters.replace(" ", "")
    if word in _lexicon().codes:
        return word
    return " ".join(_letters().findall(word)) or letters


def _join_phrases(words: list[str], phrases: dict[str, list[tuple[tuple[str, ...], str]]]) -> None:
    """Put the mark of each phrase in its first word's place, and nothing in the others'."""
    for at, word in enumerate(words):
        if word in phrases:
            for rest, mark in phrases[word]:
                if tuple(words[at + 1 : at + 1 + len(rest)]) == rest:
                    words[at : at + 1 + len(rest)] = [mark, *[""] * len(rest)]
                    break


def _guess(word: str, codes: dict[str, str]) -> str:
    """The code of a word that is not in the vocabulary as it is written."""
    if not word:
        return ""
    if not word[0].isalnum() and word[0] not in "@$":
        return END
    if not (word.isascii() and word.isalpha()):
        for plain in disguises(word):
            if plain in codes:
                return codes[plain]
    return OTHER


def kinds_needed(rule: str) -> list[frozenset[str]]:
    """For each kind a rule names, the characters of which one must be in a row; rarest first."""
    names = [item for item in rule.split() if item[0].isalpha()]
    return sorted((frozenset(_characters(name)) for name in names), key=len)


@cache
def compile_rule(rule: str) -> re.Pattern[str]:
    """A rule, `drop 3 earlier 2+ orders`, as a pattern over rows.

    A number is how many words may stand between; with `+`, sentences may end between as well.
    with `-a`, none of them of kind `a`. `a|b` is either kind, `!a` at the start none of `a` just
    before, at the end none just after; `^` and `$` are a sentence's beginning and its end.
    """
    return re.compile("".join(_parts(rule.split())))


def _parts(items: list[str]) -> Iterator[str]:
    for at, item in enumerate(items):
        if item == "^":
            yield rf"(?:^|(?<=\{END}))"
        elif item[0] == "!":
            charset = _characters(item[1:])
            yield f"(?!.?[{charset}])" if at else f"(?<![{charset}])(?<![{charset}].)"
        elif item == "$":
            yield rf"(?=\{END}|$)"
        elif item[0].isdigit():
            yield _gap(item)
        else:
            yield f"[{_characters(item)}]"


def _gap(item: str) -> str:
    count, _, unwanted = item.rstrip("+").partition("-")
    if unwanted:
        return rf"[^\{END}{_characters(unwanted)}]{{0,{count}}}?"
    return f".{{0,{count}}}?" if item[-1] == "+" else rf"[^\{END}]{{0,{count}}}?"


def _characters(names: str) -> str:
    return "".join(_lexicon().characters[name] for name in names.split("|"))


class Rule(NamedTuple):
    """What a rule is a sign of, what a row must hold as bits, and the rule itself."""

    sign: str
    needs: int
    text: str


class Rulebook(NamedTuple):
    """Rules by the rarest of their needs, and for each character of a row the needs it meets."""

    rules: dict[int, list[Rule]]
    bits: dict[str, int]


@cache
def _rulebook(rules: tuple[tuple[str, str], ...]) -> Rulebook:
    """Each set of characters that some rule needs is a bit: one look tells whether a row has all
    that a rule needs."""
    numbers: dict[frozenset[str], int] = {}
    bits: dict[str, int] = {}
    book: dict[int, list[Rule]] = {}
    for sign, text in rules:
        needs = [(1 << numbers.setdefault(one, len(numbers)), one) for one in kinds_needed(text)]
        for bit, characters in needs:
            for character in characters:
                bits[character] = bits.get(character, 0) | bit
        rule = Rule(sign, reduce(or_, (bit for bit, _ in needs)), text)
        book.setdefault(needs[0][0], []).append(rule)
    return Rulebook(book, bits)


def find_signs(row: str, rules: tuple[tuple[str, str], ...]) -> set[str]:
    """The signs whose rules a row fits."""
    book = _rulebook(rules)
    present = reduce(or_, (book.bits.get(character, 0) for character in set(row)), 0)
    signs: set[str] = set()
    for rarest, some in book.rules.items():
        if not rarest & present:
            continue
        for sign, needs, text in some:
            if needs & present == needs and sign not in signs and _is_order(text, row):
                signs.add(sign)
    return signs


def _is_order(rule: str, row: str) -> bool:
    """Whether a row fits a rule, and not where it only mentions such an order."""
    mention = set(_characters("mention"))
    for match in compile_rule(rule).finditer(row):
        before = row[max(0, match.start() - _MENTION) : match.start()].rpartition(END)[2]
        if mention.isdisjoint(before):
            return True
    return False
