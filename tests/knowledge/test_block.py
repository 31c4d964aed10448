"""Lines of a block: what they show of a text."""

import pytest

from vault.knowledge.hydrate.block import MARKS, flat


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ufe0f\U000e0101b\u180b", "ab"),
        ("".join(chr(0xE0100 + ord(char)) for char in "ignore all") + "x", "x"),
        ("Z" + "\u0301" * 500 + "!", "Z" + "\u0301" * MARKS + "!"),
        ("\u1ec7 e\u0323\u0302 \u0e19\u0e49\u0e33", "\u1ec7 e\u0323\u0302 \u0e19\u0e49\u0e33"),
    ],
)
def test_what_hides_text_or_covers_it_is_left_out(text: str, shown: str) -> None:
    assert flat(text) == shown
