"""Words and how they are folded."""

import pytest

from vault.model.words import fold, pairs, run_spans, runs, word_spans


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Plain", "Plain"), ("Ｆｕｌｌ", "Full"), ("كِتَاب", "كتاب"), ("שָׁלוֹם", "שלום"), ("ﬁn", "fin")],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain words", []),
        ("東京都 in 日 本", ["東京", "京都", "日", "本"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("한국어", ["한국", "국어"]),
        ("été", []),
    ],
)
def test_pairs(text: str, found: list[str]) -> None:
    assert pairs(text) == found


def test_runs() -> None:
    assert runs("東京 and カタカナ") == ["東京", "カタカナ"]
    assert runs("plain") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C++ and C#, a_b", ["C++", "and", "C#", "a", "b"]),
        ("e\u0301te\u0301 naïve", ["e\u0301te\u0301", "naïve"]),
        ("हिन्दी", ["हिन्दी"]),
        ("…", []),
    ],
)
def test_word_spans(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == found


def test_where_runs_are() -> None:
    assert run_spans("Ada喜欢 tea 茶") == [(3, 5), (10, 11)]
    assert run_spans("plain") == []
