"""Signals that end a server as the end of its input would: what is under way is finished first."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CHUNK = 65_536


@contextmanager
def signals_end_input() -> Iterator[None]:
    """Take SIGTERM, SIGINT and SIGHUP as the end of standard input (descriptor 0), for as long as it lasts.

    A thread that waits for input cannot be interrupted, so it waits for a pipe in its place, which is closed then.
    """
    asked, wake = os.pipe()
    inlet, outlet = os.pipe()
    real = os.dup(0)
    os.dup2(inlet, 0)
    os.close(inlet)
    before = {number: signal.signal(number, lambda *_: os.write(wake, b"!")) for number in SIGNALS}
    Thread(target=_pump, args=(real, outlet, asked), name="input", daemon=True).start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.write(wake, b"!")
        os.dup2(real, 0)


def _pump(source: int, outlet: int, asked: int) -> None:
    """Hand input on until it ends, or the end is asked for."""
    with suppress(OSError):  # nobody reads any more
        while asked not in (ready := select.select([source, asked], [], [])[0]):
            data = os.read(source, CHUNK) if ready else b""
            if not data:
                break
            while data:
                data = data[os.write(outlet, data) :]
    os.close(outlet)
