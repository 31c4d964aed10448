"""The rules of hygiene: each looks a scene over and tells what it finds. None writes anything."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches

from vault.knowledge.hygiene.finding import Finding, Scene
from vault.knowledge.hygiene.naming import Mentions, near_pairs, suspicion
from vault.model.keys import fold_name
from vault.model.slots import FACT, Slot, ending_day, is_attribute, keys_of, slot_of, validity_of
from vault.model.values import Moment, Reference, references_in
from vault.store.records import Stored

#: Facts of one aspect that nobody finds their way through.
OVERGROWN = 50
#: Near matches are looked for this many times in one run: each compares with every key there is.
NEAR_LIMIT = 40


def duplicate_names(scene: Scene) -> Iterator[Finding]:
    """Entities of a scope that go by one name."""
    for entities in _by_scope(scene.entities).values():
        told: set[tuple[str, str]] = set()
        for name, called in _by_name(scene, entities).items():
            kept, *others = sorted(called, key=lambda one: _weight(scene, one))
            for other in others:
                if (pair := (kept.entry.key, other.entry.key)) not in told:
                    told.add(pair)
                    message = f"`{other.entry.key}` and `{kept.entry.key}` both go by “{name}”"
                    yield Finding("duplicate-name", message, [other, kept], _merge(scene, other, kept))


def near_duplicate_names(scene: Scene) -> Iterator[Finding]:
    """Entities of a scope and type whose names are nearly the same."""
    kinds: dict[tuple[str, str], dict[str, tuple[str, Stored]]] = defaultdict(dict)
    for one in scene.entities:
        for name in scene.names(one):  # equal names once: a thousand of them make half a million pairs
            kinds[one.scope, one.entry.type].setdefault(fold_name(name), (name, one))
    for called in kinds.values():
        told: set[frozenset[str]] = set()
        held = list(called.values())
        for first, second in near_pairs([name for name, _ in held]):
            (name, one), (other_name, other) = held[first], held[second]
            pair = frozenset([one.entry.key, other.entry.key])
            if len(pair) == 1 or pair in told:
                continue
            told.add(pair)
            kept, left = sorted([one, other], key=lambda entity: _weight(scene, entity))
            message = f"“{name}” (`{one.entry.key}`) and “{other_name}” (`{other.entry.key}`) are nearly the same name"
            yield Finding("near-duplicate-name", message, [left, kept], _merge(scene, left, kept))


def _by_scope(entities: Sequence[Stored]) -> Mapping[str, Sequence[Stored]]:
    found: dict[str, list[Stored]] = defaultdict(list)
    for one in entities:
        found[one.scope].append(one)
    return found


def _by_name(scene: Scene, entities: Sequence[Stored]) -> Mapping[str, Sequence[Stored]]:
    """The names that several entities go by, as one of them writes it."""
    found: dict[str, dict[str, Stored]] = defaultdict(dict)
    written: dict[str, str] = {}
    for one in entities:
        for name in scene.names(one):
            found[fold_name(name)].setdefault(one.entry.key, one)
            written.setdefault(fold_name(name), name)
    return {written[label]: list(called.values()) for label, called in found.items() if len(called) > 1}


def _weight(scene: Scene, one: Stored) -> tuple[int, int, str]:
    """What sorts the entity first that most hangs on, else the one that says most."""
    key, entry = one.entry.key, one.entry
    linked = len(scene.about.get(key, ())) + len(scene.naming.get(key, ())) + len(entry.references())
    return -linked, -len(entry.fields), key


def _merge(scene: Scene, left: Stored, kept: Stored) -> str:
    """The next command on the way to one entity: what names the one to go names the other, then it goes."""
    own = f"{left.entry.type}.{left.entry.id}"
    for name, stored in scene.naming.get(own, ()):
        if stored.entry.key in (own, kept.entry.key):
            continue
        old = next(found for found in references_in(stored.entry.fields[name]) if found.key == own)
        if old.field is None and not _is_taken(scene, stored, name, kept.entry.key):
            return scene.replaced(stored, name, old, kept.entry.key)
        return scene.command(stored, "edit")
    return scene.command(left, "rm")


def _is_taken(scene: Scene, fact: Stored, name: str, subject: str) -> bool:
    """Say whether a fact that came to be about another subject would find its slot filled."""
    moved = keys_of(fact.entry)._replace(subject=subject)
    if fact.entry.type != FACT or not moved.claim or name not in ("subject", "describes"):
        return False
    return any(other.scope == fact.scope and slot_of(other.entry) == moved for other in scene.about.get(subject, ()))


def unused_entities(scene: Scene) -> Iterator[Finding]:
    """Entities of which nothing is said, and that name nothing and are named by nothing."""
    for one in scene.entities:
        key = one.entry.key
        if not (scene.about.get(key) or scene.naming.get(key) or one.entry.references()):
            yield Finding(
                "unused-entity",
                f"`{key}` has no facts and no links",
                [one],
                scene.command(one, "rm"),
            )


def suspicious_names(scene: Scene) -> Iterator[Finding]:
    """Entities whose name names nothing in particular."""
    for one in scene.entities:
        for name in scene.names(one):
            if why := suspicion(name):
                message = f"“{name}”, which `{one.entry.key}` goes by, {why}"
                yield Finding("suspicious-name", message, [one], scene.command(one, "edit"))


def slot_conflicts(scene: Scene) -> Iterator[Finding]:
    """Slots with several current attributes."""
    slots: dict[tuple[str, Slot], list[Stored]] = defaultdict(list)
    for fact in scene.facts:
        slot = slot_of(fact.entry)
        if slot and is_attribute(fact.entry) and validity_of(fact.entry, scene.local).is_open(scene.now):
            slots[fact.scope, slot].append(fact)
    for (_, slot), facts in slots.items():
        *others, newest = sorted(facts, key=lambda fact: _said(scene, fact))
        for older in (one for one in others if one.entry.key != newest.entry.key):
            message = f"`{older.entry.key}` and `{newest.entry.key}` both say what {slot} is now"
            command = _make_way(scene, older, newest, alone=len(others) == 1)
            yield Finding("slot-conflict", message, [older, newest], command)


def _make_way(scene: Scene, older: Stored, newest: Stored, *, alone: bool) -> str:
    """One takes the other's place; of several each older one ends first, since that leaves more than one."""
    if alone and scene.in_git:
        return scene.command(older, "supersede", scene.words(newest))
    ends = ending_day(older.entry, scene.now, scene.local)
    if not ends:
        return scene.command(older, "retract" if scene.in_git else "rm")
    return scene.command(older, "set", f"valid_until={ends}", *(["--commit"] if scene.in_git else []))


def _said(scene: Scene, fact: Stored) -> tuple[datetime, str]:
    """What sorts facts by when they were said, as far as they tell."""
    moments = (fact.entry.fields.get(name) for name in ("observed_at", "valid_from", "created_at"))
    instants = [moment.instant(scene.local) for moment in moments if isinstance(moment, Moment)]
    return (instants[0] if instants else datetime.min.replace(tzinfo=UTC)), fact.entry.key


def incomplete_facts(scene: Scene) -> Iterator[Finding]:
    """Facts without a subject, a claim, a source or a date."""
    for fact in scene.facts:
        key, fields, slot = fact.entry.key, fact.entry.fields, keys_of(fact.entry)
        if not slot.subject:
            yield Finding("fact-without-subject", f"`{key}` is about no entity", [fact], _give_subject(scene, fact))
        if not slot.claim:
            yield Finding("fact-without-claim", f"`{key}` fills no slot", [fact], _give_claim(scene, fact))
        if not any(fields.get(name) for name in ("sources", "origin", "chat")):
            yield Finding(
                "fact-without-source",
                f"`{key}` does not say where it is known from",
                [fact],
                scene.command(fact, "edit"),
            )
        if not any(name in fields for name in ("observed_at", "valid_from", "created_at")):
            said = scene.spoken(fact) or scene.now
            command = scene.command(fact, "set", f"observed_at={said:%Y-%m-%d}")
            yield Finding("fact-without-date", f"`{key}` does not say since when it is known", [fact], command)


def _give_subject(scene: Scene, fact: Stored) -> str:
    """The first of several entries that a fact describes, else the one entity its statement names."""
    described = [found.key for found in references_in(fact.entry.fields.get("describes", ()))]
    mentioned = [] if described else sorted(scene.mentioned(fact))
    only = mentioned[0] if len(mentioned) == 1 else None
    subject = described[0] if described else only
    if subject is None or _is_taken(scene, fact, "subject", subject):
        return scene.command(fact, "edit")
    return scene.command(fact, "set", f"subject={subject}")


def _give_claim(scene: Scene, fact: Stored) -> str:
    """The claim a fact is listed under: its id."""
    named = keys_of(fact.entry)._replace(claim=fact.entry.id.casefold().strip("_"))
    taken = any(one.scope == fact.scope and slot_of(one.entry) == named for one in scene.about.get(named.subject, ()))
    return (
        scene.command(fact, "edit") if taken or not named.claim else scene.command(fact, "set", f"claim={named.claim}")
    )


def dangling_references(scene: Scene) -> Iterator[Finding]:
    """References to what is not there for the scope they stand in."""
    left = NEAR_LIMIT
    for stored in scene.entries:
        reachable = scene.reachable[stored.scope]
        for name, reference in dict.fromkeys(stored.entry.references()):
            if reference.key not in reachable:
                meant = _meant(reference, reachable - {stored.entry.key}) if left > 0 else None
                left -= 1
                hint = f"; did you mean `{meant}`?" if meant else ""
                message = f"`{name}` of `{stored.entry.key}` names `{reference.key}`, which does not exist{hint}"
                yield Finding("dangling-reference", message, [stored], scene.replaced(stored, name, reference, meant))


def _meant(reference: Reference, keys: frozenset[str]) -> str | None:
    """The key of the same type that is spelt much like a reference."""
    lead = f"{reference.type}."
    idents = sorted(key.removeprefix(lead) for key in keys if key.startswith(lead))
    close = get_close_matches(reference.id, idents, n=1, cutoff=0.8)
    return f"{lead}{close[0]}" if close and reference.field is None else None


def self_references(scene: Scene) -> Iterator[Finding]:
    """Entries that name themselves."""
    for stored in scene.entries:
        for name, reference in dict.fromkeys(stored.entry.references()):
            if reference.key == stored.entry.key and reference.field is None:
                message = f"`{name}` of `{stored.entry.key}` names the entry itself"
                yield Finding("self-reference", message, [stored], scene.replaced(stored, name, reference, None))


def stale_facts(scene: Scene) -> Iterator[Finding]:
    """Facts whose time is over."""
    for fact in scene.facts:
        ends = validity_of(fact.entry, scene.local).ends
        if ends is not None and ends <= scene.now:
            message = f"`{fact.entry.key}` held until {ends:%Y-%m-%d}"
            yield Finding("stale-fact", message, [fact], scene.command(fact, "edit"))


def overgrown_aspects(scene: Scene) -> Iterator[Finding]:
    """Aspects with more facts than a person reads."""
    entities = {one.entry.key: one for one in reversed(scene.entities)}
    for key, facts in scene.about.items():
        aspects: dict[str, list[Stored]] = defaultdict(list)
        for fact in facts:
            aspects[keys_of(fact.entry).aspect].append(fact)
        for aspect, held in aspects.items():
            if len(held) > OVERGROWN and key in entities:
                message = f"{len(held)} facts are in the aspect `{aspect}` of `{key}`"
                yield Finding("overgrown-aspect", message, [entities[key]], _regroup(scene, held))


def _regroup(scene: Scene, facts: Sequence[Stored]) -> str:
    """Put the first fact of the largest group into one of its own, named by the first word of its claim."""
    groups: dict[str, list[Stored]] = defaultdict(list)
    for fact in facts:
        groups[keys_of(fact.entry).group].append(fact)
    crowd = max(groups.items(), key=lambda item: len(item[1]))
    first = crowd[1][0]
    word = (keys_of(first.entry).claim or first.entry.id).strip("_").partition("_")[0]
    return (
        scene.command(first, "edit") if not word or word == crowd[0] else scene.command(first, "set", f"group={word}")
    )


def private_names(scene: Scene) -> Iterator[Finding]:
    """Names that only a private space has, in texts outside it; whoever reads those learns of them."""
    open_entries = [one for one in scene.entries if one.scope not in scene.private]
    outside = {fold_name(name) for one in open_entries for name in scene.names(one)}
    for scope in sorted(scene.private):
        owners: dict[str, Stored] = {}
        for one in scene.entries:
            if one.scope == scope and one.entry.type != FACT:
                for name in scene.names(one):
                    if fold_name(name) not in outside and not suspicion(name):
                        owners.setdefault(name, one)
        mentions = Mentions(owners)
        for stored in scene.entries if owners else ():
            found = mentions.within(_text_of(scene, stored)) if stored.scope != scope else []
            for name in found:
                message = f"`{stored.entry.key}` has “{name}” in its text, a name of the private space {scope}"
                yield Finding("private-name", message, [stored, owners[name]], scene.command(stored, "edit"))


def _text_of(scene: Scene, stored: Stored) -> str:
    """All that an entry says in words."""
    texts = [text for name in stored.entry.fields for text in stored.entry.texts(name)]
    beside = scene.texts(stored) if stored.text_file else None
    return "\n".join([*texts, beside or ""])


Rule = Callable[[Scene], Iterator[Finding]]

RULES: Sequence[Rule] = (
    slot_conflicts,
    duplicate_names,
    suspicious_names,
    incomplete_facts,
    dangling_references,
    self_references,
    overgrown_aspects,
    private_names,
    near_duplicate_names,
    stale_facts,
    unused_entities,
)
