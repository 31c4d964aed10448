"""A real stream of dated statements, replayed by plain git and by `remember`: at any date the vault knew what it says.

The data lies in `shared/data/updates` beside the repository, where it is present; one of our own is always there.
"""

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.endurance import amount
from tests.service.conftest import ENVIRON
from vault.knowledge.payload import payload_of
from vault.lang.write import write_entry
from vault.model.values import Reference
from vault.service.admin.init import init
from vault.service.vault import Vault
from vault.service.write.apply_payload import remember
from vault.workspace.versions import versions

HANDED = Path(__file__).parents[3] / "shared" / "data" / "updates" / "openstates_wy_history.jsonl"

Row = dict[str, Any]
State = dict[tuple[str, str], str]

#: Statements of our own: a value that returns, one that goes, two changes in a day, a name in another script.
OWN = [
    {"date": date, "commit": commit, "id": ident, "attribute": attribute, "new": new}
    for date, commit, ident, attribute, new in [
        ("2020-01-01", "a", "x/1", "role", "A"),
        ("2020-01-01", "a", "x/2", "имя", "Б"),
        ("2020-01-02", "b", "x/1", "role", "B"),
        ("2020-01-02", "c", "x/1", "role", 'said "C"'),
        ("2020-01-05", "d", "x/1", "role", None),
        ("2020-01-05", "d", "x/2", "имя", "В"),
        ("2020-01-09", "e", "x/1", "role", "A"),
    ]
]


def streams() -> Iterator[list[Row]]:
    yield OWN
    if HANDED.is_file():
        lines = HANDED.read_text("utf-8").splitlines()
        yield [json.loads(line) for line in lines[: amount(300, len(lines))]]


def ident_of(*words: str) -> str:
    """An id of any words, the same each time."""
    return "_".join(["f", *(re.sub(r"[^a-z0-9]", lambda found: f"_{ord(found[0]):x}", word.lower()) for word in words)])


def told(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def replay(root: Path, rows: list[Row]) -> list[tuple[str, State]]:
    """Commit the statements as the stream does; returns the date of each commit and what held after it."""
    commits: dict[str, list[Row]] = {}
    for row in rows:
        commits.setdefault(row["commit"], []).append(row)
    state: State = {}
    known = []
    for stated in commits.values():
        for row in stated:
            _state(root, row, state)
        at = {"GIT_COMMITTER_DATE": f"{stated[0]['date']}T12:00:00 +0000"}
        for words in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "Change"]):
            subprocess.run(["git", *words], cwd=root, env={**os.environ, **ENVIRON, **at}, check=True)
        known.append((stated[0]["date"], dict(state)))
    return known


def _state(root: Path, row: Row, state: State) -> None:
    ident = ident_of(row["id"], row["attribute"])[-120:]
    place = root / f"global/fact/{ident}.firm"
    place.parent.mkdir(parents=True, exist_ok=True)
    if row["new"] is None:
        place.unlink(missing_ok=True)
        state.pop((row["id"], row["attribute"]), None)
        return
    state[row["id"], row["attribute"]] = told(row["new"])
    subject = Reference("thing", ident_of(row["id"])[-120:])
    fields = {"statement": "It is so.", "subject": subject, "claim": row["attribute"], "value": told(row["new"])}
    place.write_text(write_entry("fact", ident, fields), "utf-8")


@pytest.mark.endurance
@pytest.mark.parametrize("rows", list(streams()), ids=len)
def test_at_any_date_the_vault_knew_what_was_stated(tmp_path: Path, rows: list[Row]) -> None:
    root = tmp_path / "vault"
    init(root, ENVIRON)
    subprocess.run(["git", "update-ref", "-d", "HEAD"], cwd=root, check=True)
    known = replay(root, rows)
    chance = random.Random(7)
    dates = sorted({date for date, _ in known})
    asked = [(chance.choice(rows), chance.choice(dates)) for _ in range(200)]
    with Vault.open(root) as vault:
        for date in sorted({date for _, date in asked}):
            vault.go_back(date)
            snapshot = vault.snapshot()
            state = max(enumerate(known), key=lambda pair: (pair[1][0] <= date, pair[0]))[1][1]
            for row in (row for row, when in asked if when == date):
                found = snapshot.by_key(f"fact.{ident_of(row['id'], row['attribute'])[-120:]}")
                value = found[0].entry.fields["value"] if found else None
                assert value == state.get((row["id"], row["attribute"])), (row["id"], row["attribute"], date)


def remembered(root: Path, rows: list[Row]) -> None:
    """Remember the statements, a payload for each commit of the stream."""
    commits: dict[str, list[Row]] = {}
    for row in rows:
        commits.setdefault(row["commit"], []).append(row)
    state: State = {}
    with Vault.open(root, environ={**os.environ, **ENVIRON}) as vault:
        for stated in commits.values():
            vault.environ = {**vault.environ, "GIT_COMMITTER_DATE": f"{stated[0]['date']}T12:00:00 +0000"}
            aspects = [_about(row, state) for row in stated]
            payload = {"structured": {"aspects": [about for about in aspects if about]}}
            if payload["structured"]["aspects"]:
                remember(vault, payload_of(payload))


def _about(row: Row, state: State) -> dict[str, object] | None:
    """What a row says as a part of a payload; None where it takes back what nobody said."""
    place = (row["id"], row["attribute"])
    if row["new"] is None and state.pop(place, None) is None:
        return None
    said: dict[str, object] = {"claimKey": row["attribute"], "retract": True}
    if row["new"] is not None:
        state[place] = told(row["new"])
        said = {"claimKey": row["attribute"], "content": "It is so.", "value": told(row["new"])}
    ident = ident_of(row["id"])[-120:]
    about = {"entityId": f"thing.{ident}", "entityName": row["id"], "entityType": "thing", "aspect": "general"}
    return {**about, "attributes": [said]}


def ledger_content(root: Path) -> set[tuple[object, ...]]:
    """What the ledger knows of every slot, whatever the facts in it are called and whoever wrote them."""
    with Vault.open(root) as vault:
        keys = vault.ledger.fact_keys()
        return {
            (
                version.keys,
                version.fact.fields["statement"],
                version.fact.fields["value"],
                version.began.time,
                version.ended and version.ended.time,
                version.retracted,
                version.successor and version.successor.fact.fields["value"],
            )
            for version in versions(vault.ledger, keys)
        }


@pytest.mark.endurance
@pytest.mark.parametrize("rows", list(streams()), ids=len)
def test_what_was_remembered_is_what_plain_git_would_have_kept(tmp_path: Path, rows: list[Row]) -> None:
    for name in ("git", "remembered"):
        init(tmp_path / name, ENVIRON)
    known = replay(tmp_path / "git", rows)
    remembered(tmp_path / "remembered", rows)
    assert ledger_content(tmp_path / "git") == ledger_content(tmp_path / "remembered")
    with Vault.open(tmp_path / "remembered") as vault:
        assert {
            (vault.get(str(stored.entry.fields["subject"])).entry.name, stored.entry.fields["claim"]): value
            for stored in vault.entries(kind="fact")
            for value in [stored.entry.fields["value"]]
        } == known[-1][1]
