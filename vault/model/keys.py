"""Identifiers, keys and names: what may be one, and how any text is made into one."""

import re
import unicodedata
from functools import lru_cache

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
SPACE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")
ID_LENGTH = 64

#: Device names of Windows, where `con.firm` is not a file anybody can open.
RESERVED_NAMES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)]
)


#: The signs that people and their editors put for an apostrophe.
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")


def is_identifier(text: str) -> bool:
    """Say whether `text` may be a type, an id or a field name."""
    return IDENTIFIER.match(text) is not None


def is_space_name(text: str) -> bool:
    """Say whether `text` may name a space."""
    return SPACE_NAME.match(text) is not None


def is_reserved(name: str) -> bool:
    """Say whether a file of this name (without its ending) cannot exist on Windows."""
    return name.casefold() in RESERVED_NAMES


def split_key(key: str) -> tuple[str, str] | None:
    """Split `type.id`; None where that is not what `key` is."""
    kind, dot, ident = key.partition(".")
    return (kind, ident) if dot and is_identifier(kind) and is_identifier(ident) else None


@lru_cache(maxsize=4096)  # a vault has few keys, and looks at each for every version of every fact
def normalise_key(text: str) -> str:
    """Normalise an aspect, group or claim: NFKC, case folded, `_` between words; "" if nothing is left.

    Letters, marks, numbers, `+` and `#` are kept, so that C, C++ and C# stay three claims. Idempotent.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(char if _is_kept(char) else " " for char in folded)
    return "_".join(kept.split())


def _is_kept(char: str) -> bool:
    return char in "+#" or unicodedata.category(char)[0] in "LMN"


def make_id(text: str) -> str:
    """Make an id from a name in any script; "" if no letter or digit is left.

    Transliterated to ASCII, lower case, `_` between words, at most 64 characters, never a name that
    Windows reserves.
    """
    latin = text if text.isascii() else _transliterate(text)
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’`]", "", latin).lower())
    ident = "_".join(words)[:ID_LENGTH].rstrip("_")
    if ident[:1].isdigit():
        ident = f"_{ident}"[:ID_LENGTH]
    return f"{ident}_" if is_reserved(ident) else ident


def _transliterate(text: str) -> str:
    from anyascii import anyascii  # 25 ms, and only names outside ASCII need it

    return anyascii(unicodedata.normalize("NFC", text))


def composed(text: str) -> str:
    """Write a text with composed letters (NFC): `é` is one character, however it was typed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def spellings(path: str) -> list[str]:
    """A path as it was typed, with composed and with decomposed letters: programs and systems differ in that."""
    if path.isascii():
        return [path]
    return list(dict.fromkeys([path, *(unicodedata.normalize(form, path) for form in ("NFC", "NFD"))]))


def fold_name(text: str) -> str:
    """Fold a name for comparing: NFKC, without case, accents, curly apostrophes and doubled blanks."""
    if text.isascii():
        return " ".join(text.casefold().split())
    decomposed = unicodedata.normalize("NFKD", text).casefold().translate(_APOSTROPHES)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(unicodedata.normalize("NFC", plain).split())


def loose_name(text: str) -> str:
    """Fold a name as `fold_name` does, with `-` and `_` as blanks: titles, file names and ids differ in them."""
    return " ".join(fold_name(text).replace("-", " ").replace("_", " ").split())
