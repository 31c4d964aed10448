"""What this product reads and plain Firm does not: the extensions of the language, and how ids fall together."""

import re
from collections.abc import Iterator, Sequence

from vault.diagnostics import Diagnostic, diagnostic
from vault.lang.parse import parse
from vault.lang.syntax import BlockNode, FieldNode, ValueNode

#: What stands somewhere in a text that has an extension; most have none, and parsing takes the time.
_MARKS = re.compile(r"-\d|:\d\d:|UTC[+-]\d{1,2}:")
_SECONDS = re.compile(r"\d:\d\d:\d\d")
_MINUTES_OF_OFFSET = re.compile(r"UTC[+-]\d{1,2}:")

#: Where Firm puts underscores into an id: between a letter or digit and what follows of another class.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z])")


def extensions(text: str, path: str) -> list[Diagnostic]:
    """The values of a text that plain Firm would not read."""
    if not _MARKS.search(text):
        return []
    document = parse(text)
    lines = document.lines
    return [
        diagnostic(
            "firm-incompatible",
            f"`{field.name}`: plain Firm does not read {told}",
            lines.span(path, node.start, node.end),
            hint=hint,
            subject=f"{block.type} {block.id}" if block.type == "schema" else f"{block.type}.{block.id}",
        )
        for block in document.blocks
        for field in _fields(block)
        for node in _scalars([field.value])
        if (found := _extension(text[node.start : node.end], node.kind))
        for told, hint in [found]
    ]


def _fields(block: BlockNode) -> Iterator[FieldNode]:
    waiting = [block]
    while waiting:
        inner = waiting.pop()
        yield from inner.fields()
        waiting += inner.blocks()


def _scalars(nodes: Sequence[ValueNode]) -> Iterator[ValueNode]:
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if node.kind == "LIST":
            waiting += reversed(node.items)
        else:
            yield node


def _extension(written: str, kind: str) -> tuple[str, str] | None:
    """What of a value is an extension, and what to write in its place."""
    if kind in ("NUMBER", "CURRENCY") and written.startswith("-"):
        return "a number below zero", "keep the sign in a field of its own, or the number in a string"
    if kind == "DATETIME" and _SECONDS.search(written):
        return "seconds", "write the time to the minute"
    if kind == "DATETIME" and _MINUTES_OF_OFFSET.search(written):
        return "minutes in an offset", "write the time in UTC"
    return None


def firm_id(ident: str) -> str:
    """An id as plain Firm keeps it: `p1` as `p_1`, `JohnDoe` as `john_doe`."""
    return re.sub("_+", "_", _SEAM.sub("_", ident)).lower()
