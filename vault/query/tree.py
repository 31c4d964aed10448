"""What a query says, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vault.model.values import Value

Operator = Literal["==", "!=", ">", "<", ">=", "<=", "contains", "startswith", "endswith", "in"]
Combinator = Literal["and", "or"]
Figure = Literal["sum", "average", "median"]

#: What a query knows of an entry beside its fields.
METADATA = ("@type", "@id", "@space", "@path", "@commit", "@created", "@updated")


@dataclass(frozen=True, slots=True)
class Condition:
    """`field op value`; `start` is where it stands in the query's text."""

    field: str
    operator: Operator
    value: Value
    start: int = 0


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions of which all hold, or any."""

    conditions: Sequence[Condition]
    combinator: Combinator = "and"


@dataclass(frozen=True, slots=True)
class Related:
    """What is found, and all within `degree` references of it in either direction; then of one type only."""

    degree: int = 1
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """An order by a field; what lacks it comes last."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """The first so many."""

    number: int


@dataclass(frozen=True, slots=True)
class Find:
    """What a search finds of the entries, in rank order."""

    text: str


@dataclass(frozen=True, slots=True)
class Select:
    """A table of some fields."""

    fields: Sequence[str]


@dataclass(frozen=True, slots=True)
class Count:
    """The number of entries, or of those that have a field."""

    field: str | None = None


@dataclass(frozen=True, slots=True)
class Calculate:
    """A figure over the values of a field; `start` is where it stands in the query's text."""

    figure: Figure
    field: str
    start: int = 0


Operation = Where | Related | Order | Limit | Find
Aggregation = Select | Count | Calculate


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query; `source` is a type, or `*` for all; `start` is where that stands."""

    text: str
    source: str
    operations: Sequence[Operation] = ()
    aggregation: Aggregation | None = None
    start: int = 0


def fields_of(query: Query) -> list[str]:
    """The fields a query names, in its order."""
    named: list[str | None] = []
    for operation in query.operations:
        if isinstance(operation, Where):
            named += [condition.field for condition in operation.conditions]
        elif isinstance(operation, Order):
            named.append(operation.field)
    if isinstance(query.aggregation, Select):
        named += query.aggregation.fields
    elif query.aggregation is not None:
        named.append(query.aggregation.field)
    return [field for field in named if field is not None]
