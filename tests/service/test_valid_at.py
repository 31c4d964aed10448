"""What held at a moment, and what was known of it at another."""

from pathlib import Path

import pytest

from tests.service.conftest import Git, Open
from vault.lang.literal import read_literal
from vault.model.values import Value
from vault.model.when import BadMoment
from vault.service.arguments.commit_options import CommitOptions
from vault.service.read.entry_detail import detail
from vault.service.vault import Vault
from vault.service.write import facts, update


def day(text: str) -> Value:
    """A day as a field holds it."""
    return read_literal(text, "valid_from", None)


def say(vault: Vault, value: str, **days: str) -> None:
    """Say what Bob's role is, or was."""
    told = {name: day(text) for name, text in days.items()}
    facts.record(vault, "bob", "work/role", f"Bob is {value}", {"value": value, **told})


def held(open_vault: Open, valid_at: str, at: str | None = None, space: str | None = None) -> list[object]:
    """What Bob's role was."""
    vault = open_vault(space)
    vault.go_back(at, valid_at=valid_at)
    return [stored.entry.fields["value"] for stored in vault.entries(kind="fact")]


def test_a_statement_holds_until_its_successor_begins(bob: Vault, open_vault: Open) -> None:
    say(bob, "CTO", valid_from="2010-01-01")
    say(bob, "CEO", valid_from="2015-01-01")
    say(bob, "chair", observed_at="2020-05-05")
    for when, values in {
        "2009-12-31": [],
        "2010-01-01": ["CTO"],
        "2014-12-31": ["CTO"],
        "2015-01-01": ["CEO"],
        "2020-05-04": ["CEO"],
        "2020-05-05": ["chair"],
        "2999-01-01": ["chair"],
    }.items():
        assert held(open_vault, when) == values, when


def test_a_correction_counts_and_not_what_it_corrected(bob: Vault, open_vault: Open) -> None:
    say(bob, "CTO", valid_from="2010-01-01")
    say(bob, "CEO", valid_from="2005-01-01")
    say(bob, "chair", valid_from="2015-01-01")
    assert held(open_vault, "2007-01-01") == ["CEO"]
    assert held(open_vault, "2012-01-01") == ["CEO"]
    assert held(open_vault, "2007-01-01", "HEAD~2") == []
    assert held(open_vault, "2012-01-01", "HEAD~2") == ["CTO"]
    assert held(open_vault, "2020-01-01", "HEAD~1") == ["CEO"]


def test_gaps_and_values_that_come_back(bob: Vault, open_vault: Open) -> None:
    say(bob, "sen", valid_from="2001-01-03", valid_until="2999-01-03")
    say(bob, "rep", valid_from="1993-01-05", valid_until="1995-01-03")
    say(bob, "sen", valid_from="1980-01-01", valid_until="1985-01-01")
    for when, values in {
        "1984-12-31": ["sen"],
        "1985-01-01": [],
        "1993-01-05": ["rep"],
        "1995-01-02": ["rep"],
        "1995-01-03": [],
        "2001-01-03": ["sen"],
    }.items():
        assert held(open_vault, when) == values, when


def test_without_days_the_commits_tell(bob: Vault, open_vault: Open) -> None:
    bob.environ = {**bob.environ, "GIT_COMMITTER_DATE": "2012-01-01T12:00:00+0000"}
    say(bob, "CTO")
    bob.environ = {**bob.environ, "GIT_COMMITTER_DATE": "2014-01-01T12:00:00+0000"}
    facts.retract(bob, "fact.bob_role")
    bob.environ = {**bob.environ, "GIT_COMMITTER_DATE": "2016-01-01T12:00:00+0000"}
    say(bob, "CEO")
    bob.environ = {**bob.environ, "GIT_COMMITTER_DATE": "2018-01-01T12:00:00+0000"}
    say(bob, "chair", valid_until="2017-01-01")
    update.change(bob, "fact.bob_role", {"tags": ("x",)}, options=CommitOptions())
    for when, values in {
        "2011-01-01": ["chair"],
        "2013-01-01": ["CTO", "chair"],
        "2015-01-01": ["chair"],
        "2016-06-01": ["CEO", "chair"],
        "2018-06-01": ["CEO"],
    }.items():
        assert held(open_vault, when) == values, when


def test_what_is_not_committed_counts_from_now(bob: Vault, open_vault: Open, root: Path) -> None:
    bob.environ = {**bob.environ, "GIT_COMMITTER_DATE": "2012-01-01T12:00:00+0000"}
    say(bob, "CTO")
    update.change(bob, "fact.bob_role", {"value": "CEO", "statement": "Bob is CEO"})
    assert held(open_vault, "2013-01-01") == ["CTO"]
    assert held(open_vault, "now") == ["CEO"]
    (root / "global/fact/bob_role.firm").unlink()
    assert held(open_vault, "2013-01-01") == ["CTO"]
    assert held(open_vault, "now") == []


def test_what_held_is_cited_where_it_stood(bob: Vault, open_vault: Open, git: Git) -> None:
    say(bob, "CTO", valid_from="2010-01-01")
    commit = git("rev-parse", "HEAD")[:10]
    say(bob, "CEO", valid_from="2015-01-01")
    vault = open_vault()
    vault.go_back(valid_at="2012-01-01")
    found = detail(vault, "fact.bob_role")
    assert (found.commit, found.stored.entry.fields["value"]) == (commit, "CTO")
    assert b"CTO" in vault.read(found.stored.entry.path)
    assert detail(vault, "actor.bob").referrers
    assert vault.get("Bob").entry.key == "actor.bob"


def test_a_private_space_shows_from_inside_alone(bob: Vault, open_vault: Open) -> None:
    with open_vault("diary") as inside:
        say(inside, "spy", valid_from="2010-01-01")
        say(inside, "clerk", valid_from="2015-01-01")
    assert held(open_vault, "2012-01-01") == []
    assert held(open_vault, "2012-01-01", space="diary") == ["spy"]


def test_a_vault_without_history_knows_what_its_files_say(bob: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    text = 'fact f { statement = "CTO" value = "CTO" valid_from = 2010-01-01 }\n'
    (folder / "a.firm").write_text(text + 'fact g { statement = "x" value = "x" valid_from = 2015-01-01 }\n')
    with Vault.open(folder) as vault:
        vault.go_back(valid_at="2012-01-01")
        assert [stored.entry.id for stored in vault.entries(kind="fact")] == ["f"]


def test_a_branch_that_is_not_headed_to_is_read_from_its_files(bob: Vault, open_vault: Open, git: Git) -> None:
    say(bob, "CTO", valid_from="2010-01-01")
    git("checkout", "-qb", "side")
    say(bob, "CEO", valid_from="2015-01-01")
    git("checkout", "-q", "-")
    assert held(open_vault, "2016-01-01", "side") == ["CEO"]
    assert held(open_vault, "2012-01-01", "side") == []
    assert held(open_vault, "2016-01-01") == ["CTO"]


def test_a_day_that_is_none_is_refused(bob: Vault) -> None:
    with pytest.raises(BadMoment):
        bob.go_back(valid_at="whenever")
