"""Queries of cases: a world to ask them of, and what they say as the cases write it."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from vault.lang.lower import read
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value
from vault.query.run import Result, World
from vault.query.tree import Aggregation, Count, Find, Limit, Operation, Order, Query, Related, Select, Where
from vault.store.records import Stored

Case = dict[str, Any]


def world(text: str) -> World:
    """The entries of a text, seen by one who sees all."""
    entries = [Stored(row, "global", entry) for row, entry in enumerate(read(text, "v.firm").entries)]

    def linked(stored: Stored) -> Iterator[Stored]:
        named = {reference.key for _, reference in stored.entry.references()}
        for other in entries:
            if other.entry.key in named or stored.entry.key in {ref.key for _, ref in other.entry.references()}:
                yield other

    def metadata(stored: Stored, name: str) -> Value | None:
        return {"@type": stored.entry.type, "@id": stored.entry.key}.get(name)

    return World(entries, (), linked, lambda _: [], metadata, UTC)


def ast_of(query: Query) -> Case:
    """What a query says."""
    return {
        "from": query.source,
        "ops": [_operation(operation) for operation in query.operations],
        "aggregation": _aggregation(query.aggregation),
    }


def _operation(operation: Operation) -> Case:
    if isinstance(operation, Where):
        conditions = [
            {"field": each.field, "op": each.operator, "value": _literal(each.value)} for each in operation.conditions
        ]
        return {"where": conditions, "combinator": operation.combinator}
    if isinstance(operation, Related):
        return {"related": operation.degree, "type": operation.type}
    if isinstance(operation, Order):
        return {"order": operation.field, "dir": "desc" if operation.descending else "asc"}
    assert isinstance(operation, (Limit, Find))
    return {"limit": operation.number} if isinstance(operation, Limit) else {"search": operation.text}


def _aggregation(asked: Aggregation | None) -> Case | None:
    if asked is None:
        return None
    if isinstance(asked, Select):
        return {"select": list(asked.fields)}
    return {"count": asked.field} if isinstance(asked, Count) else {asked.figure: asked.field}


def _literal(value: Value) -> Case:
    found = value_data(value)
    if found["type"] in ("integer", "float"):
        return {"type": "number", "value": value}
    if isinstance(value, Moment):
        return {"type": "date" if value.clock is None else "datetime", "value": str(value)}
    return found


def value_data(value: Value) -> Case:
    """A value as the cases write it."""
    if isinstance(value, Currency):
        return {"type": "currency", "amount": f"{value.amount:f}", "currency": value.code}
    if isinstance(value, Reference):
        return {"type": "reference", "entity": value.key, **({"field": value.field} if value.field else {})}
    if isinstance(value, (EnumValue, PathValue)):
        return {"type": "enum" if isinstance(value, EnumValue) else "path", "value": value.text}
    kinds = {bool: "boolean", str: "string", int: "integer", float: "float", Moment: "datetime"}
    return {"type": kinds[type(value)], "value": value}


def aggregation_of(result: Result) -> Case:
    """What an aggregation gives."""
    if result.rows is not None:
        rows = [[None if value is None else value_data(value) for value in row] for row in result.rows]
        return {"columns": list(result.columns), "rows": rows}
    assert result.figure is not None
    return {result.name: result.figure if result.name == "count" else value_data(result.figure)}
