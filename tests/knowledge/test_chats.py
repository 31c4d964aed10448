"""Turns of chats: read, written, and told apart from those that are held."""

import json
from collections.abc import Sequence

import pytest

from vault.knowledge.chats import (
    BadChatId,
    BadTurn,
    ChatDiverges,
    Turn,
    chat_at,
    chat_path,
    id_of,
    new_turns,
    read_transcript,
    read_turns,
)


def turns(words: str) -> list[Turn]:
    return [Turn("user", word) for word in words]


def words(found: Sequence[Turn]) -> str:
    return "".join(turn.content for turn in found)


@pytest.mark.parametrize(
    ("held", "given", "added"),
    [
        ("", "abc", "abc"),
        ("abc", "abc", ""),
        ("abc", "abcd", "d"),
        ("abcd", "ab", ""),
        ("abcd", "bc", ""),
        ("abc", "bcd", "d"),
        ("abc", "def", "def"),
        ("aa", "aaa", "a"),
        ("abab", "abc", "c"),
        ("abc", "", ""),
    ],
)
def test_what_follows_what_is_held_is_new(held: str, given: str, added: str) -> None:
    assert words(new_turns(turns(held), turns(given), "c")) == added
    assert words(new_turns(turns(held + added), turns(given), "c")) == ""


@pytest.mark.parametrize(("held", "given", "place"), [("abc", "axc", 1), ("abc", "xbd", 0), ("abc", "xay", 0)])
def test_turns_that_contradict_what_is_held_are_refused(held: str, given: str, place: int) -> None:
    with pytest.raises(ChatDiverges, match=f"turn {place} of the chat `c`"):
        new_turns(turns(held), turns(given), "c")


def test_a_turn_is_read_as_it_was_written() -> None:
    turn = Turn("user", 'a "line"\nand\u2028another', "2025-03-01T09:00:00Z", "Ada", 1)
    assert read_turns(f"{turn.as_line()}\n", "x") == ([turn], [])
    assert json.loads(Turn("tool", "").as_line()) == {"role": "tool", "content": ""}


def test_bad_lines_are_told_and_the_others_read() -> None:
    text = "\ufeff" + '{"role": "user", "content": "a"}\n\n[1]\nnot\n{"role": "user", "content": "b"}\n'
    found, problems = read_turns(text, "c.jsonl")
    assert [(turn.content, turn.line) for turn in found] == [("a", 1), ("b", 5)]
    assert [problem.message for problem in problems] == [
        "c.jsonl:3: this is not a JSON object",
        "c.jsonl:4: this is not JSON",
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ('{"role": "king", "content": "x"}', "`role` is one of"),
        ('{"role": ["user"], "content": "x"}', "`role` is one of"),
        ('{"role": "user"}', "`content` is a text"),
        ('{"role": "user", "content": 1}', "`content` is a text"),
        ('{"role": "user", "content": "x", "at": 5}', "`at` is a text"),
        ('{"role": "user", "content": "x", "name": ["a"]}', "`name` is a text"),
        ('{"type": "user", "message": "x", "sessionId": "s"}', "`message` is a JSON object"),
    ],
)
def test_what_is_no_turn_is_said_with_its_line(line: str, problem: str) -> None:
    with pytest.raises(BadTurn) as caught:
        read_transcript(f"\n{line}", "x.jsonl")
    assert caught.value.message.startswith(f"x.jsonl:2: {problem}")


def test_halves_of_characters_are_replaced() -> None:
    assert read_transcript('{"role": "user", "content": "a\\ud800b"}', "x").turns[0].content == "a?b"


def test_a_claude_code_session_gives_what_was_said() -> None:
    rows = [
        {"type": "summary", "summary": "Cakes", "leafUuid": "1"},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "meta"}, "sessionId": "5-a/b"},
        {
            "type": "user",
            "message": {"role": "user", "content": "Who bakes?"},
            "sessionId": "5-a/b",
            "timestamp": "2025-03-01T09:00:00.000Z",
        },
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Bob."},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "text", "text": "He bakes."},
                ],
            },
        },
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}},
        {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": "aside"}},
    ]
    found = read_transcript("\n".join(json.dumps(row) for row in rows), "x")
    assert found.ident == "5-a-b"
    assert [(turn.role, turn.content, turn.at, turn.line) for turn in found.turns] == [
        ("user", "Who bakes?", "2025-03-01T09:00:00.000Z", 3),
        ("assistant", "Bob.\n\nHe bakes.", "", 4),
    ]


@pytest.mark.parametrize("ident", ["", "..", ".a", "a/b", "a\n", "ä", "x" * 129])
def test_an_id_is_a_files_name(ident: str) -> None:
    with pytest.raises(BadChatId):
        chat_path("global", ident)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("global/chats/a.jsonl", ("global", "a")),
        ("spaces/work/chats/a.b.jsonl", ("work", "a.b")),
        ("global/chats/a.txt", None),
        ("global/chats/deep/a.jsonl", None),
        ("global/note/a.jsonl", None),
        ("chats/a.jsonl", None),
    ],
)
def test_a_chat_is_known_by_its_path(path: str, found: object) -> None:
    assert chat_at(path) == found


def test_an_id_is_made_of_any_words() -> None:
    assert id_of(" My chat (2)!") == "My-chat-2"
    assert id_of("…") == ""
