"""The only module that prints. Results go to standard output, everything else to standard error.

Values come from files that anybody may have written, so what would steer a terminal is shown escaped;
only the styling made here reaches it.
"""

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any

import click

__all__ = [
    "bar",
    "captured",
    "cut",
    "data",
    "error_line",
    "flat",
    "never_fail",
    "note",
    "progress",
    "raw",
    "replay",
    "results",
    "silence",
    "style",
    "table",
    "text",
    "warn",
]

#: Work that takes less than this shows no progress.
PATIENCE_SECONDS = 0.7

#: Stands for ESC in what `style` makes until it is printed; random, so that no value can hold it.
_ESCAPE = f"\N{SYMBOL FOR ESCAPE}{os.urandom(8).hex()}"
_STYLING = re.compile(rf"{_ESCAPE}\[[0-9;]*m")
#: C0 but tab and line feed, DEL, C1, what turns the direction of text around, and the surrogates that stand for bytes
#: that are not UTF-8.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


#: What a command printed, in the order that it did: whether it is an error's, and the bytes.
Printed = list[tuple[bool, bytes]]


class _Kept(io.BytesIO):
    """Keeps what is written to it among all that is printed."""

    def __init__(self, printed: Printed, *, err: bool) -> None:
        super().__init__()
        self._printed, self._err = printed, err

    def write(self, data: Any) -> int:
        """Keep some bytes."""
        self._printed.append((self._err, bytes(data)))
        return len(data)


class _Stream(io.TextIOWrapper):
    """An output that is kept, and takes colours where the one it stands for does."""

    def __init__(self, kept: _Kept, *, terminal: bool) -> None:
        self._terminal = terminal
        super().__init__(kept, encoding="utf-8", newline="")

    def isatty(self) -> bool:
        """Whether it stands for a terminal."""
        return self._terminal


@dataclass(frozen=True, slots=True)
class Captured:
    """Both outputs of a command that runs for another process, and all that it printed."""

    out: _Stream
    err: _Stream
    printed: Printed


_captured: ContextVar[Captured | None] = ContextVar("captured", default=None)
_results: ContextVar[int] = ContextVar("results", default=0)


@contextmanager
def captured(out_terminal: bool, err_terminal: bool) -> Iterator[Captured]:
    """Keep what is printed from here on, in this thread."""
    printed: Printed = []
    out, err = _Kept(printed, err=False), _Kept(printed, err=True)
    held = Captured(_Stream(out, terminal=out_terminal), _Stream(err, terminal=err_terminal), printed)
    token = _captured.set(held)
    try:
        yield held
    finally:
        _captured.reset(token)


def replay(printed: Sequence[tuple[bool, bytes]]) -> None:
    """Print what a command printed that ran elsewhere."""
    for is_error, data in printed:
        stream = sys.stderr if is_error else sys.stdout
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def _print(line: str, *, newline: bool = True, err: bool = False) -> None:
    held = _captured.get()
    _results.set(_results.get() + (not err))
    file = None
    if held is not None:
        file = held.err if err else held.out
    click.echo(line, nl=newline, err=err, file=file)


def results() -> int:
    """Count how often a result was printed in this thread."""
    return _results.get()


def style(value: str, **looks: Any) -> str:
    """Give a text colours and weight; they are dropped where nobody sees them."""
    return click.style(value.replace("\x1b", r"\x1b"), **looks).replace("\x1b", _ESCAPE)


def commit(ident: str, *, cut: bool = False) -> str:
    """Show a commit by its first digits, as git does; `^` marks one at which a shallow clone ends."""
    return style(f"^{ident[:9]}" if cut else ident[:10], fg="yellow")


def cut(value: str, columns: int) -> str:
    """Put a value on one line and cut it to so many characters."""
    flat = " ".join(value.split())
    return flat if len(flat) <= columns else f"{flat[: columns - 1]}…"


def flat(value: str) -> str:
    """Show a path on one line, whatever is in its name."""
    return value.replace("\n", r"\n").replace("\t", r"\t")


#: What is added to a command's JSON: remarks about the whole answer.
remarks: ContextVar[Callable[[], dict[str, Any]]] = ContextVar("remarks", default=dict)


def data(value: Any) -> None:
    """Print a result as JSON."""
    if isinstance(value, dict) and "error" not in value:
        value = {**value, **remarks.get()()}
    try:
        printed = json.dumps(value, ensure_ascii=False, indent=2)
        printed.encode("utf-8" if _captured.get() else sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        printed = json.dumps(value, indent=2)
    _print(printed)


def text(line: str = "", *, newline: bool = True) -> None:
    """Print a result as text."""
    _print(_shown(line), newline=newline)


def raw(content: bytes) -> None:
    """Print the bytes of a file as they are."""
    held = _captured.get()
    _results.set(_results.get() + 1)
    out = held.out if held else sys.stdout
    out.flush()
    out.buffer.write(content)
    out.buffer.flush()


def note(line: str) -> None:
    """Say something beside the result."""
    _print(_shown(line), err=True)


def warn(line: str) -> None:
    """Say something beside the result that a person should see."""
    note(f"{style('warning', fg='yellow', bold=True)}: {line}")


def error_line(code: str, message: str, hint: str) -> None:
    """Say what stopped the command, and the next step."""
    note(f"{style(f'error[{code}]', fg='red', bold=True)}: {message}")
    if hint:
        note(f"{style('help', fg='cyan', bold=True)}: {hint}")


def table(rows: Iterable[Sequence[str]]) -> None:
    """Print rows with aligned columns; the last column is not padded."""
    held = [[_escaped(cell) for cell in row] for row in rows]
    if not held:
        return
    widths = [max(_width(row[i]) for row in held) for i in range(len(held[0]))]
    for row in held:
        cells = [cell + " " * (widths[i] - _width(cell)) for i, cell in enumerate(row[:-1])]
        text("  ".join([*cells, row[-1]]).rstrip())


def never_fail() -> None:
    """Show what an output's encoding cannot hold by its numbers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def silence() -> None:
    """Send standard output nowhere: what Python still holds of it can no longer be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escaped(value: str) -> str:
    r"""Show control characters as `\x1b` and the like; a line end of two characters is one."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], value.replace("\r\n", "\n"))


def _shown(line: str) -> str:
    return _escaped(line).replace(_ESCAPE, "\x1b")


def _width(cell: str) -> int:
    """The columns a cell takes on a terminal, without its colours."""
    from vault.render import columns

    return columns(_STYLING.sub("", cell))


def bar(label: str, done: int, total: int) -> str:
    """Draw a progress line."""
    share = done / total if total else 1.0
    filled = int(share * 24)
    return f"{label} [{'#' * filled}{'.' * (24 - filled)}] {done:,}/{total:,}"


def progress(label: str) -> Callable[[int, int], None] | None:
    """Make a reporter of progress on standard error; None where nobody watches."""
    if _captured.get() or not sys.stderr.isatty():
        return None
    started = monotonic()

    def report(done: int, total: int) -> None:
        if monotonic() - started > PATIENCE_SECONDS:
            end = "\r\x1b[K" if done >= total else ""
            click.echo(f"\r{bar(label, done, total)}{end}", err=True, nl=False)

    return report
