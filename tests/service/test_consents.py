"""Consents: what one covers, and what makes it void."""

import json
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import Open
from vault.service.vault import Vault
from vault.service.write import consents
from vault.service.write.consents import Consent, NoSuchConsent, agree, find, waiting
from vault.service.write.permission_gate import Caller, ConsentRequired, Gate


@contextmanager
def gated(vault: Vault, arguments: Mapping[str, Any], caller: Caller = Caller()) -> Any:  # noqa: B008  frozen
    """Let what is done inside pass the gate as a call of `delete_knowledge`."""
    vault.gate = Gate(vault, caller, "delete_knowledge", (("delete_knowledge",),), arguments)
    try:
        yield
    finally:
        vault.gate = None


def delete(vault: Vault, caller: Caller = Caller(), **arguments: Any) -> None:  # noqa: B008  frozen
    with gated(vault, {"id": "actor.bob", **arguments}, caller):
        vault.delete("actor.bob")


def question(vault: Vault, caller: Caller = Caller(), **arguments: Any) -> Consent:  # noqa: B008  frozen
    with pytest.raises(ConsentRequired) as caught:
        delete(vault, caller, **arguments)
    return caught.value.consent


def place(vault: Vault, consent: Consent) -> Path:
    return vault.root / ".vault/consents" / f"{consent.number}.json"


def test_a_number_is_random_and_its_file_is_private(bob: Vault) -> None:
    first = question(bob)
    second = question(bob, reason="another")
    assert len({first.number, second.number}) == 2
    assert len(bytes.fromhex(first.number)) == 16
    assert place(bob, first).stat().st_mode & 0o777 == 0o600
    assert place(bob, first).parent.stat().st_mode & 0o777 == 0o700
    assert [one.number for one in waiting(bob)] == [first.number, second.number]
    assert 'name = "Bob"' in first.about
    assert question(bob).number == first.number


def test_a_beginning_names_a_consent_where_it_is_unique(bob: Vault) -> None:
    consent = question(bob)
    assert find(bob, consent.number[:8]) == consent
    for words in (consent.number[:7], "", "0" * 32, consent.number + "0"):
        with pytest.raises(NoSuchConsent):
            find(bob, words)
    twin = replace(consent, number=consent.number[:8] + "f" * 24)
    consents._write(bob, twin)
    with pytest.raises(NoSuchConsent, match="2 numbers begin like this"):
        agree(bob, consent.number[:8])
    assert agree(bob, twin.number).number == twin.number


@pytest.mark.parametrize(
    "other",
    [
        {"caller": Caller(agent="tutor")},
        {"caller": Caller("", "laptop:1")},
        {"reason": "another"},
    ],
)
def test_a_consent_is_to_one_call_of_one_caller(bob: Vault, other: dict[str, Any]) -> None:
    agree(bob, question(bob).number)
    question(bob, **other)
    delete(bob)


def test_a_consent_is_to_one_space(bob: Vault, open_vault: Open) -> None:
    inside = open_vault("work")
    inside.add("actor", {"name": "Bob"}, id="bob")
    consent = question(inside)
    assert waiting(bob) == []
    with pytest.raises(NoSuchConsent):
        agree(bob, consent.number)
    assert [one.number for one in waiting(inside)] == [consent.number]
    agree(inside, consent.number)
    question(bob)
    delete(inside)


def test_a_consent_is_void_once_what_it_was_shown_for_has_changed(bob: Vault) -> None:
    agree(bob, question(bob).number)
    bob.update("actor.bob", {"summary": "Changed since"})
    assert "Changed since" in question(bob).about


def test_a_consent_is_used_once(bob: Vault) -> None:
    consent = agree(bob, question(bob).number)
    delete(bob)
    assert not place(bob, consent).exists()
    bob.add("actor", {"name": "Bob", "created_at": "2020-01-01"}, id="bob")
    question(bob)


def test_a_write_that_fails_gives_the_consent_back(bob: Vault) -> None:
    consent = agree(bob, question(bob).number)
    hook = bob.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Exception, match="hook"):
        delete(bob)
    assert place(bob, consent).exists()
    hook.unlink()
    delete(bob)


def test_a_consent_expires(bob: Vault) -> None:
    asked = question(bob)
    agree(bob, asked.number)
    now = bob.clock()
    bob.clock = lambda: now + timedelta(hours=1)
    assert question(bob).number != asked.number
    bob.clock = lambda: now + timedelta(days=9)
    assert waiting(bob) == []
    assert list((bob.root / ".vault/consents").iterdir()) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_text("{"),
        lambda file: file.write_text("[" * 100_000),
        lambda file: file.write_bytes(b"\xff"),
        lambda file: file.write_text("[]"),
        lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), "asked": "soon"})),
        lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), "asked": "2021-01-01"})),
        lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), "agreed": 1})),
        lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), "number": "0" * 32})),
        lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), "call": {}})),
        lambda file: file.chmod(0o644),
        lambda file: file.rename(file.with_name("0" * 32 + ".json")),
    ],
)
def test_a_damaged_file_grants_nothing(bob: Vault, damage: Callable[[Path], object]) -> None:
    consent = agree(bob, question(bob).number)
    damage(place(bob, consent))
    assert question(bob).number != consent.number
    assert bob.get("actor.bob")


def test_a_link_grants_nothing(bob: Vault, tmp_path: Path) -> None:
    file = place(bob, agree(bob, question(bob).number))
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    question(bob)


def test_of_one_caller_the_newest_questions_are_kept(bob: Vault) -> None:
    other = question(bob, Caller(agent="tutor"))
    numbers = [question(bob, reason=str(number)).number for number in range(consents.KEPT + 2)]
    kept = [one.number for one in waiting(bob)]
    assert kept[0] == other.number
    assert kept[1:] == numbers[2:]


def test_two_calls_do_not_share_a_consent(bob: Vault) -> None:
    consent = agree(bob, question(bob).number)
    with consents.using(bob, consent) as first:
        assert first
        with consents.using(bob, consent) as second:
            assert not second
        question(bob)


def test_a_consent_that_was_in_use_when_its_process_died_is_not_used_again(bob: Vault) -> None:
    consent = agree(bob, question(bob).number)
    place(bob, consent).rename(place(bob, consent).with_suffix(".used"))
    assert question(bob).number != consent.number


def test_what_stands_in_the_way_of_the_folder_is_no_consent(bob: Vault) -> None:
    (bob.root / ".vault/consents").write_text("x")
    agree(bob, question(bob).number)
    delete(bob)
