"""The canonical order of an entry's fields: as its schema declares them, then all others by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from vault.model.schema import Schema
from vault.model.values import Value

#: For each entry type the names of its declared fields, in the schema's order.
Orders = Mapping[str, Sequence[str]]


def orders_of(schemas: Mapping[str, Schema]) -> dict[str, list[str]]:
    """The order of fields that each schema declares."""
    return {name: [spec.name for spec in schema.fields] for name, schema in schemas.items()}


def rank_in(declared: Iterable[str]) -> Callable[[str], tuple[int, str]]:
    """A key that sorts the names of fields canonically."""
    places = {name: place for place, name in enumerate(declared)}
    return lambda name: (places.get(name, len(places)), name)


def in_order(fields: Mapping[str, Value], schema: Schema | None) -> dict[str, Value]:
    """The fields of a new entry in canonical order; as given if its type has no schema."""
    if schema is None:
        return dict(fields)
    rank = rank_in(spec.name for spec in schema.fields)
    return {name: fields[name] for name in sorted(fields, key=rank)}
