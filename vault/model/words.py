"""Words: how texts and queries are folded before an index sees them.

Scripts written without blanks between words (and Korean, whose words take endings) are also cut into
pairs of characters, so that any word of theirs is found inside a sentence.
"""

import re
import unicodedata

#: Han, kana, Hangul, Thai, Lao, Burmese, Khmer.
_RUN = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u1100-\u11ff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]+"
)
#: Arabic and Hebrew vowel signs and the Arabic stretching character, which most writers leave out.
#: So are the style and skin tone of an emoji.
_OPTIONAL_MARKS = re.compile(
    "[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
)

_WORD = re.compile(
    r"[^\W_][+#]{1,2}|(?:[^\W_]|[\u0300-\u036f\u0900-\u0dff\u0591-\u05c7\u064b-\u065f\u0670])+|[^\w\s\x00-\x7f]"
)

#: Words of questions, by language, that say nothing about what is asked for. Stop words are the index library's.
QUESTION_WORDS = {
    language: tuple(words.split())
    for language, words in {
        "dutch": "hoe wat wie welke welk wanneer waar waarom wordt kan kunnen kun moet moeten mag heeft hebben er",
        "english": "how what which who whom whose when where why do does did can could should would will shall may "
        "might i me my mine we us our you your am is are was were be been get gets got have has had about there it its "
        "he she him her his they them their to of and or a an the in on at for from with by as that this these those",
        "french": "comment quoi que quel quelle quels quelles qui quand où pourquoi est-ce combien peut peux dois doit "
        "faut",
        "german": "wie was wer wen wem wessen welche welcher welches wann wo wohin woher warum wieso wozu kann können "
        "muss müssen darf soll sollte gibt wurde wird",
        "italian": "come cosa che chi quale quali quando dove perché quanto può posso devo deve",
        "portuguese": "como que quem qual quais quando onde porque quanto pode posso devo deve",
        "spanish": "cómo qué quién quiénes cuál cuáles cuándo dónde cuánto puede puedo debo debe como que quien "
        "cual cuando donde",
    }.items()
}


def fold(text: str) -> str:
    """Fold compatibility forms and optional marks; plain ASCII comes back as it is."""
    if text.isascii():
        return text
    return _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKC", text))


def pairs(text: str) -> list[str]:
    """The character pairs of the runs of scripts without blanks; a lone character stands for itself."""
    if text.isascii():
        return []
    found = []
    for match in _RUN.finditer(text):
        run = match[0]
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return found


def runs(text: str) -> list[str]:
    """The runs of scripts without blanks in a text."""
    return [] if text.isascii() else _RUN.findall(text)


def run_spans(text: str) -> list[tuple[int, int]]:
    """Where the runs of scripts without blanks are in a text, as offsets."""
    return [] if text.isascii() else [match.span() for match in _RUN.finditer(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text are, as offsets; a symbol (an emoji, `©`) is a word."""
    return [match.span() for match in _WORD.finditer(text) if _is_word(match[0])]


def _is_word(found: str) -> bool:
    kind = unicodedata.category(found[0])
    return kind[0] in "LMN" or kind == "So"
