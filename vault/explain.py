"""What each code of a diagnostic means, in a paragraph."""

import re
from functools import cache
from pathlib import Path

from vault.diagnostics import CODES
from vault.errors import UsageError

_SECTION = re.compile(r"^## (\S+)\n\n(.+?)\n*(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class UnknownCode(UsageError):
    """A word that is not a diagnostic code."""

    code = "unknown-code"

    def __init__(self, word: str) -> None:
        from difflib import get_close_matches

        near = get_close_matches(word, CODES, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "`vault explain` lists them all"
        super().__init__(f"`{word}` is not a diagnostic code", hint=hint, details={"code": word})


@cache
def explanations() -> dict[str, str]:
    """The paragraph of every code, from codes.md."""
    text = Path(__file__).with_name("codes.md").read_text("utf-8")
    return {found[1]: " ".join(found[2].split()) for found in _SECTION.finditer(text)}


def explain(code: str) -> str:
    """The paragraph about a code. Raises `UnknownCode`."""
    found = explanations().get(code)
    if found is None:
        raise UnknownCode(code)
    return found


def gist(code: str) -> str:
    """The first sentence about a code."""
    return re.split(r"(?<=\.) ", explain(code), maxsplit=1)[0]
