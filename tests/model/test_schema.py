"""Schemas and what entries make of them."""

from decimal import Decimal

import pytest

from vault.model.entry import Entry
from vault.model.schema import FieldSpec, Schema, validate
from vault.model.values import Currency, EnumValue, Reference, Value


def findings(spec: FieldSpec, value: Value | None, *, closed: bool = False) -> list[tuple[str, str, str]]:
    fields = {} if value is None else {spec.name: value}
    found = validate(Entry("t", "x", fields), Schema("t", (spec,), closed=closed))
    return [(item.code, item.message, item.hint) for item in found]


KIND = FieldSpec("k", "enum", allowed_values=("Active", "closed"))


@pytest.mark.parametrize(
    ("spec", "value", "code", "words"),
    [
        (FieldSpec("k", "string", required=True), None, "missing-field", 'add `k = "…"`'),
        (FieldSpec("k", "integer"), 1.0, "wrong-type", "takes an integer, not a float"),
        (FieldSpec("k", "integer"), True, "wrong-type", "takes an integer, not a boolean"),
        (FieldSpec("k", "list", item_type="string"), (1,), "wrong-type", "list of string values, not of integer"),
        (KIND, EnumValue("activ"), "bad-enum", 'did you mean enum"Active"?'),
        (KIND, EnumValue("x"), "bad-enum", 'allowed: enum"Active", enum"closed"'),
        (FieldSpec("k", "enum"), EnumValue("x"), "bad-enum", "it allows nothing"),
        (FieldSpec("k", "reference", target=("t", "u")), Reference("v", "w"), "wrong-target", "type t or u, not `v.w`"),
        (FieldSpec("k", "list", target=("t",)), (Reference("v", "w"),), "wrong-target", "not `v.w`"),
        (FieldSpec("k", "integer", min=1), 0, "bad-value", "at least 1, not 0"),
        (FieldSpec("k", "float", max=1000000), 1000000.5, "bad-value", "at most 1000000, not 1000000.5"),
        (FieldSpec("k", "currency", max=1), Currency(Decimal("1.01"), "EUR"), "bad-value", "not 1.01 EUR"),
        (FieldSpec("k", "string", pattern="a+"), "aab", "bad-value", "pattern `a+`"),
    ],
)
def test_a_value_its_spec_does_not_allow(spec: FieldSpec, value: Value | None, code: str, words: str) -> None:
    (found,) = findings(spec, value)
    assert found[0] == code
    assert words in " ".join(found[1:])


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (FieldSpec("k", "string"), None),
        (KIND, EnumValue(" ACTIVE ")),
        (FieldSpec("k", "list", item_type="string"), ()),
        (FieldSpec("k", "reference", target=("t",)), Reference("t", "w")),
        (FieldSpec("k", "integer", min=0, max=0), 0),
        (FieldSpec("k", "boolean", min=5), True),
        (FieldSpec("k", "currency", max=0.1), Currency(Decimal("0.1"), "EUR")),
        (FieldSpec("k", "string", pattern="a+"), "aa"),
    ],
)
def test_a_value_its_spec_allows(spec: FieldSpec, value: Value | None) -> None:
    assert findings(spec, value) == []


def test_undeclared_fields() -> None:
    def said(name: str, *, closed: bool) -> list[tuple[str, str]]:
        schema = Schema("t", (FieldSpec("name", "string"), FieldSpec("kind", "string")), closed=closed)
        return [(item.code, item.hint) for item in validate(Entry("t", "x", {name: 1}), schema)]

    assert said("nmae", closed=False) == [("unknown-field", "did you mean `name`?")]
    assert said("other", closed=False) == []
    assert said("nmae", closed=True) == [("unknown-field", "did you mean `name`?")]
    assert said("other", closed=True) == [("unknown-field", "its fields: name, kind")]


def test_a_schema_shows_what_an_entry_looks_like() -> None:
    specs = (
        KIND,
        FieldSpec("a", "list"),
        FieldSpec("b", "list", item_type="integer"),
        FieldSpec("c", "reference", target=("thing",)),
        FieldSpec("d", "reference"),
        FieldSpec("e", "string", required=True),
    )
    assert Schema("t", specs).structure() == (
        't some_id {\n    e = "…"  // required\n    k = enum"Active"\n    a = ["…"]\n    b = [42]\n'
        "    c = thing.some_id\n    d = actor.some_id\n}"
    )


@pytest.mark.parametrize(
    ("value", "spec", "hint"),
    [
        ("Person ", FieldSpec("f", "enum", allowed_values=("person",)), 'write `f = enum"Person "`'),
        ("wizard", FieldSpec("f", "enum", allowed_values=("person",)), 'write `f = enum"person"`'),
        ("x", FieldSpec("f", "list"), 'write `f = ["x"]`'),
        ("x", FieldSpec("f", "list", item_type="integer"), "write `f = [42]`"),
        (5, FieldSpec("f", "float"), "write `f = 5.0`"),
        (True, FieldSpec("f", "float"), "write `f = 0.5`"),
        ('a "b"', FieldSpec("f", "list"), 'write `f = ["…"]`'),
    ],
)
def test_a_hint_shows_the_value_itself_where_only_its_form_is_wrong(value: Value, spec: FieldSpec, hint: str) -> None:
    (found,) = validate(Entry("t", "x", {"f": value}), Schema("t", (spec,)))
    assert (found.code, found.hint) == ("wrong-type", hint)
