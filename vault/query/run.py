"""Running a query over the entries a reader sees."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from difflib import get_close_matches

from vault.model.values import Value, from_root
from vault.query.calculate import calculate
from vault.query.compare import Mismatch, matches, place
from vault.query.errors import BadQuery
from vault.query.tree import Condition, Count, Find, Limit, Order, Query, Related, Select, Where
from vault.store.records import Stored

#: The most references that `related` follows.
FURTHEST = 5


@dataclass(frozen=True, slots=True)
class World:
    """What a query is asked of.

    `entries` are those the reader sees, by key; `types` those that schemas declare beside. `linked` gives what an
    entry names and what names it; `search` the entries that fit words, best first; `metadata` what is known of an
    entry beside its fields; a moment without a zone is read in `local`.
    """

    entries: Sequence[Stored]
    types: Iterable[str]
    linked: Callable[[Stored], Iterable[Stored]]
    search: Callable[[str], Sequence[Stored]]
    metadata: Callable[[Stored, str], Value | None]
    local: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a query finds: entries, or what an aggregation makes of them.

    `columns` and `rows` are a table (`select`); `figure` is a number or amount.
    """

    entries: Sequence[Stored] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Value | None]] | None = None
    name: str = ""
    figure: Value | None = None


def run(query: Query, world: World) -> Result:
    """Run a query. Raises `BadQuery` for a type there is not, and for what makes no sense for the values found."""
    found = _source(query, world)
    for operation in query.operations:
        if isinstance(operation, Where):
            found = [stored for stored in found if _holds(query, operation, stored, world)]
        elif isinstance(operation, Related):
            found = _related(operation, found, world)
        elif isinstance(operation, Order):
            found = _ordered(operation, found, world)
        elif isinstance(operation, Limit):
            found = found[: operation.number]
        elif isinstance(operation, Find):
            kept = {stored.row for stored in found}
            found = [stored for stored in world.search(operation.text) if stored.row in kept]
    return _aggregated(query, found, world)


def _source(query: Query, world: World) -> list[Stored]:
    if query.source == "*":
        return list(world.entries)
    _check_type(query, query.source, query.start, world)
    return [stored for stored in world.entries if stored.entry.type == query.source]


def _check_type(query: Query, kind: str, at: int, world: World) -> None:
    known = sorted({*world.types, *(stored.entry.type for stored in world.entries)})
    if kind not in known:
        near = get_close_matches(kind, known, n=1)
        lead = f"did you mean `{near[0]}`? " if near else ""
        raise BadQuery(query.text, at, f"there is no type `{kind}`", f"{lead}types: {', '.join(known)}")


def value_of(stored: Stored, field: str, world: World) -> Value | None:
    """The value of a field or of metadata; None where the entry has none. A path is told from the vault's folder."""
    if field.startswith("@"):
        return world.metadata(stored, field)
    value = stored.entry.fields.get(field)
    return None if value is None else from_root(value, stored.entry.path)


def _holds(query: Query, where: Where, stored: Stored, world: World) -> bool:
    every = (_meets(query, condition, stored, world) for condition in where.conditions)
    return all(every) if where.combinator == "and" else any(every)


def _meets(query: Query, condition: Condition, stored: Stored, world: World) -> bool:
    value = value_of(stored, condition.field, world)
    if value is None:
        return False
    if condition.field == "@id":
        met = [_matches(query, condition, each, stored, world) for each in (stored.entry.key, stored.entry.id)]
        return all(met) if condition.operator == "!=" else any(met)
    return _matches(query, condition, value, stored, world)


def _matches(query: Query, condition: Condition, value: Value, stored: Stored, world: World) -> bool:
    try:
        return matches(value, condition.operator, condition.value, world.local)
    except Mismatch as error:
        problem = f"`{condition.field}` of {stored.entry.key}: {error}"
        raise BadQuery(query.text, condition.start, problem, "compare it with a value of its own kind") from None


def _related(related: Related, found: Sequence[Stored], world: World) -> list[Stored]:
    """What is found and what is near it, nearest first."""
    reached: dict[int, Stored] = {stored.row: stored for stored in found}
    edge = list(found)
    for _ in range(min(related.degree, FURTHEST)):
        edge = [near for stored in edge for near in world.linked(stored) if near.row not in reached]
        edge = list({stored.row: stored for stored in edge}.values())
        reached.update((stored.row, stored) for stored in edge)
    return [stored for stored in reached.values() if related.type in (None, stored.entry.type)]


def _ordered(order: Order, found: Sequence[Stored], world: World) -> list[Stored]:
    values = [(value_of(stored, order.field, world), stored) for stored in found]
    present = [(value, stored) for value, stored in values if value is not None]
    present.sort(key=lambda pair: place(pair[0], world.local), reverse=order.descending)
    return [*(stored for _, stored in present), *(stored for value, stored in values if value is None)]


def _aggregated(query: Query, found: Sequence[Stored], world: World) -> Result:
    asked = query.aggregation
    if asked is None:
        return Result(found)
    if isinstance(asked, Select):
        rows = [[value_of(stored, field, world) for field in asked.fields] for stored in found]
        return Result(found, asked.fields, rows)
    if isinstance(asked, Count):
        number = sum(asked.field is None or value_of(stored, asked.field, world) is not None for stored in found)
        return Result(found, name="count", figure=number)
    values = [value for stored in found if (value := value_of(stored, asked.field, world)) is not None]
    try:
        return Result(found, name=asked.figure, figure=calculate(asked.figure, asked.field, values))
    except Mismatch as error:
        raise BadQuery(query.text, asked.start, str(error)) from None
