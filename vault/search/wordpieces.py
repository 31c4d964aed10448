"""Word-pieces: how much of a text the default embedding model reads at once.

Counted as the model's own tokenizer counts (BERT WordPiece, uncased), without loading its library, which
takes 50 ms. A count may be above the tokenizer's, never below it: `[SEP]` and its like count as three, and so
do characters that are younger than the tokenizer's tables, each of which stands by itself here.
"""

import json
import re
import unicodedata
from functools import cache
from importlib import resources

#: What the tokenizer takes for a blank, as a class of a regular expression; it drops other control characters.
BLANK = r"[^\S\x0b\x0c\x1c-\x1f\x85]"

#: A longer word is one unknown piece.
WORD_LIMIT = 100

#: Counts of words that are kept: more than the words of most vaults, in a few megabytes.
CACHE_LIMIT = 1 << 16

_WORD = re.compile(r"[^ !-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
_NOT_PLAIN = re.compile(r"[^ -~]+")
_SYMBOL = re.compile(r"[$+<=>^`|~\u166d]")

#: Blocks of ideographs as the tokenizer knows them. As a regular expression they take 2 ms to compile.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)

#: Marks and format characters of Unicode 9 and later, which the tokenizer's tables do not hold. Beyond the
#: Basic Multilingual Plane older ones are not told apart, but for the tags and selectors of plane 14.
_YOUNG = re.compile(
    "[\u07fd\u0890\u0891\u0897-\u089f\u08ca-\u08e2\u09fe\u0afa-\u0aff\u0b55\u0c04\u0c3c\u0d00\u0d3b\u0d3c\u0d81\u0eba\u0ece"
    "\u180f\u1885\u1886\u1abf-\u1aff\u1df6-\u1dfb\ua82c\ua8c5\ua8ff\ua9bd\U00010000-\U000dffff]"
)

#: Where the tokenizer's tables say something else: a mark by its lights, and letters that got a capital late.
_OTHERWISE = {"\u1734": "", "\ufffd": "", "\ua7cb": "\u0264", "\ua7dc": "\u019b"}


class _Table(dict[int, str]):
    """What each character becomes before words are looked up, filled in as characters are met."""

    def __missing__(self, codepoint: int) -> str:
        self[codepoint] = text = _normalised(chr(codepoint))
        return text


class _Counts(dict[str, int]):
    """The number of pieces of each word met, found by taking the longest piece of the vocabulary each time."""

    def __init__(self, vocabulary: frozenset[str]) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.longest = max(map(len, vocabulary))

    def __missing__(self, word: str) -> int:
        if len(self) >= CACHE_LIMIT:
            self.clear()
        self[word] = number = self._count(word) if len(word) <= WORD_LIMIT else 1
        return number

    def _count(self, word: str) -> int:
        start = number = 0
        while start < len(word):
            end = self._end(word, start)
            if end == start:
                return 1  # what cannot be put together is one unknown piece as a whole
            start, number = end, number + 1
        return number

    def _end(self, word: str, start: int) -> int:
        before = "##" if start else ""
        for end in range(min(len(word), start + self.longest), start, -1):
            if before + word[start:end] in self.vocabulary:
                return end
        return start


_table = _Table()


def count(text: str) -> int:
    """The number of word-pieces the model makes of a text, its special tokens left out."""
    if not (text.isascii() and text.isprintable()):
        text = _NOT_PLAIN.sub(lambda found: found[0].translate(_table), text)
    return sum(map(_counts().__getitem__, _WORD.findall(text.lower())))


def bound(text: str) -> int:
    """A number of word-pieces no text of this length exceeds, found without the vocabulary.

    A character is at most one piece once it is decomposed: a Hangul syllable can be three.
    """
    return len(text) if text.isascii() else len(unicodedata.normalize("NFD", text))


@cache
def _counts() -> _Counts:
    written = resources.files("vault.search").joinpath("minilm", "tokenizer.json").read_text("utf-8")
    return _Counts(frozenset(json.loads(written)["model"]["vocab"]))


def _normalised(char: str) -> str:
    """Fold a character as the tokenizer does, between blanks if it is a word of its own."""
    if char in _OTHERWISE:
        return _OTHERWISE[char]
    if re.match(BLANK, char):
        return " "
    category = unicodedata.category(char)
    if _YOUNG.match(char) and category in ("Mn", "Cf"):
        return f" {char} "
    if category in ("Cc", "Cf", "Co"):
        return ""
    if any(first <= ord(char) <= last for first, last in _IDEOGRAPHS):
        return f" {char} "
    return "".join(map(_bare, unicodedata.normalize("NFD", char)))


def _bare(char: str) -> str:
    """A decomposed character in lower case, "" for a mark on it."""
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    return f" {char} " if category[0] == "P" or _SYMBOL.match(char) else char.lower()
