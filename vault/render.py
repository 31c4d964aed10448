"""Diagnostics as text: one line, in full with the source, or for the annotations of a hosted check."""

import re
from collections.abc import Callable, Sequence

from vault.diagnostics import Diagnostic, Span

Excerpt = Callable[[str, int], str | None]
Named = Callable[[str], str]

#: Findings that a message lists: what a screen holds.
LISTED = 10

#: How much of a line an excerpt shows.
EXCERPT_COLUMNS = 160

_CONTROL_OR_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def line_of(data: bytes, number: int) -> str | None:
    """A line of a file's bytes, None behind its end."""
    rows = data.decode("utf-8-sig", "replace").split("\n")
    return rows[number - 1].rstrip("\r") if number <= len(rows) else None


def _as_it_is(path: str) -> str:
    return path


def line(item: Diagnostic, named: Named = _as_it_is) -> str:
    """Render as `path:line:col: severity[code] message`; `named` gives a path as the reader knows it."""
    return f"{place(item.span, named)}: {item.severity}[{item.code}] {item.message}" + (
        f" (help: {item.hint})" if item.hint else ""
    )


def listed(found: Sequence[Diagnostic]) -> str:
    """Render the first findings one a line, and count the rest."""
    more = f"\nand {len(found) - LISTED} more" if len(found) > LISTED else ""
    return "\n".join(line(item) for item in found[:LISTED]) + more


def place(span: Span, named: Named = _as_it_is) -> str:
    """Render a place as `path:line:col`; what would break the line or steer a terminal is shown as a code."""
    return f"{_CONTROL_OR_BREAK.sub(_code, named(span.path))}:{span.line}:{span.column}"


def _code(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def full(item: Diagnostic, excerpt: Excerpt, named: Named = _as_it_is) -> str:
    """Render with the source; `excerpt` gives a line of a file, or None."""
    rows = [f"{item.severity}[{item.code}]: {item.message}"]
    rows += _source(item.span, excerpt, named, f", in {item.subject}" if item.subject else "")
    if item.hint:
        rows.append(f"help: {item.hint}")
    for related in item.related:
        rows.append(f"note: {related.message}")
        rows += _source(related.span, excerpt, named, "")
    if item.note:
        rows.append(f"note: {item.note}")
    return "\n".join(rows)


def _source(span: Span, excerpt: Excerpt, named: Named, suffix: str) -> list[str]:
    rows = [f"  --> {place(span, named)}{suffix}"]
    text = excerpt(span.path, span.line)
    if text is None:
        return rows
    number = str(span.line)
    gutter = " " * len(number)
    end = span.end_column if span.end_line == span.line else len(text) + 1
    shown, start, length = _window(text, span.column - 1, max(1, min(end, len(text) + 1) - span.column))
    lead = "".join(char if char == "\t" else " " * columns(char) for char in shown[:start])
    marked = max(1, columns(shown[start : start + length]), length - len(shown[start:]))
    return [*rows, f"{gutter}  |", f"{number}  | {shown}", f"{gutter}  | {lead}{'^' * marked}"]


def columns(text: str) -> int:
    """The columns that a text takes on a terminal: two for East Asian wide characters, none for marks."""
    if text.isascii():
        return len(text)
    import unicodedata  # only texts outside ASCII need it

    visible = [char for char in text if not unicodedata.combining(char)]
    return len(visible) + sum(unicodedata.east_asian_width(char) in "WF" for char in visible)


def _window(text: str, start: int, length: int) -> tuple[str, int, int]:
    """Cut a long line to what is around a place; returns it with the place inside it.

    What would steer a terminal takes one column, so that the marker stands where it should.
    """
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(text) <= EXCERPT_COLUMNS:
        return text, start, length
    first = max(0, min(start - EXCERPT_COLUMNS // 4, len(text) - EXCERPT_COLUMNS))
    last = first + EXCERPT_COLUMNS
    lead, rest = "…" if first else "", "…" if last < len(text) else ""
    return f"{lead}{text[first:last]}{rest}", start - first + len(lead), min(length, last - start)


_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def github(item: Diagnostic, above: str = "") -> str:
    """Render as a workflow command that annotates the line; `above` leads from the repository's top to the vault."""
    span = item.span
    message = item.message + (f"\n{item.hint}" if item.hint else "")
    escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    path = f"{above}{span.path}"
    for char in "%\r\n,:":
        path = path.replace(char, f"%{ord(char):02X}")
    where = f"file={path},line={span.line},col={span.column},endLine={span.end_line},endColumn={span.end_column}"
    return f"::{_GITHUB[item.severity]} {where},title={item.code}::{escaped}"


def summary(found: Sequence[Diagnostic]) -> str:
    """Count findings in words, as in `2 errors, 1 warning`."""
    counts = [(name, sum(item.severity == name for item in found)) for name in ("error", "warning", "info")]
    words = {"info": ("note", "notes")}
    parts = [f"{number} {words.get(name, (name, name + 's'))[number != 1]}" for name, number in counts if number]
    return ", ".join(parts) or "no findings"
