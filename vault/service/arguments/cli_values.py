"""Typed words → the fields and changes they mean, by the schema of the entry."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from vault.errors import UsageError
from vault.lang.literal import firm_value, read_literal, reference_in
from vault.model.entry import Entry, check_readable
from vault.model.keys import composed
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Moment, PathValue, Value, same
from vault.model.when import first_day

#: (field, operator, text): the operator is "", "+", "-" or ":"; the last takes the text as Firm writes values.
Assignment = tuple[str, str, str]
_ON_LISTS = ("+", "-")
#: The field that holds the first moment which no longer belongs.
ENDS = "valid_until"


@dataclass(slots=True)
class Surroundings:
    """What typed words may mean: which entries exist, and how a path is stored; `notes` say what was made of them.

    `stored_path` takes a field and the path that was typed for it.
    """

    knows: Callable[[str], bool]
    stored_path: Callable[[str, str], str]
    notes: list[str] = field(default_factory=list)

    def read(self, text: str, name: str, spec: FieldSpec | None) -> Value:
        """Read a word as a value of its field; raises `BadLiteral`."""
        value = read_literal(text, name, spec)
        if spec is None:
            return self._undeclared(text, name, value)
        if value == "null":
            self.notes.append(f"`{name}` is the text `null`; `--unset {name}` removes the field")
        if isinstance(value, tuple) and len(value) == 1 and "," in text and not text.lstrip().startswith("["):
            self.notes.append(f"`{name}` got one item, `{text}`; repeat the option for each item")
        is_firm = text.lstrip().startswith(("[", 'path"'))
        return value if is_firm else self._stored(name, value)

    def _stored(self, name: str, value: Value) -> Value:
        if isinstance(value, PathValue):
            return PathValue(self.stored_path(name, value.text))
        if isinstance(value, tuple):
            return tuple(self._stored(name, item) for item in value)
        return value

    def _undeclared(self, text: str, name: str, value: Value) -> Value:
        """Take what reads as a reference for one where its entry exists."""
        reference = reference_in(text)
        if reference is None:
            return value
        if self.knows(reference.key):
            self.notes.append(f"`{name}` refers to `{text}`; `{name}='\"{text}\"'` writes a text")
            return reference
        self.notes.append(
            f"`{name}` is the text `{text}`, because there is no entry `{reference.key}`;"
            f" `{name}:={text}` writes a reference"
        )
        return value


def read_fields(
    schema: Schema | None, words: Iterable[tuple[str, str] | Assignment], around: Surroundings | None = None
) -> dict[str, Value]:
    """Read `name=value` words for a new entry; a list field takes several."""
    fields: dict[str, Value] = {}
    for name, *operator, text in words:
        value = _value(text, name, "".join(operator), schema, around)
        held = fields.get(name)
        if held is None:
            fields[name] = value
        elif isinstance(held, tuple) and isinstance(value, tuple):
            fields[name] = held + value
        else:
            raise UsageError(f"`{name}` is given twice, and takes one value", hint="give it once")
    return fields


def read_changes(
    entry: Entry,
    schema: Schema | None,
    assignments: Sequence[Assignment],
    unset: Sequence[str] = (),
    around: Surroundings | None = None,
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
        plain = [(name, operator, text) for operator, text in words if operator not in _ON_LISTS]
        if not plain:
            check_readable(entry, [name])
        value = read_fields(schema, plain, around).get(name) if plain else entry.fields.get(name)
        for operator, text in words:
            if operator in _ON_LISTS:
                if spec is None and not isinstance(value, tuple):
                    value = () if value is None else (value,)
                value = _adjusted(name, value, operator, _value(text, name, "", schema, around))
        changes[name] = value
    return changes


def _value(text: str, name: str, operator: str, schema: Schema | None, around: Surroundings | None) -> Value:
    """Read the text of an assignment by its field's declaration, or as Firm writes values."""
    spec = schema.by_name.get(name) if schema else None
    if operator == ":":
        return firm_value(text, name)
    if spec is not None and spec.type == "datetime" and (day := _day(text, name)) is not None:
        return Moment(day)
    return around.read(text, name, spec) if around else read_literal(text, name, spec)


def _day(text: str, name: str) -> date | None:
    """The day that a month or year stands for in a field: its first, or for an end the day that follows it."""
    try:
        return first_day(text, after=name == ENDS)
    except ValueError:
        return None


def _adjusted(name: str, held: Value | None, operator: str, item: Value) -> Value:
    """A list with items added at its end, or taken out wherever they stand."""
    items = item if isinstance(item, tuple) else (item,)
    if held is not None and not isinstance(held, tuple):
        raise UsageError(f"`{name}` is not a list", hint=f"set it with `{name}=…`")
    current = held or ()
    if operator == "+":
        return (*current, *(new for new in items if not any(_alike(new, old) for old in current)))
    missing = [old for old in items if not any(_alike(old, new) for new in current)]
    if missing:
        raise UsageError(
            f"`{name}` does not hold {missing[0]}",
            hint=f"it holds {', '.join(map(str, current)) or 'nothing'}",
        )
    return tuple(old for old in current if not any(_alike(old, new) for new in items))


def _alike(left: Value, right: Value) -> bool:
    """Say whether two items are the same to a person who types one of them."""
    if isinstance(left, str) and isinstance(right, str):
        return composed(left) == composed(right)
    return same(left, right)
