"""What the catalog keeps: records of files and entries, and the JSON text of their parts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any

from vault.diagnostics import Diagnostic, Related, Span
from vault.model.codec import unpack
from vault.model.entry import Entry
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Value
from vault.store.scan import Stamp

_SPEC_FIELDS = [spec.name for spec in fields(FieldSpec)]


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of an entry's text: what is found and cited.

    `lines[i]` is the line of file `path` that line `i` of `text` stands on; `heading` is its context.
    `digest` names what an embedding model sees of it (16 bytes; empty if that is nothing).
    """

    path: str
    text: str
    lines: tuple[int, ...]
    heading: str = ""
    digest: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Divided:
    """An entry's passages; `digest` names its name, where that has a vector of its own."""

    passages: Sequence[Passage] = ()
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """An entry with what is derived from it: labels (kind, folded, written) and passages."""

    entry: Entry
    labels: Sequence[tuple[str, str, str]] = ()
    divided: Divided = Divided()
    created: str = ""
    text_file: str | None = None


@dataclass(slots=True)
class FileRecord:
    """All that the catalog keeps of one file. `kind` is firm, schema or sidecar; `scope` None for a schema."""

    path: str
    scope: str | None
    kind: str
    blob: str
    stamp: Stamp
    fresh: bool = True
    entries: list[EntryRecord] = field(default_factory=list)
    schemas: list[Schema] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    sidecars: list[tuple[str, Stamp]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry as the catalog holds it."""

    row: int
    scope: str
    entry: Entry
    created: str = ""
    text_file: str | None = None


class PackedFields(Mapping[str, Value]):
    """The fields of a stored entry, each unpacked when it is first looked at."""

    __slots__ = ("_data", "_packed", "_values")

    def __init__(self, packed: str) -> None:
        self._packed = packed
        self._data: dict[str, Any] | None = None
        self._values: dict[str, Value] = {}

    def _parsed(self) -> dict[str, Any]:
        if self._data is None:
            self._data = json.loads(self._packed)
        return self._data

    def __getitem__(self, name: str) -> Value:
        if name not in self._values:
            self._values[name] = unpack(self._parsed()[name])
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._parsed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._parsed())

    def __len__(self) -> int:
        return len(self._parsed())


def pack_diagnostics(found: Iterable[Diagnostic]) -> str:
    """Write diagnostics as JSON."""
    packed = [asdict(item) for item in found]
    return json.dumps(packed, ensure_ascii=False) if packed else "[]"


def unpack_diagnostics(text: str) -> list[Diagnostic]:
    """Read what `pack_diagnostics` wrote."""
    return [
        Diagnostic(
            **{
                **packed,
                "span": Span(**packed["span"]),
                "related": tuple(Related(Span(**r["span"]), r["message"]) for r in packed["related"]),
            }
        )
        for packed in json.loads(text)
    ]


@lru_cache(maxsize=1000)
def pack_schema(schema: Schema) -> str:
    """Write a schema as JSON."""
    return json.dumps(
        {
            "name": schema.name,
            "closed": schema.closed,
            "description": schema.description,
            "path": schema.path,
            "fields": [[getattr(spec, name) for name in _SPEC_FIELDS] for spec in schema.fields],
        },
        ensure_ascii=False,
    )


@lru_cache(maxsize=1000)
def unpack_schema(text: str) -> Schema:
    """Read what `pack_schema` wrote."""
    packed = json.loads(text)
    packed["fields"] = tuple(_spec(row) for row in packed["fields"])
    return Schema(**packed)


def _spec(row: list[object]) -> FieldSpec:
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in zip(_SPEC_FIELDS, row, strict=True)}
    return FieldSpec(**values)  # type: ignore[arg-type]  # the columns are those of FieldSpec
