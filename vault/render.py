"""Diagnostics as text: one line, in full with the source, or for the annotations of a hosted check."""

from collections.abc import Callable, Sequence

from vault.diagnostics import Diagnostic, Span

Excerpt = Callable[[str, int], str | None]


def line(item: Diagnostic) -> str:
    """Render as `path:line:col: severity[code] message`."""
    return f"{place(item.span)}: {item.severity}[{item.code}] {item.message}" + (
        f" (help: {item.hint})" if item.hint else ""
    )


def place(span: Span) -> str:
    """Render a place as `path:line:col`."""
    return f"{span.path}:{span.line}:{span.column}"


def full(item: Diagnostic, excerpt: Excerpt) -> str:
    """Render with the source; `excerpt` gives a line of a file, or None."""
    rows = [f"{item.severity}[{item.code}]: {item.message}"]
    rows += _source(item.span, excerpt, f", in {item.subject}" if item.subject else "")
    if item.hint:
        rows.append(f"help: {item.hint}")
    for related in item.related:
        rows.append(f"note: {related.message}")
        rows += _source(related.span, excerpt, "")
    if item.note:
        rows.append(f"note: {item.note}")
    return "\n".join(rows)


def _source(span: Span, excerpt: Excerpt, suffix: str) -> list[str]:
    rows = [f"  --> {place(span)}{suffix}"]
    text = excerpt(span.path, span.line)
    if text is None:
        return rows
    number = str(span.line)
    gutter = " " * len(number)
    end = span.end_column if span.end_line == span.line else len(text) + 1
    lead = "".join(char if char == "\t" else " " for char in text[: span.column - 1])
    marker = "^" * max(1, min(end, len(text) + 1) - span.column)
    return [*rows, f"{gutter}  |", f"{number}  | {text}", f"{gutter}  | {lead}{marker}"]


_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def github(item: Diagnostic) -> str:
    """Render as a workflow command that annotates the line."""
    span = item.span
    message = item.message + (f"\n{item.hint}" if item.hint else "")
    escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    path = span.path.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    where = f"file={path},line={span.line},col={span.column},endLine={span.end_line},endColumn={span.end_column}"
    return f"::{_GITHUB[item.severity]} {where},title={item.code}::{escaped}"


def summary(found: Sequence[Diagnostic]) -> str:
    """Count findings in words, as in `2 errors, 1 warning`."""
    counts = [(name, sum(item.severity == name for item in found)) for name in ("error", "warning", "info")]
    words = {"info": ("note", "notes")}
    parts = [f"{number} {words.get(name, (name, name + 's'))[number != 1]}" for name, number in counts if number]
    return ", ".join(parts) or "no findings"
