"""Whatever a vault holds: counts agree with lists, and every fact that is seen is walked to once."""

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.endurance import amount
from tests.service.days import Days, fact
from vault import wire
from vault.model.access import Reader
from vault.model.slots import FACT
from vault.service.read.navigate import aspects, attributes, claims, entities, entity, groups, tree
from vault.service.vault import Vault

READERS = [Reader(), Reader("work"), Reader("diary"), Reader(all_spaces=True), Reader(owner=True)]
FOLDERS = ["global", "spaces/work", "spaces/diary"]
SUBJECTS = ["actor.ada", "actor.bob", "thing.engine", "note.n", "actor.nobody", "fact.f1", ""]


def drawn(chance: random.Random) -> dict[str, str | None]:
    """Some entries and facts, anywhere, about anything."""
    files: dict[str, str | None] = {}
    for kind, ident in (("actor", "ada"), ("actor", "bob"), ("thing", "engine"), ("note", "n")):
        if chance.random() < 0.5:
            more = chance.choice(["", 'agent = "a"', "pinned = true", "uses = [thing.engine, actor.ada]"])
            files[f"{chance.choice(FOLDERS)}/{kind}/{ident}.firm"] = f'{kind} {ident} {{ name = "{ident}" {more} }}\n'
    for _ in range(chance.randrange(6)):
        ident = f"f{chance.randrange(5)}"
        place = "/".join(chance.choice(["", "x", "y"]) for _ in range(3))
        fields = dict(
            chance.sample(
                [
                    ("agent", '"a"'),
                    ("kind", 'enum"constraint"'),
                    ("valid_until", "2020-01-01"),
                    ("describes", "[actor.bob]"),
                ],
                k=chance.randrange(3),
            )
        )
        text = fact(ident, f"Said {chance.randrange(3)}", chance.choice(SUBJECTS), place, **fields)
        files[f"{chance.choice(FOLDERS)}/fact/{ident}.firm"] = text
    return files


def agree(vault: Vault, reader: Reader, agent: str | None) -> None:
    """Walk all there is, and compare."""
    seen: Counter[tuple[str, str]] = Counter()
    for one in entities(vault, agent_id=agent, reader=reader).items:
        key = one.key
        assert wire.known_entity(one) == wire.known_entity(entity(vault, key, agent_id=agent, reader=reader))
        outlined = tree(vault, key, agent_id=agent, reader=reader)
        assert outlined.aspects == aspects(vault, key, agent_id=agent, reader=reader).items
        assert one.facts.aspects == len(outlined.aspects)
        assert one.facts.attributes == sum(aspect.attributes for aspect in outlined.aspects)
        assert one.facts.constraints == sum(aspect.constraints for aspect in outlined.aspects)
        for aspect in tree(vault, key, status="all", agent_id=agent, reader=reader).aspects:
            for group in groups(vault, key, aspect.key, status="all", agent_id=agent, reader=reader).items:
                place = (key, aspect.key, group.key)
                for claim in claims(vault, *place, status="all", agent_id=agent, reader=reader).items:
                    for status in ("active", "superseded", "retracted"):
                        found = attributes(vault, *place, claim.key, status=status, agent_id=agent, reader=reader)
                        assert found.total == claim.number(status)
                        if status == "active":
                            seen.update((state.fact.path, state.fact.id) for state in found.items)
    assert set(seen.values()) <= {1}
    if agent is None and not reader.space:
        there = vault.snapshot(reader).entries(kind=FACT)
        assert set(seen) == {(stored.entry.path, stored.entry.id) for stored in there}


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(amount(1, 12)))
def test_counts_agree_with_lists_in_any_vault(root: Path, vault: Vault, seed: int) -> None:
    chance = random.Random(seed)
    days = Days(root)
    for _ in range(6):
        days.commit(drawn(chance) | {f"global/note/day{days.number}.firm": "note day { }\n"})
        held = [place.relative_to(root).as_posix() for place in sorted(root.rglob("fact/*.firm"))]
        days.write(dict.fromkeys(chance.sample(held, k=min(len(held), chance.randrange(2)))))
        days.write(drawn(chance))
    for reader in READERS:
        for agent in (None, "a", "b"):
            agree(vault, reader, agent)
