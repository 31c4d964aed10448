"""Word-pieces are counted as the model's own tokenizer counts them."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from vault.search import wordpieces

MODEL = Path(wordpieces.__file__).parent / "minilm"

#: Blocks that did not change since the tokenizer's tables were made.
BLOCKS = [
    (0x0, 0x5AF),  # controls, Latin, Greek, Cyrillic, Armenian
    (0x620, 0x6FF),  # Arabic
    (0x900, 0x97F),  # Devanagari
    (0xE00, 0xE7F),  # Thai
    (0x1100, 0x11FF),  # Jamo
    (0x1E00, 0x1FFF),  # Latin and Greek with several marks
    (0x2000, 0x20BF),  # punctuation, joiners, currencies
    (0x2200, 0x22FF),  # mathematics
    (0x3000, 0x30FF),  # Kana
    (0x4E00, 0x9FA5),  # ideographs
    (0xAC00, 0xD7A3),  # Hangul
    (0xF900, 0xFAFF),  # ideographs for compatibility
    (0xFE00, 0xFFFD),  # variation selectors, full-width forms
    (0x1F300, 0x1F64F),  # emoji
    (0xE0000, 0xE01EF),  # tags and more variation selectors
]

familiar = st.text(st.one_of([st.characters(min_codepoint=first, max_codepoint=last) for first, last in BLOCKS]))
words = st.lists(st.sampled_from(["un", "affable", "ing", "ly", "x", "Straße", "ΣΑΣ", "ﬁ", "İ", " ", "-", "\t"]))


@cache
def tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    return made


def expected(text: str) -> int:
    return len(tokenizer().encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "An unaffable, over-tokenised sentence; it's 3.50 $ (really)!",
        "ภาษาไทยไม่มีช่องว่าง",
        "吾輩は猫である。名前はまだ無い。ガギグゲゴ",
        "한국어 문장입니다.",
        "اللغة العربية، جميلة؟",
        "हिन्दी में एक वाक्य।",
        "👩‍👩‍👧‍👦 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 👍🏽",
        "Tiếng Việt, e\u0301te\u0301, İstanbul, ΟΔΟΣ, Straße",
        "a\x00b a\x0cb a\x85b a\x1cb a\tb a\r\nb \ufffd a\u200bb",
        "≠ ≮ ` ᙭ \u1734",
        "\u212aelvin",
        "a" * 100 + " " + "a" * 101,
        "é" * 100 + " " + "é" * 101,
        "葛\U000e0100城市",
        "#include <stdio.h>\nint main(void) { return x_1 | ~y; }",
    ],
)
def test_count_is_the_tokenizers(text: str) -> None:
    assert wordpieces.count(text) == expected(text)


@given(st.one_of(familiar, words.map("".join), st.text(st.characters(max_codepoint=127))))
def test_count_is_the_tokenizers_in_many_scripts(text: str) -> None:
    assert wordpieces.count(text) == expected(text)


@given(st.text())
@example("\ua7cb and \ua7dc")  # letters younger than some versions of Python
@example("\u07fd.\u0890.\U00011a01")  # marks younger than the tokenizer's tables
@example("[SEP] [PAD]x[MASK]")
def test_count_is_never_below_the_tokenizers(text: str) -> None:
    assert wordpieces.count(text) >= expected(text)


@given(st.one_of(st.text(), familiar))
@example("각" * 9)
@example("\U0001d160\u1f82\u0344")
def test_bound_is_never_exceeded(text: str) -> None:
    assert wordpieces.count(text) <= wordpieces.bound(text) <= 4 * len(text)


def test_special_tokens_written_in_a_text_are_words() -> None:
    assert (wordpieces.count("[SEP]"), expected("[SEP]")) == (3, 1)


def test_counts_are_kept_for_a_bounded_number_of_words() -> None:
    counts = wordpieces._counts()
    wordpieces.count(" ".join(map(str, range(wordpieces.CACHE_LIMIT + 1))))
    assert 0 < len(counts) <= wordpieces.CACHE_LIMIT
    assert wordpieces.count("unaffable") == expected("unaffable")


def test_tokenizer_files_come_with_origin_and_licence() -> None:
    names = {"config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"}
    assert {path.name for path in MODEL.iterdir()} == {*names, "LICENSE", "README.md"}
    assert "all-MiniLM-L6-v2" in (MODEL / "README.md").read_text("utf-8")
