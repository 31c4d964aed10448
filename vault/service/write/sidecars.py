"""The texts of entries: files that may be rewritten, and the files beside entries that hold long texts."""

import codecs
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.errors import VaultError
from vault.lang.lower import read, syntax_errors
from vault.lang.write import fits_string
from vault.model.values import PathValue, Value
from vault.render import line
from vault.store.journal import FileWrite
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


Fields = Mapping[str, Value | None]


class HasSyntaxErrors(VaultError):
    """A file that cannot be rewritten safely because it does not parse."""

    code = "has-syntax-errors"

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        super().__init__(
            f"{found[0].span.path} has syntax errors and is not rewritten: {line(found[0])}",
            hint="correct them in an editor, then repeat the command",
            details={"diagnostics": [line(item) for item in found]},
        )


def rewritable(data: bytes, path: str) -> str:
    """The text of a file that may be rewritten; raises `HasSyntaxErrors`."""
    text, problems = decode(data, path)
    wrong = [*problems, *syntax_errors(read(text, path).diagnostics)]
    if wrong:
        raise HasSyntaxErrors(wrong)
    return text


def sidecar_path(path: str, stem: str | None = None) -> str:
    """The file beside an entry's that holds its text where no string can."""
    place = PurePosixPath(path)
    return str(place.with_name(f"{stem or place.stem}.md"))


def sidecar_stem(vault: "VaultHandle", kind: str, ident: str) -> str:
    """What the sidecar of an entry is called: in a workspace, where types share folders, by its type too."""
    return f"{kind}_{ident}" if vault.layout.workspace else ident


def with_sidecar(stem: str, path: str, fields: Mapping[str, Value]) -> tuple[dict[str, Value], FileWrite | None]:
    """Move a `text` that no string holds into the file `<stem>.md` beside the entry."""
    text = fields.get("text")
    if not isinstance(text, str) or fits_string(text):
        return dict(fields), None
    sidecar = sidecar_path(path, stem)
    kept: dict[str, Value] = {}
    for name, value in fields.items():
        if name == "text":
            kept["text_file"] = PathValue(f"./{stem}.md")
        else:
            kept[name] = value
    return kept, FileWrite(sidecar, None, f"{text}\n".encode())


def sidecar_data(text: str, before: bytes) -> bytes:
    """The bytes of a sidecar with another text: it ends with a line end, and keeps its byte order mark."""
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    ended = text if text.endswith("\n") else f"{text}\n"
    return mark + ended.encode()
