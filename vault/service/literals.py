"""Typed words → the fields and changes they mean, by the schema of the entry."""

from collections.abc import Iterable, Sequence

from vault.errors import UsageError
from vault.lang.literal import read_literal
from vault.model.entry import Entry, check_readable
from vault.model.schema import Schema
from vault.model.values import Value, same

#: (field, operator, text): the operator is "", "+" or "-".
Assignment = tuple[str, str, str]


def read_fields(schema: Schema | None, pairs: Iterable[tuple[str, str]]) -> dict[str, Value]:
    """Read `name=value` words for a new entry; a list field takes several."""
    fields: dict[str, Value] = {}
    for name, text in pairs:
        value = read_literal(text, name, schema.by_name.get(name) if schema else None)
        held = fields.get(name)
        if held is None:
            fields[name] = value
        elif isinstance(held, tuple) and isinstance(value, tuple):
            fields[name] = held + value
        else:
            raise UsageError(f"`{name}` is given twice, and takes one value", hint="give it once")
    return fields


def read_changes(
    entry: Entry, schema: Schema | None, assignments: Sequence[Assignment], unset: Sequence[str] = ()
) -> dict[str, Value | None]:
    """Read assignments to an entry's fields: `=` sets, `+=` and `-=` add to and take from a list.

    Raises `UnreadableField` for a list that cannot be read.
    """
    changes: dict[str, Value | None] = dict.fromkeys(unset)
    given: dict[str, list[tuple[str, str]]] = {}
    for name, operator, text in assignments:
        if name in changes:
            raise UsageError(f"`{name}` is both set and unset", hint="do one of the two")
        given.setdefault(name, []).append((operator, text))
    for name, words in given.items():
        spec = schema.by_name.get(name) if schema else None
        plain = [(name, text) for operator, text in words if not operator]
        if not plain:
            check_readable(entry, [name])
        value = read_fields(schema, plain).get(name) if plain else entry.fields.get(name)
        for operator, text in words:
            if operator:
                if spec is None and not isinstance(value, tuple):
                    value = () if value is None else (value,)
                value = _adjusted(name, value, operator, read_literal(text, name, spec))
        changes[name] = value
    return changes


def _adjusted(name: str, held: Value | None, operator: str, item: Value) -> Value:
    """A list with items added at its end, or taken out wherever they stand."""
    items = item if isinstance(item, tuple) else (item,)
    if held is not None and not isinstance(held, tuple):
        raise UsageError(f"`{name}` is no list", hint=f"set it with `{name}=…`")
    current = held or ()
    if operator == "+":
        return (*current, *(new for new in items if not any(same(new, old) for old in current)))
    missing = [old for old in items if not any(same(old, new) for new in current)]
    if missing:
        raise UsageError(
            f"`{name}` does not hold {missing[0]}",
            hint=f"it holds {', '.join(map(str, current)) or 'nothing'}",
        )
    return tuple(old for old in current if not any(same(old, new) for new in items))
