"""What hygiene finds, in what the reader sees; criterion 8 of the navigation's source."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.service.conftest import Open, Write
from tests.service.days import Days, fact
from vault import wire
from vault.knowledge.hygiene.finding import CODES, Report
from vault.knowledge.navigate.parameters import InvalidParameter
from vault.model.settings import BadSettings, Settings, Space, read_settings, write_settings
from vault.service.arguments.severities import fails
from vault.service.read.hygiene import hygiene
from vault.service.vault import Vault

WHOLE = {"sources": '["a book"]', "observed_at": "2021-01-01"}


def known(ident: str, name: str, more: str = "", kind: str = "actor") -> dict[str, str | None]:
    return {f"global/{kind}/{ident}.firm": f'{kind} {ident} {{ name = "{name}" {more} }}\n'}


def said(ident: str, place: str = "a/b/c", about: str = "actor.ada", **fields: str) -> dict[str, str | None]:
    return {f"global/fact/{ident}.firm": fact(ident, f"Said in {ident}", about, place, **{**WHOLE, **fields})}


def told(report: Report) -> list[tuple[str, str, str]]:
    """Code, first id and command of each finding."""
    return [
        (one.code, one.entries[0].entry.key, one.command.removeprefix("vault --global ")) for one in report.findings
    ]


@pytest.fixture
def days(root: Path) -> Days:
    """Ada, of whom one thing is said as it should be."""
    made = Days(root)
    made.commit({**known("ada", "Ada Lovelace"), **said("role")})
    return made


@pytest.mark.usefixtures("days")
def test_a_tidy_vault_has_no_findings(vault: Vault) -> None:
    report = hygiene(vault)
    assert (list(report.findings), report.entries) == ([], 2)


CASES: list[tuple[str, dict[str, str | None], list[tuple[str, str, str]]]] = [
    (
        "entities of one name",
        {**known("b", "ada  LOVELACE"), **known("c", "C", "uses = [actor.b]")},
        [("duplicate-name", "actor.b", "set actor.c uses-=actor.b uses+=actor.ada")],
    ),
    (
        "entities of one name, of which one is named in facts alone",
        {**known("b", "B", 'aliases = ["Ada Lovelace"]'), **said("of_b", "x/y/z", "actor.b"), **said("more", "x//y")},
        [("duplicate-name", "actor.b", "set fact.of_b subject=actor.ada")],
    ),
    (
        "entities of one name that say the same slot",
        {**known("b", "Ada Lovelace"), **said("of_b", "a/b/c", "actor.b")},
        [("duplicate-name", "actor.b", "edit fact.of_b")],
    ),
    (
        "entities of one name, of which one has its own links alone",
        {**known("b", "Ada Lovelace", "uses = [actor.ada]"), **known("c", "C", "uses = [actor.b.name, actor.ada]")},
        [("duplicate-name", "actor.b", "edit actor.c")],
    ),
    (
        "an entity to remove",
        {**known("b", "Ada Lovelace", "uses = [actor.ada]")},
        [("duplicate-name", "actor.b", "rm actor.b")],
    ),
    (
        "names that are nearly the same",
        {**known("b", "Lovelace, Ada", 'aliases = ["Lovelace Ada"] uses = [actor.ada]')},
        [("near-duplicate-name", "actor.b", "rm actor.b")],
    ),
    ("things of near names", known("b", "Ada Lovelave", "uses = [actor.ada]", "thing"), []),
    ("an entity of which nothing is known", known("b", "Bob"), [("unused-entity", "actor.b", "rm actor.b")]),
    (
        "names that name nothing",
        known("b", "42", 'aliases = ["Unknown"] uses = [actor.ada]'),
        [("suspicious-name", "actor.b", "edit actor.b"), ("suspicious-name", "actor.b", "edit actor.b")],
    ),
    (
        "two that fill a slot",
        said("other", observed_at="2020-01-01"),
        [("slot-conflict", "fact.other", "supersede fact.other fact.role")],
    ),
    (
        "three that fill a slot",
        {**said("other", observed_at="2020-01-01"), **said("third", observed_at="2019-01-01")},
        [
            ("slot-conflict", "fact.third", "set fact.third valid_until=2030-05-06 --commit"),
            ("slot-conflict", "fact.other", "set fact.other valid_until=2030-05-06 --commit"),
        ],
    ),
    ("what stands beside", said("rule", kind='enum"constraint"'), []),
    (
        "a fact about nothing",
        {"global/fact/f.firm": fact("f", "Ada Lovelace was here", "", "x//f", **WHOLE)},
        [("fact-without-subject", "fact.f", "set fact.f subject=actor.ada")],
    ),
    (
        "a fact about several",
        {"global/fact/f.firm": fact("f", "F", "", "x//f", describes="[actor.ada, fact.role]", **WHOLE)},
        [("fact-without-subject", "fact.f", "set fact.f subject=actor.ada")],
    ),
    (
        "a fact about nothing that is said already",
        {"global/fact/f.firm": fact("f", "Ada Lovelace was here", "", "a/b/c", **WHOLE)},
        [("fact-without-subject", "fact.f", "edit fact.f")],
    ),
    ("a fact without a claim", said("F_1", "a/b"), [("fact-without-claim", "fact.F_1", "set fact.F_1 claim=f_1")]),
    (
        "a fact without a claim whose id is one",
        {**said("f", "a/b"), **said("g", "a/b/f")},
        [("fact-without-claim", "fact.f", "edit fact.f")],
    ),
    (
        "a fact without source and date",
        {"global/fact/f.firm": fact("f", "F", place="x//f")},
        [
            ("fact-without-source", "fact.f", "edit fact.f"),
            ("fact-without-date", "fact.f", "set fact.f observed_at=2021-01-02"),
        ],
    ),
    (
        "references that lead nowhere",
        {
            **known("b", "B", "uses = [actor.adda, thing.nowhere, actor.ada]"),
            **said("f", "x//f", describes="[fact.roel.name]", produced_by="actor.gone"),
            **said("g", "x//g", produced_by="actor.adda"),
        },
        [
            ("dangling-reference", "actor.b", "set actor.b uses-=actor.adda"),
            ("dangling-reference", "actor.b", "set actor.b uses-=thing.nowhere"),
            ("dangling-reference", "fact.f", "set fact.f describes-=fact.roel.name"),
            ("dangling-reference", "fact.f", "set fact.f --unset produced_by"),
            ("dangling-reference", "fact.g", "set fact.g produced_by=actor.ada"),
        ],
    ),
    (
        "references to oneself",
        {**known("b", "B", "uses = [actor.b, actor.ada]")},
        [("self-reference", "actor.b", "set actor.b uses-=actor.b")],
    ),
    (
        "a nested reference to oneself",
        {**known("b", "B", "uses = [actor.ada] pairs = [[actor.b]]")},
        [("self-reference", "actor.b", "edit actor.b")],
    ),
    (
        "what is over",
        said("past", valid_until="2020-01-01"),
        [("stale-fact", "fact.past", "edit fact.past")],
    ),
    (
        "an aspect of many facts",
        {key: text for number in range(51) for key, text in said(f"f{number}", f"a/b/name_{number}").items()},
        [("overgrown-aspect", "actor.ada", "set fact.f0 group=name")],
    ),
    (
        "an aspect of many facts in a group of their name",
        {key: text for number in range(51) for key, text in said(f"f{number}", f"a/name/name_{number}").items()},
        [("overgrown-aspect", "actor.ada", "edit fact.f0")],
    ),
    (
        "an entry that is declared twice",
        {**known("b", "42", "uses = [actor.ada]"), "global/z.firm": 'actor b { name = "Z" uses = [actor.ada] }\n'},
        [("suspicious-name", "actor.b", "edit global/actor/b.firm")],
    ),
]


@pytest.mark.parametrize(("files", "found"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_findings_name_entries_and_what_mends_them(
    vault: Vault, days: Days, files: dict[str, str | None], found: list[tuple[str, str, str]]
) -> None:
    days.commit(files)
    vault.clock = lambda: Days.moment(2030, 5, 6)
    assert told(hygiene(vault)) == found


def test_8_a_report_writes_nothing_and_has_a_shape(vault: Vault, days: Days, root: Path) -> None:
    days.write(known("b", "42", "uses = [actor.ada]"))
    before = {place: place.read_bytes() for place in root.rglob("*.firm")}
    assert wire.hygiene(hygiene(vault)) == {
        "items": [
            {
                "code": "suspicious-name",
                "severity": "warning",
                "message": "“42”, which `actor.b` goes by, holds no letter",
                "ids": ["actor.b"],
                "paths": ["global/actor/b.firm"],
                "line": 1,
                "command": "vault --global edit actor.b",
            }
        ],
        "total": 1,
        "errors": 0,
        "warnings": 1,
        "infos": 0,
        "entries": 3,
    }
    assert {place: place.read_bytes() for place in root.rglob("*.firm")} == before


@pytest.mark.parametrize(("fail_on", "failed"), [(None, False), ("error", False), ("warning", True), ("info", True)])
def test_a_report_fails_on_a_severity_and_worse(vault: Vault, days: Days, fail_on: str | None, failed: bool) -> None:
    days.write(known("b", "42", "uses = [actor.ada]"))
    assert fails(hygiene(vault), fail_on) is failed


def test_an_unknown_severity_is_refused(vault: Vault) -> None:
    with pytest.raises(InvalidParameter):
        fails(hygiene(vault), "fatal")


def test_allowed_names_are_let_be(open_vault: Open, days: Days, root: Path) -> None:
    days.write({**known("b", "42", "uses = [actor.ada]"), **known("c", "ADA LOVELACE", "uses = [actor.ada]")})
    assert len(told(hygiene(open_vault()))) == 2
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + 'hygiene: {allow: ["42", "ada lovelace"]}\n')
    assert told(hygiene(open_vault())) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hygiene: [x]", "`hygiene` is a mapping"),
        ("hygiene: {alow: [x]}", "`alow` is not a setting"),
        ("hygiene: {allow: [1984]}", "`allow` is a list of names"),
        ("hygiene: {allow: x}", "`allow` is a list of names"),
        ("hygene: {}", "`hygene` is not a setting"),
    ],
)
def test_settings_of_hygiene_are_checked(text: str, says: str) -> None:
    with pytest.raises(BadSettings, match=says):
        read_settings(f"version: 1\n{text}\n")


def test_settings_of_hygiene_are_written_as_they_are_read() -> None:
    settings = Settings(allowed_names=("The Who", "1984"))
    assert read_settings(write_settings(settings)) == settings
    assert read_settings("hygiene:\n").allowed_names == ()


def test_a_folder_without_git_has_commands_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "all.firm").write_text(
        'actor ada { name = "Ada" }\n'
        + fact("f", "F", place="a//b")
        + fact("g", "G", place="a//b", **WHOLE)
        + fact("h", "H", place="a//c", **WHOLE, valid_until="2020-01-01")
    )
    with Vault.open(tmp_path, environ={}) as vault:
        vault.clock = lambda: Days.moment(2030, 5, 6)
        assert {(one.code, one.command) for one in hygiene(vault).findings} == {
            ("slot-conflict", "vault set fact.f valid_until=2030-05-06"),
            ("fact-without-source", "vault edit fact.f"),
            ("fact-without-date", "vault set fact.f observed_at=2030-05-06"),
            ("stale-fact", "vault edit fact.h"),
        }


def test_what_is_not_committed_is_known_since_today(vault: Vault, days: Days) -> None:
    days.write({"global/fact/f.firm": fact("f", "F", place="x//f", sources='["a"]')})
    vault.clock = lambda: Days.moment(2030, 5, 6)
    assert told(hygiene(vault)) == [("fact-without-date", "fact.f", "set fact.f observed_at=2030-05-06")]


def test_a_space_is_looked_over_from_inside(open_vault: Open, days: Days) -> None:
    days.write(
        {
            "spaces/work/actor/b.firm": 'actor b { name = "Ada Lovelace" uses = [actor.ada, thing.nowhere] }\n',
            "spaces/work/actor/ada.firm": 'actor ada { name = "42" uses = [actor.b] }\n',
            **known("c", "Carla", "uses = [actor.ada, actor.b]"),
        }
    )
    found = {(one.code, one.command) for one in hygiene(open_vault("work")).findings}
    assert found == {
        ("dangling-reference", "vault --space work set actor.b uses-=thing.nowhere"),
        ("dangling-reference", "vault --global set actor.c uses-=actor.b"),
        ("suspicious-name", "vault --space work edit actor.ada"),
    }
    assert told(hygiene(open_vault())) == [("dangling-reference", "actor.c", "set actor.c uses-=actor.b")]
    everywhere = hygiene(open_vault(), everything=True)
    assert {(one.code, one.command) for one in everywhere.findings} == found


def test_an_agent_is_told_of_what_it_sees(vault: Vault, days: Days) -> None:
    days.write(known("b", "42", 'agent = "a" uses = [actor.ada]'))
    days.write(known("c", "Carla", "uses = [actor.b]"))
    assert [code for code, *_ in told(hygiene(vault, agent_id="a"))] == ["suspicious-name"]
    assert [code for code, *_ in told(hygiene(vault, agent_id="b"))] == ["dangling-reference"]


DIARY = {
    "spaces/diary/actor/ada.firm": 'actor ada { name = "Ada Lovelace" aliases = ["42"] }\n',
    "spaces/diary/actor/lover.firm": 'actor lover { name = "Lord Byron" aliases = ["Them", "園丁", "the"] }\n',
    "spaces/diary/note/d.firm": 'note d { name = "Lord Byron" relates_to = [thing.nowhere] }\n',
    "spaces/diary/fact/f.firm": fact("f", "Without all"),
    "spaces/diary/fact/role.firm": fact("role", "Another", place="a/b/c"),
}


def test_names_of_a_private_space_are_found_outside_by_its_owner(open_vault: Open, days: Days) -> None:
    days.write(
        {
            **DIARY,
            "global/note/n.firm": 'note n { text_file = path"n.md" }\n',
            "global/note/n.md": "Met lord  BYRON today.\n",
            "spaces/work/note/w.firm": 'note w { text = "園丁" tags = ["Ada Lovelace"] }\n',
            "global/note/plain.firm": 'note plain { text = "Them and Ada Lovelace and Byron" }\n',
        }
    )
    found = [one for one in hygiene(open_vault(), everything=True).findings if one.code == "private-name"]
    assert [([stored.entry.key for stored in one.entries], one.command) for one in found] == [
        (["note.n", "actor.lover"], "vault --global edit note.n"),
        (["note.plain", "actor.lover"], "vault --global edit note.plain"),
        (["note.w", "actor.lover"], "vault --space work edit note.w"),
    ]
    for vault in (open_vault(), open_vault("diary"), open_vault(all_spaces=True)):
        assert "private-name" not in [one.code for one in hygiene(vault).findings]


@pytest.mark.parametrize("how", [{}, {"space": "work"}, {"all_spaces": True}], ids=str)
def test_a_report_is_the_same_with_and_without_a_private_space(
    root: Path, days: Days, tmp_path: Path, how: dict[str, str]
) -> None:
    days.commit(
        {
            **known("b", "Lord Byron", "uses = [actor.lover, thing.nowhere, actor.lovers]"),
            **known("e", "42"),
            "spaces/work/note/w.firm": 'note w { text = "園丁" relates_to = [note.d] }\n',
            **said("on_lover", "x//y", "actor.lover"),
            "global/fact/loose.firm": fact("loose", "Ada Lovelace met Them", ""),
        }
    )
    without = tmp_path / "without"
    shutil.copytree(root, without)
    (without / "vault.yaml").write_text(write_settings(Settings(spaces={"work": Space("work")})))
    days.commit(dict(DIARY))
    reports = []
    for place in (root, without):
        with Vault.open(place, environ={}, max_age=0, **how) as vault:  # type: ignore[arg-type]
            vault.clock = lambda: Days.moment(2030, 5, 6)
            reports.append(json.dumps(wire.hygiene(hygiene(vault)), ensure_ascii=False, indent=1))
    assert reports[0] == reports[1]
    assert "dangling-reference" in reports[0]


def test_every_code_has_a_case() -> None:
    found = {code for _, _, findings in CASES for code, *_ in findings}
    assert found == set(CODES) - {"private-name"}


def test_a_fact_that_began_today_is_withdrawn_and_not_ended(write: Write, vault: Vault) -> None:
    vault.clock = lambda: datetime(2031, 3, 9, 12, tzinfo=UTC)
    for number, word in enumerate("ab"):
        fact = f'statement = "{word}" subject = actor.bob aspect = "work" claim = "role" valid_from = 2031-03-09'
        write(f"global/fact/{word}.firm", f"fact {word} {{ {fact} created_at = 2031-01-0{number + 1} }}\n")
    write("global/actor/bob.firm", 'actor bob { name = "Bob" }\n')
    (found,) = [item for item in vault.check() if item.code == "slot-conflict"]
    assert "`vault retract fact.a` withdraws the other" in found.hint
    assert "valid_until" not in found.hint
