"""Conditions in SQL on the rows of a catalog: a reader's view, files, and how words name an entry."""

import json
from collections.abc import Collection, Iterable
from typing import Literal

from vault.model.access import BUNDLED, GLOBAL
from vault.model.keys import fold_name, is_identifier, loose_name, spellings
from vault.store.visibility import Visibility

#: A condition, and the values that are bound to its marks.
Where = tuple[str, list[object]]

#: How words name an entry. By `name` an id alone also stands for the key of a fact that was moved,
#: by `label` it does not; by `likeness` `-`, `_`, blanks and case make no difference.
Way = Literal["key", "id", "path", "name", "label", "likeness"]

#: After a column: it has one of the values of a JSON list. One parameter, for SQLite counts them.
AMONG = "IN (SELECT value FROM json_each(?))"

#: Keeps the entries of one agent and of none. Texts are looked at as JSON only where the field can
#: be there: of 10,000 entries few have one.
OF_AGENT = (
    "(instr(e.fields, '\"agent\"') = 0 OR json_type(e.fields, '$.agent') IS NOT 'text'"
    " OR json_extract(e.fields, '$.agent') IN ('', ?))"
)

_HIDDEN = "NOT (e.scope {where} AND EXISTS (SELECT 1 FROM entries o WHERE o.key = e.key AND o.scope = ?))"

#: One parameter: the folded name.
_LABELLED = "e.id IN (SELECT l.entry FROM labels l WHERE l.kind IN ('name', 'alias') AND l.label = ?)"
#: The type whose entries keep the key of one that they took the place of as an alias.
_REDIRECTED = "fact"


def json_list(values: Iterable[object]) -> str:
    """Write values as the JSON list that `AMONG` takes."""
    return json.dumps(list(values))


def in_sight(visible: Visibility) -> Where:
    """Keep the entries `e` that a reader sees."""
    marks = ",".join("?" * len(visible.scopes))
    condition, parameters = f"e.scope IN ({marks})", list[object](visible.scopes)
    if visible.space:
        condition += f" AND {_HIDDEN.format(where='<> ?')}"
        parameters += [visible.space, visible.space]
    if visible.has_bundled:
        condition += f" AND {_HIDDEN.format(where='= ?')}"
        parameters += [BUNDLED, GLOBAL]
    for agent in visible.agents:
        condition, parameters = f"{condition} AND {OF_AGENT}", [*parameters, agent]
    if visible.hidden:
        condition += f" AND e.id NOT {AMONG}"
        parameters.append(json_list(sorted(visible.hidden)))
    return condition, parameters


def in_files(column: str, paths: Collection[str] | None) -> Where:
    """Keep the rows whose column holds one of some paths; None for all."""
    return ("1", []) if paths is None else (f"{column} {AMONG}", [json_list(sorted(paths))])


def by_name(words: str, way: Way) -> Where:
    """Keep the entries `e` that words name in a way."""
    match way:
        case "key":
            return "e.key = ?", [words]
        case "id":
            return "e.ident = ?", [words]
        case "path":
            return f"e.path {AMONG}", [json_list(spellings(words.removeprefix("./")))]
        case "name":
            return _named(words)
        case "label":
            return _LABELLED, [fold_name(words)]
        case "likeness":
            return _alike(words)


def _named(words: str) -> Where:
    """Match a name or an alias; an id alone stands for the key of a fact that was moved."""
    if not is_identifier(words):
        return _LABELLED, [fold_name(words)]
    return f"{_LABELLED} OR {_LABELLED}", [fold_name(words), fold_name(f"{_REDIRECTED}.{words}")]


def _alike(words: str) -> Where:
    """Match a key, id, name or alias that differs only in `-`, `_`, blanks and case."""
    loose = loose_name(words)
    kind, _, ident = words.partition(".")
    own_id = f"{_loose('lower(e.ident)')} = ?"
    alike = f"{_loose('l.label')} = ?"
    label = f"SELECT l.entry FROM labels l WHERE l.kind IN ('name', 'alias') AND {alike}"
    condition = f"{own_id} OR e.id IN ({label})"
    if not (ident and is_identifier(kind)):
        return condition, [loose, loose]
    return f"{condition} OR (e.type = ? AND {own_id})", [loose, loose, kind, loose_name(ident)]


def _loose(column: str) -> str:
    """Write a folded column as `loose_name` writes words."""
    blanks = f"replace(replace({column}, '-', ' '), '_', ' ')"
    return f"trim(replace(replace({blanks}, '  ', ' '), '  ', ' '))"
