"""The only module that prints. Results go to standard output, everything else to standard error."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import click
from click import style

__all__ = ["bar", "data", "error_line", "note", "progress", "style", "table", "text", "warn"]

#: Work that takes less than this shows no progress.
PATIENCE_SECONDS = 0.7


def data(value: Any) -> None:
    """Print a result as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def text(line: str = "", *, newline: bool = True) -> None:
    """Print a result as text; colours are dropped where nobody sees them."""
    click.echo(line, nl=newline)


def note(line: str) -> None:
    """Say something beside the result."""
    click.echo(line, err=True)


def warn(line: str) -> None:
    """Say something beside the result that a person should see."""
    click.echo(f"{style('warning', fg='yellow', bold=True)}: {line}", err=True)


def error_line(code: str, message: str, hint: str) -> None:
    """Say what stopped the command, and the next step."""
    click.echo(f"{style(f'error[{code}]', fg='red', bold=True)}: {message}", err=True)
    if hint:
        click.echo(f"{style('help', fg='cyan', bold=True)}: {hint}", err=True)


def table(rows: Iterable[Sequence[str]], *, gap: int = 2) -> None:
    """Print rows with aligned columns; the last column is not padded."""
    held = [list(row) for row in rows]
    if not held:
        return
    widths = [max(_width(row[i]) for row in held) for i in range(len(held[0]))]
    for row in held:
        cells = [cell + " " * (widths[i] - _width(cell)) for i, cell in enumerate(row[:-1])]
        click.echo((" " * gap).join([*cells, row[-1]]).rstrip())


def _width(cell: str) -> int:
    """The columns a text takes on a terminal: two for East Asian wide characters, none for marks."""
    plain = click.unstyle(cell)
    if plain.isascii():
        return len(plain)
    import unicodedata  # noqa: PLC0415  only texts outside ASCII need it

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in plain
    )


def bar(label: str, done: int, total: int) -> str:
    """Draw a progress line."""
    share = done / total if total else 1.0
    filled = int(share * 24)
    return f"{label} [{'#' * filled}{'.' * (24 - filled)}] {done:,}/{total:,}"


def progress(label: str) -> Callable[[int, int], None] | None:
    """Make a reporter of progress on standard error; None where nobody watches."""
    if not sys.stderr.isatty():
        return None
    started = monotonic()

    def report(done: int, total: int) -> None:
        if monotonic() - started > PATIENCE_SECONDS:
            end = "\r\x1b[K" if done >= total else ""
            click.echo(f"\r{bar(label, done, total)}{end}", err=True, nl=False)

    return report
