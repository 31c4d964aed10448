"""The SQL conditions by which words name an entry `e`: its names and aliases, exactly or spelt alike."""

from vault.model.keys import fold_name, is_identifier, loose_name

#: One parameter: the folded name.
NAMED = "e.id IN (SELECT l.entry FROM labels l WHERE l.kind IN ('name', 'alias') AND l.label = ?)"
#: The type whose entries keep the key of one that they took the place of as an alias.
REDIRECTED = "fact"


def named(words: str) -> tuple[str, list[object]]:
    """Match entries by their name or an alias; an id alone stands for the key of a fact that was moved."""
    if not is_identifier(words):
        return NAMED, [fold_name(words)]
    return f"{NAMED} OR {NAMED}", [fold_name(words), fold_name(f"{REDIRECTED}.{words}")]


def spelt_alike(words: str) -> tuple[str, list[object]]:
    """Match entries whose key, id, name or alias differs from words only in `-`, `_`, blanks and case."""
    loose = loose_name(words)
    kind, _, ident = words.partition(".")
    own_id = f"{_loose('lower(e.ident)')} = ?"
    label = f"SELECT l.entry FROM labels l WHERE l.kind IN ('name', 'alias') AND {_loose('l.label')} = ?"
    condition = f"{own_id} OR e.id IN ({label})"
    if not (ident and is_identifier(kind)):
        return condition, [loose, loose]
    return f"{condition} OR (e.type = ? AND {own_id})", [loose, loose, kind, loose_name(ident)]


def _loose(column: str) -> str:
    """Write a folded column as `loose_name` writes words."""
    blanks = f"replace(replace({column}, '-', ' '), '_', ' ')"
    return f"trim(replace(replace({blanks}, '  ', ' '), '  ', ' '))"
