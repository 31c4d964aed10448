"""Every file of the corpus against what is expected of it; `--update` rewrites the expectations."""

import json
from pathlib import Path

import pytest

from vault.diagnostics import Diagnostic, in_file_order
from vault.lang.format import format_text
from vault.lang.lower import read
from vault.model.access import GLOBAL
from vault.model.codec import pack
from vault.model.schema import Schema
from vault.model.settings import Settings
from vault.search.passages import divide
from vault.store.scan import ABSENT
from vault.workspace.ingest import Context, SourceFile, decode, ingest
from vault.workspace.layout import Layout

HERE = Path(__file__).parent
VALID = sorted((HERE / "valid").glob("*.firm"))
INVALID = sorted((HERE / "invalid").glob("*.firm"))

#: The schemas the entries of invalid files are held against.
SCHEMAS = {schema.name: schema for schema in read((HERE / "schemas.firm").read_text("utf-8"), "").schemas}


def compare(expected: Path, text: str, *, update: bool) -> None:
    if update:
        expected.write_bytes(text.encode())
    assert expected.read_bytes().decode() == text


def as_json(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def schema_data(schema: Schema) -> dict[str, object]:
    rows = [
        {name: held for name in spec.__slots__ if (held := getattr(spec, name)) not in ("", None, (), False)}
        for spec in schema.fields
    ]
    return {"schema": schema.name, "closed": schema.closed, "fields": rows}


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_valid_file_reads_as_expected(file: Path, *, update: bool) -> None:
    text, problems = decode(file.read_bytes(), file.name)
    found = read(text, file.name)
    assert [*problems, *found.diagnostics] == []
    entries = [{"key": e.key, "fields": {name: pack(value) for name, value in e.fields.items()}} for e in found.entries]
    compare(file.with_suffix(".json"), as_json([*entries, *map(schema_data, found.schemas)]), update=update)


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_valid_file_has_its_canonical_form(file: Path, *, update: bool) -> None:
    text = file.read_bytes().decode()
    canonical, laid_out = file.with_suffix(".fmt"), format_text(text)
    if update:
        canonical.unlink(missing_ok=True)
        if laid_out != text:
            canonical.write_bytes(laid_out.encode())
    assert (canonical if canonical.exists() else file).read_bytes().decode() == laid_out


def diagnostics(file: Path) -> list[Diagnostic]:
    """What a vault says of a file at `global/t/<name>`, or in `schema/` if its name begins so."""
    folder = "schema" if file.stem.startswith("schema") else f"{GLOBAL}/t"
    context = Context(Layout(Path("/nowhere"), Settings(file_limit=20_000)), SCHEMAS, lambda _: (None, ABSENT), divide)
    record = ingest(SourceFile(f"{folder}/{file.name}", file.read_bytes(), "", ABSENT), context)
    return in_file_order(record.diagnostics)


@pytest.mark.parametrize("file", INVALID, ids=lambda file: file.stem)
def test_invalid_file_has_its_diagnostics(file: Path, *, update: bool) -> None:
    found = [(d.code, d.span.line, d.span.column, d.span.end_line, d.span.end_column) for d in diagnostics(file)]
    assert found
    rows = ",\n".join(f" {json.dumps(row)}" for row in found)
    compare(file.with_suffix(".json"), f"[\n{rows}\n]\n", update=update)
