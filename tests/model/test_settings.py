"""`vault.yaml`: what it may say, and how it is blamed."""

import pytest

from vault.model.settings import (
    BadSettings,
    Finding,
    Hydration,
    Settings,
    Space,
    read_settings,
    with_space,
    write_settings,
)

FULL = """\
version: 1
spaces:
  work:
  diary: {private: true, description: "mine alone"}
check:
  unknown-field: error
  dangling-reference: off
  bad-enum: 'off'
file_limit: 1000
embedding: {model: BAAI/bge-small-en-v1.5}
search: {fusion: rrf, language: german}
hydration: {enabled: false, turns: 0, budget: 300, floor: 1}
"""


def test_settings_are_read_and_written_back() -> None:
    settings = read_settings(FULL)
    assert settings.spaces == {"work": Space("work"), "diary": Space("diary", private=True, description="mine alone")}
    assert settings.check == {"unknown-field": "error", "dangling-reference": "off", "bad-enum": "off"}
    assert settings.file_limit == 1000
    assert settings.finding == Finding("BAAI/bge-small-en-v1.5", "rrf", "german")
    assert settings.hydration == Hydration(enabled=False, turns=0, budget=300, floor=1)
    assert read_settings(write_settings(settings)) == settings
    assert read_settings("") == read_settings(write_settings(Settings())) == Settings()


def test_to_do_without_a_model_is_one_word() -> None:
    assert read_settings("embedding: none\n").finding == read_settings("embedding: {model: none}\n").finding
    assert read_settings("embedding:\nsearch:\n") == Settings()


def test_hydration_is_turned_off_by_a_word() -> None:
    assert read_settings("hydration: off\n").hydration == Hydration(enabled=False)
    assert read_settings("hydration:\n").hydration == Hydration()


def test_bundled_entries_are_there_unless_they_are_turned_off() -> None:
    assert read_settings("").bundled
    off = read_settings("bundled: off\n")
    assert not off.bundled
    assert read_settings(write_settings(off)) == off


def test_a_space_nobody_declared_is_private() -> None:
    settings = read_settings(FULL)
    assert [settings.is_private(scope) for scope in ("global", "work", "diary", "other")] == [False, False, True, True]
    assert not settings.is_private("bundled")
    assert settings.public_spaces() == ["work"]


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("- a\n", 1, "mapping of names", ""),
        ("version: 1\nspaces: {\n", 3, "", ""),
        ("version: 1\nspacs:\n  a:\n", 2, "`spacs` is not a setting", "`spaces`"),
        ("version: 1\nqqq: 1\n", 2, "`qqq` is not a setting", "known keys"),
        ("5: x\n", 1, "`5` is not a setting", "known keys"),
        ("\nversion: 2\n", 2, "format version 2", "newer"),
        ("version: true\n", 1, "format version True", "newer"),
        ("version: 1\nspaces: [a]\n", 2, "maps space names", ""),
        ("spaces:\n  ok:\n  Not Ok:\n", 3, "`Not Ok` is not a name", "a-z"),
        ("spaces:\n  global:\n", 2, "`global` is not a name", ""),
        ("spaces:\n  5:\n", 2, "the space `5` as 5", ""),
        ("spaces:\n  a: secret\n", 2, "settings of the space `a`", "private"),
        ("spaces: {diary: }\npermissions:\n  spaces:\n    dairy: {}\n", 4, "`dairy` is not a setting", "`diary`"),
        ("spaces:\n  a: {privat: true}\n", 2, "`privat` is not", "`private`"),
        ("spaces:\n  a:\n    privat: true\n", 3, "`privat` is not", "`private`"),
        ("spaces:\n  a: {private: 1}\n", 2, "true or false", ""),
        ("spaces:\n  a: {description: [x]}\n", 2, "is a text", "quotes"),
        ("check: error\n", 1, "maps codes", ""),
        ("check:\n  unknown-feild: error\n", 2, "`unknown-feild` is not", "`unknown-field`"),
        ("check:\n  bad-enum: fatal\n", 2, "`fatal` is not a severity", "warning"),
        ("check:\n  bad-enum: 0\n", 2, "`0` is not a severity", "warning"),
        ("version: 1\nfile_limit: lots\n", 2, "number of bytes", ""),
        ("embedding: some\n", 1, "`embedding` is a mapping", "as in `embedding: {model: …}`"),
        ("embedding: []\n", 1, "`embedding` is a mapping", ""),
        ("version: 1\nembedding: {modle: x}\n", 2, "`modle` is not", "`model`"),
        ("embedding:\n  model: 5\n", 2, "name of an embedding model", ""),
        ("embedding:\n  model: ' '\n", 2, "name of an embedding model", ""),
        ("search: [rrf]\n", 1, "`search` is a mapping", "as in `search: {fusion: …}`"),
        ("search:\n  fusion: sum\n", 2, "`sum` is not a way to combine rankings", "convex, rrf"),
        ("search:\n  language: germn\n", 2, "`germn` is not a language", "`german`"),
        ("search:\n  language: xx\n", 2, "`xx` is not a language", "known languages"),
        ("search:\n  langage: german\n", 2, "`langage` is not", "`language`"),
        ("file_limit: true\n", 1, "number of bytes", ""),
        ("file_limit: 0\n", 1, "number of bytes", ""),
        ("version: 1\nbundled: some\n", 2, "`bundled` is true or false", ""),
        ("version: 1\nhydration: some\n", 2, "`hydration` is a mapping", "enabled: false"),
        ("hydration:\n  turn: 3\n", 2, "`turn` is not", "`turns`"),
        ("hydration:\n  enabled: 1\n", 2, "true or false", ""),
        ("hydration:\n  turns: 1.5\n", 2, "`turns` is a number from 0 to 100", ""),
        ("hydration:\n  budget: 10\n", 2, "`budget` is a number from 100 to 20000", ""),
        ("hydration:\n  budget: true\n", 2, "`budget` is a number", ""),
        ("hydration:\n  floor: 2\n", 2, "`floor` is a number from 0 to 1", ""),
        ("hydration:\n  floor: .nan\n", 2, "`floor` is a number from 0 to 1", ""),
        ("version: 1\nfile_limit: !!int x\n", 1, "what its tag says", ""),
    ],
)
def test_a_bad_setting_is_blamed_on_its_line(text: str, line: int, message: str, hint: str) -> None:
    with pytest.raises(BadSettings) as caught:
        read_settings(text)
    assert caught.value.message.startswith(f"vault.yaml:{line}: ")
    assert caught.value.details["line"] == line
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.hint


KEPT = """\
# Our rooms
version: 1  # of the format

spaces:
    # open ones
    work:  # the day job
    diary:
        description: |
            mine
            alone
    # no more

# what weighs how much
check: {bad-enum: off}
"""


def test_a_space_is_added_where_spaces_are() -> None:
    added = with_space(KEPT, Space("lab", description="a: b"))
    assert added == KEPT.replace("    # no more", "    lab:\n      description: 'a: b'\n    # no more")


def test_a_space_is_changed_where_it_stands() -> None:
    changed = with_space(KEPT, Space("work", private=True))
    assert changed == KEPT.replace("# the day job\n", "# the day job\n      private: true\n")
    again = with_space(changed, Space("work", description="x, [y]"))
    assert again == KEPT.replace("# the day job\n", "# the day job\n      private: false\n      description: x, [y]\n")
    shorter = with_space(KEPT, Space("diary", description="ours"))
    assert shorter == KEPT.replace("|\n            mine\n            alone\n", "ours\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "spaces:\n  lab: {}\n"),
        ("# nothing yet", "# nothing yet\nspaces:\n  lab: {}\n"),
        ("version: 1", "version: 1\nspaces:\n  lab: {}\n"),
        ("check:\n  bad-enum: off\n\n# end\n", "check:\n  bad-enum: off\nspaces:\n  lab: {}\n\n# end\n"),
        ("version: 1\nspaces:  # none\n# end\n", "version: 1\nspaces:  # none\n  lab: {}\n# end\n"),
        ("spaces: ~\n", "spaces: {lab: {}}\n"),
        ("spaces: {}  # none\n", "spaces: {lab: {}}  # none\n"),
        ("{version: 1, spaces: {work: , } }\n", "{version: 1, spaces: {work: , lab: {} , } }\n"),
        ("{version: 1}", "{version: 1, spaces: {lab: {}}}"),
        ("spaces:\r\n  work: {}\r\n", "spaces:\r\n  work: {}\r\n  lab: {}\r\n"),
        ("spaces: {work: &a {}}\ncheck: &b {}\n", "spaces: {work: &a {}, lab: {}}\ncheck: &b {}\n"),
        ("spaces:\n  a: &x {}\n  b: *x\n...\n", "spaces:\n  a: &x {}\n  b: *x\n  lab: {}\n...\n"),
    ],
)
def test_a_space_is_added_to_any_layout(text: str, expected: str) -> None:
    assert with_space(text, Space("lab")) == expected


def test_what_only_a_person_can_change_is_said() -> None:
    with pytest.raises(BadSettings, match="not changed here") as caught:
        with_space("spaces:\n  a: &x {}\n  b: *x\n", Space("a", private=True))
    assert "`a: {'private': True}`" in caught.value.hint


def test_a_repeated_space_is_refused_with_both_lines() -> None:
    text = "spaces:\n  diary: {private: true}\n  work: {}\n  diary: {description: days}\n"
    with pytest.raises(BadSettings, match="`diary` is already on line 2") as caught:
        read_settings(text)
    assert caught.value.message.startswith("vault.yaml:4: ")
