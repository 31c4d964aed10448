"""Which mentions are meant: a name that is a common word, or no word at all, is taken for one only with care."""

import re
from collections.abc import Callable, Collection

from vault.knowledge.hydrate.common_words import CALENDAR, is_common, telling
from vault.knowledge.hydrate.mentions import Mention
from vault.model.keys import fold_name
from vault.model.words import runs, word_spans

#: Signals that have to agree that a common word is a name.
SIGNALS = 2

#: What a sentence begins after.
_BEGINNING = re.compile(r"(?:^|[.!?:;…。！？\n])[\s\"'“”‘’«»()\[\]*>•–—-]*\Z")
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "「": "」", "[": "]", "*": "*", "„": "“"}

#: The words that tell what an entry is about, beside its name: asked for only where a name is a common word.
Telling = Callable[[Mention], Collection[str]]


def doubt(text: str, mention: Mention, about: Telling) -> str:
    """Say why a mention is not taken for one; "" where it is."""
    if mention.by == "key" or runs(mention.words):
        return ""
    folded = fold_name(mention.words)
    words = [folded[start:end] for start, end in word_spans(folded)]
    is_numbered = len(words) > 1 and any(word.isdigit() for word in words)  # `Room 101`
    if is_numbered or not all(is_common(word) for word in words) or _is_marked(text, mention):
        return ""
    if not any(char.isalpha() for char in folded) and len(words) == 1:
        return f"“{mention.words}” is a number or a sign"
    signals = int(_is_capital(text, mention, words))
    if signals:
        signals += not (_begins(text, mention.start) and len(words) == 1) and not set(words) <= CALENDAR
    if signals < SIGNALS:
        signals += len(telling(text) & set(about(mention)))
    return "" if signals >= SIGNALS else f"“{mention.words}” is a common word here"


def _is_marked(text: str, mention: Mention) -> bool:
    """Say whether a phrase is set off: in quotes or backticks, or by `@` or `#`."""
    before, after = text[: mention.start][-1:], text[mention.end : mention.end + 1]
    return before in ("@", "#") or (bool(before) and _QUOTES.get(before) == after)


def _is_capital(text: str, mention: Mention, words: Collection[str]) -> bool:
    """Say whether a phrase is written like a name, in a text that does not write all words like that."""
    written = [mention.words[start:end] for start, end in word_spans(mention.words)]
    if len(words) != len(written) or not all(word[0].isupper() for word in (written[0], written[-1])):
        return False
    rest = text[: mention.start] + text[mention.end :]
    others = [rest[start:end] for start, end in word_spans(rest) if rest[start].isalpha()]
    return not others or any(word[0].islower() for word in others)


def _begins(text: str, start: int) -> bool:
    """Say whether a sentence begins at a place, where any word has a capital."""
    return _BEGINNING.search(text[max(0, start - 20) : start] if start > 20 else text[:start]) is not None  # noqa: PLR2004
