"""Names: which are suspicious, which are nearly the same, and where one stands in a text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from vault.model.keys import fold_name

#: Words that name nothing in particular.
GENERIC = frozenset(
    "agent app company data default document entity event example file foo group idea info information it item misc"
    " name new none note object organisation organization other person place project service something stuff system"
    " task team temp test the thing things this todo tool topic undefined unknown unnamed untitled user".split()
)
_ARTICLES = frozenset(["a", "an", "the"])
#: Words that a name does not begin with, and a piece of a sentence does.
_OPENERS = frozenset("and because but for he i if is it of or she so that then they to was we when which who".split())
#: Words that make a sentence of what is around them.
_VERBS = frozenset("are did does had has have is should was were will would".split())
FRAGMENT_WORDS = 8
ENDED_WORDS = 4

#: Letters of the shortest name that is compared with others, and of its shortest word that may differ.
NEAR_LETTERS = 6
NEAR_WORD = 4
#: Letters of the shortest name that is looked for in texts: shorter ones stand in many by chance.
MENTION_LETTERS = 4

_WORD = re.compile(r"[^\W_]+")
#: Scripts that put no blanks between words.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def suspicion(name: str) -> str | None:
    """Say what is suspicious about a name; None if nothing is."""
    words = _WORD.findall(name)
    folded = [word.casefold() for word in words]
    if not any(char.isalpha() for char in name):
        return "holds no letter"
    if " ".join(folded[1:] if folded[0] in _ARTICLES and len(folded) > 1 else folded) in GENERIC:
        return "is a generic word"
    ended = len(words) >= ENDED_WORDS and name.rstrip().endswith((".", "!", "?", ",", ";", ":"))
    opened = len(words) > 1 and folded[0] in _OPENERS
    if ended or opened or len(words) > FRAGMENT_WORDS or any(word in _VERBS for word in folded[1:-1]):
        return "reads like a piece of a sentence"
    return None


def near_pairs(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The places of names that differ in blanks, signs, order of words, or one letter, but not in digits."""
    words = [_WORD.findall(fold_name(name)) for name in names]
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, found in enumerate(words):
        for signature in _signatures(found):
            blocks[signature].append(place)
    pairs = {
        (first, other)
        for places in blocks.values()
        for number, first in enumerate(places)
        for other in places[number + 1 :]
    }
    yield from sorted((first, other) for first, other in pairs if _are_near(words[first], words[other]))


def _signatures(words: Sequence[str]) -> set[str]:
    """What two near names share: their letters, in any order of words, or all but one of them."""
    squeezed = "".join(words)
    if len(squeezed) < NEAR_LETTERS:
        return set()
    without_one = {squeezed[:place] + squeezed[place + 1 :] for place in range(len(squeezed))}
    return {squeezed, "".join(sorted(words)), *without_one}


def _are_near(one: Sequence[str], other: Sequence[str]) -> bool:
    if _digits(one) != _digits(other):
        return False
    if sorted(one) == sorted(other) or "".join(one) == "".join(other):
        return True
    if len(one) == len(other):
        differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
        return len(differing) == 1 and min(map(len, differing[0])) >= NEAR_WORD and _by_one_letter(*differing[0])
    return _by_one_letter("".join(one), "".join(other))


def _digits(words: Sequence[str]) -> str:
    return "".join(char for word in words for char in word if char.isdigit())


def _by_one_letter(one: str, other: str) -> bool:
    """Say whether words differ by one letter more, less or other, or by two that changed places."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])  # noqa: PLR2004


class Mentions:
    """Finds names in texts: whole words, or in scripts without blanks any run of letters."""

    def __init__(self, names: Iterable[str]) -> None:
        self._spaced: dict[str, list[tuple[Sequence[str], str]]] = defaultdict(list)
        self._unspaced: dict[str, str] = {}
        for name in names:
            words = _WORD.findall(fold_name(name))
            if _UNSPACED.search(name):
                self._unspaced[fold_name(name)] = name
            elif len("".join(words)) >= MENTION_LETTERS:
                self._spaced[words[0]].append((words, name))

    def within(self, text: str) -> list[str]:
        """The names that stand in a text, in the order of their first mention."""
        folded = fold_name(text)
        words = _WORD.findall(folded)
        found = [
            name
            for place, word in enumerate(words)
            for sought, name in self._spaced.get(word, ())
            if words[place : place + len(sought)] == sought
        ]
        found += [name for folded_name, name in self._unspaced.items() if folded_name in folded]
        return list(dict.fromkeys(found))
