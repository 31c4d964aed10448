"""`vault.yaml`: what it may say, and how it is blamed."""

import pytest

from vault.model.settings import BadSettings, Settings, Space, read_settings, write_settings

FULL = """\
version: 1
spaces:
  work:
  diary: {private: true, description: "mine alone"}
check:
  unknown-field: error
  dangling-reference: off
  bad-enum: 'off'
timezone: Europe/Lisbon
file_limit: 1000
"""


def test_settings_are_read_and_written_back() -> None:
    settings = read_settings(FULL)
    assert settings.spaces == {"work": Space("work"), "diary": Space("diary", private=True, description="mine alone")}
    assert settings.check == {"unknown-field": "error", "dangling-reference": "off", "bad-enum": "off"}
    assert (settings.timezone, settings.file_limit) == ("Europe/Lisbon", 1000)
    assert read_settings(write_settings(settings)) == settings
    assert read_settings("") == read_settings(write_settings(Settings())) == Settings()


def test_a_space_nobody_declared_is_private() -> None:
    settings = read_settings(FULL)
    assert [settings.is_private(scope) for scope in ("global", "work", "diary", "other")] == [False, False, True, True]
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
        ("spaces:\n  ok:\n  Not Ok:\n", 3, "`Not Ok` is no name", "a-z"),
        ("spaces:\n  global:\n", 2, "`global` is no name", ""),
        ("spaces:\n  5:\n", 2, "`5` is no name", ""),
        ("spaces:\n  a: secret\n", 2, "settings of the space `a`", "private"),
        ("spaces:\n  a: {privat: true}\n", 2, "`privat` is not", "`private`"),
        ("spaces:\n  a:\n    privat: true\n", 3, "`privat` is not", "`private`"),
        ("spaces:\n  a: {private: 1}\n", 2, "true or false", ""),
        ("spaces:\n  a: {description: [x]}\n", 2, "is a text", "quotes"),
        ("check: error\n", 1, "maps codes", ""),
        ("check:\n  unknown-feild: error\n", 2, "`unknown-feild` is not", "`unknown-field`"),
        ("check:\n  bad-enum: fatal\n", 2, "`fatal` is no severity", "warning"),
        ("check:\n  bad-enum: 0\n", 2, "`0` is no severity", "warning"),
        ("version: 1\ntimezone: Mars\n", 2, "`Mars` is no time zone", "Europe"),
        ("timezone: Europe\n", 1, "`Europe` is no time zone", "Europe"),
        ("timezone: ../x\n", 1, "no time zone", "Europe"),
        ("version: 1\nfile_limit: lots\n", 2, "number of bytes", ""),
        ("file_limit: true\n", 1, "number of bytes", ""),
        ("file_limit: 0\n", 1, "number of bytes", ""),
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
