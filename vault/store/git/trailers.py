"""Trailers: the `Key: value` lines that close a commit message."""

import re
from collections.abc import Sequence

_LINE = re.compile(r"([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)\Z")
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")


def with_trailers(message: str, trailers: Sequence[tuple[str, str]]) -> str:
    """Return the message with trailers added to its last paragraph, which is made if there is none.

    A value of several lines becomes one line.
    """
    text = message.rstrip()
    if not trailers:
        return f"{text}\n"
    added = "\n".join(f"{key}: {' '.join(value.split())}".rstrip() for key, value in trailers)
    paragraphs = re.split(r"\n[ \t]*\n", text)
    joint = "\n" if len(paragraphs) > 1 and _is_block(paragraphs[-1].split("\n")) else "\n\n"
    return f"{text}{joint}{added}\n"


def read_trailers(message: str) -> list[tuple[str, str]]:
    """Read the trailers of a message, in order; none if the last paragraph is prose.

    A continuation line, which starts with a blank, is joined to the value before it.
    """
    paragraphs = re.split(r"\n[ \t]*\n", message.rstrip())
    lines = paragraphs[-1].split("\n")
    if len(paragraphs) < 2 or not _is_block(lines):  # noqa: PLR2004  the first paragraph is the subject
        return []
    found: list[tuple[str, str]] = []
    for line in lines:
        match = _LINE.match(line)
        if line[:1].isspace() and found:
            key, value = found[-1]
            found[-1] = (key, f"{value} {line.strip()}".strip())
        elif match:
            found.append((match[1], match[2].strip()))
    return found


def _is_block(lines: Sequence[str]) -> bool:
    """Say whether git takes a paragraph for trailers.

    All lines are trailers; or one of them is a line git itself writes and at least a quarter are.
    """
    trailers = prose = 0
    generated = False
    for number, line in enumerate(lines):
        if line.startswith(_GENERATED):
            generated, trailers = True, trailers + 1
        elif _LINE.match(line) and not line[:1].isspace():
            trailers += 1
        elif not (line[:1].isspace() and number):
            prose += 1
    return trailers > 0 and (prose == 0 or (generated and trailers * 3 >= prose))
