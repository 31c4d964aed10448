"""Runs commands in children of one process that has everything loaded, each with one call of the system failing.

Reads requests as lines of JSON (`words`, `root`, `at`, `code`) and answers each with the child's exit code (negative:
the signal), what it printed, and how many calls it made.
"""

import ctypes
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

#: Calls are counted by the library that is loaded before all others.
SHIM = ctypes.CDLL(None)
#: Modules that commands load when they run: with them loaded the calls of a command are its own.
MODULES = (
    "cli.commands.add",
    "cli.commands.commit",
    "cli.commands.fact",
    "cli.commands.import_",
    "cli.commands.remember",
    "cli.commands.restore",
    "cli.commands.rm",
    "cli.commands.set",
    "vault.service.read.history_search",
    "vault.store.git",
)


def main() -> None:
    """Answer requests until there are no more."""
    for module in MODULES:
        __import__(module)
    for request in sys.stdin:
        print(json.dumps(_answer(json.loads(request))), flush=True)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        child = os.fork()
        if not child:
            _run(request, place)
        _, status = os.waitpid(child, 0)
        texts = {name: _text(place / name) for name in ("out", "err", "calls")}
        return {"code": os.waitstatus_to_exitcode(status), **texts}


def _text(place: Path) -> str:
    return place.read_text(errors="replace") if place.exists() else ""


def _run(request: dict[str, Any], place: Path) -> None:
    from cli.main import invoke

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(place / name, os.O_WRONLY | os.O_CREAT), number)
    SHIM.fault_arm(request["root"].encode(), ctypes.c_long(request["at"]), request["code"])
    code = invoke(["-C", request["root"], *request["words"]])
    calls = SHIM.fault_calls()
    SHIM.fault_arm(b"", ctypes.c_long(0), 0)
    (place / "calls").write_text(str(calls))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
