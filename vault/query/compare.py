"""Whether a value meets a condition, and which of two values comes first."""

from collections.abc import Callable, Mapping
from datetime import tzinfo
from decimal import Decimal
from math import isnan
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from vault.model.keys import composed
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value, kind_of
from vault.query.tree import Operator

_ORDERED: Mapping[Operator, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, ">": gt, "<": lt, ">=": ge, "<=": le}
_EQUAL: Mapping[Operator, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne}
_TEXT: Mapping[Operator, Callable[[Any, Any], bool]] = {
    **_EQUAL,
    "contains": lambda text, part: part in text,
    "startswith": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.endswith(part),
}


class Mismatch(Exception):
    """A condition that makes no sense for a value."""


def matches(value: Value, operator: Operator, wanted: Value, local: tzinfo | None = None) -> bool:
    """Say whether a value meets a condition; a moment without a zone is read in `local`.

    Raises `Mismatch` for an operator that the value's kind has not, and for kinds that do not compare.
    """
    if operator == "in":
        if not isinstance(wanted, tuple):
            raise Mismatch("`in` takes a list")
        met = [matches(value, "==", item, local) for item in wanted]  # each is looked at: its kind may be wrong
        return any(met)
    if isinstance(value, tuple):
        return _list(value, operator, wanted, local)
    kind, operators, comparable = _rules(value)
    if operator not in operators:
        known = " ".join([*operators, "in"])
        raise Mismatch(f"{_article(kind)} cannot be compared with `{operator}`, only with {known}")
    if not isinstance(wanted, comparable) or (isinstance(wanted, bool) and not isinstance(value, bool)):
        raise Mismatch(f"{_article(kind)} cannot be compared with {_article(kind_of(wanted))}")
    if isinstance(value, Currency) and isinstance(wanted, Currency) and value.code != wanted.code:
        return False
    return operators[operator](*_pair(value, wanted, local))


def _rules(value: Value) -> tuple[str, Mapping[Operator, Callable[[Any, Any], bool]], tuple[type, ...]]:
    """The kind of a value, its operators, and what it may be compared with."""
    kind = kind_of(value)
    if isinstance(value, bool):
        return kind, _EQUAL, (bool,)
    if isinstance(value, (int, float)):
        return kind, _ORDERED, (int, float)
    if isinstance(value, Currency):
        return kind, _ORDERED, (Currency,)
    if isinstance(value, Moment):
        return kind, _ORDERED, (Moment,)
    if isinstance(value, Reference):
        return kind, _EQUAL, (Reference, str)
    return kind, _TEXT, (str, EnumValue, PathValue)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _pair(value: Value, wanted: Value, local: tzinfo | None) -> tuple[Any, Any]:
    """Two values in the forms they are compared in."""
    if isinstance(value, Moment) and isinstance(wanted, Moment):
        if wanted.clock is None:  # a day: the one that was written, in its own zone
            return value.day, wanted.day
        return value.instant(local), wanted.instant(local)
    if isinstance(value, Currency) and isinstance(wanted, Currency):
        return value.amount, wanted.amount
    if isinstance(value, float) and isinstance(wanted, int):
        return value, wanted
    if isinstance(value, (bool, int, float)):
        return value, wanted
    return folded(value), folded(wanted)


def folded(value: Value) -> str:
    """The text of a value without case and with composed letters; of an enum without outer blanks."""
    text = value.folded if isinstance(value, EnumValue) else composed(str(value)).casefold()
    return composed(text)


def _list(value: tuple[Value, ...], operator: Operator, wanted: Value, local: tzinfo | None) -> bool:
    if operator == "==":
        if not isinstance(wanted, tuple):
            raise Mismatch(f"a list cannot be compared with {_article(kind_of(wanted))}; `contains` looks for an item")
        return len(value) == len(wanted) and all(
            matches(item, "==", other, local) for item, other in zip(value, wanted, strict=True)
        )
    if operator != "contains":
        raise Mismatch(f"a list cannot be compared with `{operator}`, only with == contains")
    # an item of texts holds the words; of other kinds, it is the value
    met = [_item(item, wanted, local) for item in value]
    return any(met)


def _item(item: Value, wanted: Value, local: tzinfo | None) -> bool:
    """Whether an item is what is wanted; a text may hold it."""
    if isinstance(item, tuple):
        return isinstance(wanted, tuple) and matches(item, "==", wanted, local)
    return matches(item, "contains" if isinstance(item, (str, PathValue)) else "==", wanted, local)


def place(value: Value, local: tzinfo | None = None) -> tuple[Any, ...]:
    """A sort key for values of all kinds: boolean, number, text, moment, amount, reference, list."""
    if isinstance(value, (bool, int, float)):
        return _numeric(value)
    if isinstance(value, Moment):
        return (3, value.instant(local))
    if isinstance(value, Currency):
        return (4, value.code, value.amount)
    if isinstance(value, tuple):
        return (6, tuple(place(item, local) for item in value))
    return (5 if isinstance(value, Reference) else 2, folded(value))


def _numeric(value: float) -> tuple[Any, ...]:
    """Booleans before numbers; what is not a number comes last of these."""
    if isinstance(value, bool):
        return (0, value)
    return (1, Decimal(value) if not isnan(value) else Decimal("Infinity"))
