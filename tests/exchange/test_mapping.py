"""Reading the file of `--map`."""

import pytest

from vault.exchange.mapping import ImportMapping, MappingError, TypeRule, read_mapping
from vault.model.values import EnumValue


def test_a_mapping_is_read() -> None:
    data = {
        "identity": "key",
        "types": [
            {"match": "teams/**", "type": "actor", "set": {"kind": "enum(team)", "rank": 2, "pinned": True}},
            {"type": "thing"},
        ],
        "fields": {"bio": "summary", "roles[].type": "skip"},
    }
    assert read_mapping(data, "map.yaml") == ImportMapping(
        "key",
        (
            TypeRule("teams/**", "actor", {"kind": EnumValue("team"), "rank": 2, "pinned": True}),
            TypeRule("**", "thing"),
        ),
        {"bio": "summary", "roles[].type": "skip"},
    )


def test_an_empty_mapping_makes_notes() -> None:
    assert read_mapping(None, "map.yaml") == ImportMapping()
    assert ImportMapping().rule_for("a/b.md").type == "note"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**", "a/b.md", True),
        ("teams/**", "teams/x/a.md", True),
        ("teams/**", "other/teams/a.md", False),
        ("**/teams/*", "teams/a.md", True),
        ("**/teams/*", "x/y/teams/a.md", True),
        ("*.md", "a/b.md", False),
        ("a?.m[d]", "ab.m[d]", True),
    ],
)
def test_patterns_match_paths(pattern: str, path: str, matches: bool) -> None:
    assert TypeRule(pattern, "note").matches(path) is matches


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        ([], "made of keys", "a mapping has"),
        ({"feilds": {}}, "`feilds`", "did you mean `fields`?"),
        ({"types": [{"mach": "*"}]}, "`mach`", "did you mean `match`?"),
        ({"types": {"a": 1}}, "a list of rules", ""),
        ({"types": [{"type": "no type"}]}, "`no type` cannot be a type", ""),
        ({"types": [{"match": 1}]}, "`match` is a pattern", ""),
        ({"types": [{"set": []}]}, "`set` is made of", ""),
        ({"types": [{"set": {"a": None}}]}, "`None` cannot be set", ""),
        ({"fields": []}, "`fields` is made of", ""),
        ({"fields": {"a": "b c"}}, "`b c` cannot be a field", "`skip`"),
    ],
)
def test_a_wrong_mapping_is_refused(data: object, message: str, hint: str) -> None:
    with pytest.raises(MappingError) as raised:
        read_mapping(data, "map.yaml")
    assert raised.value.message.startswith("map.yaml: ")
    assert message in raised.value.message
    assert hint in raised.value.hint


def test_a_mapping_says_where_the_names_of_a_key_live() -> None:
    mapping = read_mapping({"fields": {"topics": {"to": "relates_to", "in": "topics/**"}, "by": {}}}, "map.yaml")
    assert mapping.fields == {"topics": "relates_to", "by": "relates_to"}
    assert mapping.places == {"topics": "topics/**", "by": "**"}
    with pytest.raises(MappingError, match="`In` is not a key of `a` of `fields`"):
        read_mapping({"fields": {"a": {"In": "x"}}}, "map.yaml")
    with pytest.raises(MappingError, match="`in` is a pattern"):
        read_mapping({"fields": {"a": {"in": 1}}}, "map.yaml")
