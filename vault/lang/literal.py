"""Values as people type them on a command line, read by what the schema expects."""

import re
from collections.abc import Callable
from datetime import datetime

from vault.errors import UsageError
from vault.lang.lower import BadValue, lower_value
from vault.lang.parse import parse
from vault.model.keys import split_key
from vault.model.schema import FieldSpec
from vault.model.values import OFFSET_MAX, EnumValue, Kind, Moment, PathValue, Reference, Value, kind_of


class BadLiteral(UsageError):
    """A word that is no value of the kind its field takes."""

    code = "bad-literal"

    def __init__(self, field: str, text: str, kind: str, example: str) -> None:
        shown = text if len(text) <= 60 else f"{text[:59]}…"  # noqa: PLR2004  fits one terminal line
        super().__init__(
            f"`{shown}` is not a {kind} for `{field}`",
            hint=f"write it as in `{example}`",
            details={"field": field},
        )


def read_literal(text: str, field: str, spec: FieldSpec | None) -> Value:
    """Read a typed word as a value of its field; raises `BadLiteral`.

    A field that no schema declares takes a number, boolean, date or list where the word is plainly one,
    anything written as Firm writes it (`enum"x"`, `path"x"`, `"text"`), and a string otherwise.
    """
    if spec is None:
        return _undeclared(text)
    if spec.type == "list":
        return _list(text, field, spec)
    return _scalar(text, field, spec.type, spec.structure())


def firm_value(text: str, field: str) -> Value:
    """Read a word as Firm writes values; raises `BadLiteral`."""
    value = _firm(text.strip())
    if value is None:
        raise BadLiteral(field, text, "Firm value", f'{field}:="text"')
    return value


def reference_in(text: str) -> Reference | None:
    """The reference that a word would be in Firm."""
    value = _firm(text.strip())
    return value if isinstance(value, Reference) else None


def _undeclared(text: str) -> Value:
    value = _firm(text)
    return text if value is None or isinstance(value, Reference) else value


def _firm(text: str) -> Value | None:
    """Read a text as one Firm value; None if it is not exactly one."""
    document = parse(f"a b {{ c = {text}\n}}")
    fields = list(document.blocks[0].fields()) if document.blocks else []
    if document.problems or len(document.blocks) != 1 or len(fields) != 1 or len(document.blocks[0].items) != 1:
        return None
    try:
        return lower_value(document.text, fields[0].value)
    except BadValue:
        return None


def _list(text: str, field: str, spec: FieldSpec) -> Value:
    if not text.strip():
        return ()
    value = _firm(text) if text.lstrip().startswith("[") else None
    if isinstance(value, tuple):
        wrong = [item for item in value if spec.item_type and kind_of(item) != spec.item_type]
        if wrong and spec.item_type:
            raise BadLiteral(field, text, f"list of {spec.item_type} values", spec.structure())
        return value
    return (_scalar(text, field, spec.item_type or "string", spec.structure()),)


def _scalar(text: str, field: str, kind: Kind, example: str) -> Value:
    value = _READERS[kind](text)
    if value is None:
        raise BadLiteral(field, text, kind, example)
    return value


def _string(text: str) -> Value:
    return text


def _boolean(text: str) -> Value | None:
    return {"true": True, "yes": True, "false": False, "no": False}.get(text.strip().casefold())


def _float(text: str) -> Value | None:
    value = _firm(text.strip())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _of_kind(kind: Kind) -> Callable[[str], Value | None]:
    def reader(text: str) -> Value | None:
        value = _firm(text.strip())
        return value if value is not None and kind_of(value) == kind else None

    return reader


def _reference(text: str) -> Value | None:
    words = text.strip()
    if split_key(words):
        return Reference(*words.split("."))
    return _of_kind("reference")(words)


def _enum(text: str) -> Value | None:
    value = _firm(text.strip()) if text.strip().startswith("enum") else None
    if isinstance(value, EnumValue):
        return value
    return EnumValue(text.strip()) if text.strip() and '"' not in text and "\n" not in text else None


def _path(text: str) -> Value | None:
    value = _firm(text.strip()) if text.strip().startswith("path") else None
    if isinstance(value, PathValue):
        return value
    return PathValue(text) if text and '"' not in text and "\n" not in text else None


def _datetime(text: str) -> Value | None:
    """Read Firm's form or ISO 8601."""
    words = text.strip()
    value = _firm(words)
    if isinstance(value, Moment):
        return value
    if not re.match(r"\d{4}-\d\d-\d\d[T ]", words):
        return None
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    zone = moment.utcoffset()
    offset = None if zone is None else int(zone.total_seconds() // 60)
    if abs(offset or 0) > OFFSET_MAX:
        return None
    return Moment(moment.date(), moment.time().replace(microsecond=0, tzinfo=None), offset)


_READERS: dict[Kind, Callable[[str], Value | None]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _of_kind("integer"),
    "float": _float,
    "currency": _of_kind("currency"),
    "datetime": _datetime,
    "reference": _reference,
    "enum": _enum,
    "path": _path,
    "list": _of_kind("list"),
}
