"""Aggregations: what a query makes of the values of a field."""

from collections.abc import Sequence
from decimal import Decimal
from statistics import median

from vault.model.values import Currency, Value, kind_of
from vault.query.compare import Mismatch
from vault.query.tree import Figure

Number = int | float


def calculate(figure: Figure, field: str, values: Sequence[Value]) -> Value:
    """The sum, average or median of values: numbers, or amounts of one currency.

    A sum of nothing is 0; an average or median of nothing, and currencies that differ, raise `Mismatch`.
    """
    if field.startswith("@"):
        raise Mismatch(f"`{field}` is not a number, so it has no {figure}")
    if not values:
        if figure == "sum":
            return 0
        raise Mismatch(f"nothing that was found has the field `{field}`, so there is no {figure}")
    amounts = [value for value in values if isinstance(value, Currency)]
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(amounts) == len(values):
        return _amount(figure, field, amounts)
    if len(numbers) < len(values):
        kinds = sorted({kind_of(value) for value in values})
        raise Mismatch(f"`{field}` is not only numbers, or amounts of one currency, but {', '.join(kinds)}")
    return _number(figure, numbers)


def _amount(figure: Figure, field: str, amounts: Sequence[Currency]) -> Currency:
    codes = sorted({amount.code for amount in amounts})
    if len(codes) > 1:
        raise Mismatch(f"`{field}` holds different currencies: {', '.join(codes)}")
    values = [amount.amount for amount in amounts]
    total = sum(values, Decimal(0))
    if figure == "median":
        return Currency(median(values), codes[0])
    return Currency(total if figure == "sum" else total / len(values), codes[0])


def _number(figure: Figure, numbers: Sequence[Number]) -> Number:
    if figure == "sum":
        return sum(numbers)
    return float(sum(numbers) / len(numbers) if figure == "average" else median(numbers))
