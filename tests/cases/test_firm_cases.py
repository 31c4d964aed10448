"""Inputs with expected outcomes: the Firm language, queries, and operations on folders of files.

The `own*.json` here are always there. Another set of the same form, `shared/cases/firm_cases.json` beside
the repository, is run where it is present.
"""

import json
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cases.operations import check_operation
from tests.cases.queries import aggregation_of, ast_of, world
from vault.diagnostics import has_errors
from vault.errors import VaultError
from vault.lang.lower import Lowered, read
from vault.lang.write import Layout, write_entry, write_schema, write_value
from vault.model.schema import FieldSpec, Schema, validate
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value, kind_of, same
from vault.query.compare import matches
from vault.query.errors import BadQuery
from vault.query.parse import parse
from vault.query.run import run
from vault.service.read.links import related
from vault.service.vault import Vault
from vault.store.files import read_bytes
from vault.store.records import Stored
from vault.workspace.resolve import resolve

OWN = sorted(Path(__file__).parent.glob("own*.json"))
HANDED = Path(__file__).parents[3] / "shared" / "cases" / "firm_cases.json"

Case = dict[str, Any]


def _negative(number: int, key: str) -> Case:
    return {"error": False, "full_ids": [key], "entities": [_entity(key, {"a": {"type": "integer", "value": number}})]}


def _entity(key: str, fields: Case) -> Case:
    kind, _, ident = key.partition(".")
    return {"type": kind, "id": ident, "fields": fields}


#: Cases whose outcome here differs on purpose, and what it is.
DIFFERENT: dict[str, Case] = {
    # ids are kept as written; a blank ends one, and what is before it is in error
    "own-parse-raw-id": {"id": "q4"},
    "parse-076": {"error": False, "full_ids": ["person.JohnDoe"]},
    "parse-079": {"id": "Doe"},
    "parse-080": {"id": "JohnDoe"},
    "parse-081": {"id": "johnDoe"},
    "parse-082": {"id": "John.Doe"},
    "parse-083": {"id": "Person.JohnDoe"},
    "parse-084": {"id": "person.johnDoe"},
    "parse-085": {"id": "p1"},
    # a leading `-` is an extension that is read
    "own-parse-negative": _negative(-1, "t.x"),
    "parse-073": _negative(-5, "note.n"),
    # a quote is never escaped: the multi-line form holds it, and reads back
    "own-generate-quotes": {"text": '"""\n    a "b"\n    """'},
    "generate-026": {"text": '"""\n    Say "Hello"\n    """'},
    # `@id` is the bare id as well as the full one
    "query-056": {"error": False, "ids": ["person.alice"], "ordered": False},
    # `in` works
    "query-100": {"error": False, "ids": ["t.x"], "ordered": False},
    # times of day compare as instants
    "query-185": {"error": False, "ids": [], "ordered": False},
    # what lacks the field comes last, in either order
    "query-260": {"error": False, "ids": ["t.two", "t.one"], "ordered": True},
    # no figure is made of different currencies
    "query-306": {"error": True},
    # the items of a list say themselves of which kind they are
    "mcp-007": {"ok": True, "contains": ['tags = ["urgent"]']},
    "mcp-008": {"ok": True, "contains": ['tags = ["urgent"]']},
    # a type that there is not is an error wherever one is asked for, with the types there are
    "mcp-034": {"error": True, "code": "unknown-type"},
    # a folder without any `.firm` file is no workspace: `vault init` makes a vault of it first
    "mcp-077": {"error": True, "code": "not-a-vault"},
    "mcp-082": {"error": True, "code": "not-a-vault"},
    "mcp-085": {"error": True, "code": "not-a-vault"},
    "mcp-091": {"error": True, "code": "not-a-vault"},
}


def _cases() -> list[Case]:
    files = [*OWN, *([HANDED] if HANDED.is_file() else [])]
    return [case for file in files for case in json.loads(file.read_text("utf-8"))]


def value_of(data: Case) -> Value:
    """Make the value a case describes."""
    kind = data["type"]
    if kind == "list":
        return tuple(value_of(item) for item in data["items"])
    if kind == "currency":
        return Currency(Decimal(data["amount"]), data["currency"])
    if kind == "reference":
        entry_type, ident = data["entity"].split(".")
        return Reference(entry_type, ident, data.get("field"))
    if kind == "datetime":
        return _moment(data)
    if kind in ("path", "enum"):
        return PathValue(data["value"]) if kind == "path" else EnumValue(data["value"])
    held: Value = data["value"]
    return held


def _moment(data: Case) -> Moment:
    if "date" in data:
        day = date.fromisoformat(data["date"])
        midnight = data["time"] == "00:00"
        return Moment(day, None if midnight else datetime.strptime(data["time"], "%H:%M").time())  # noqa: DTZ007
    instant = datetime.fromisoformat(data["value"])
    offset = instant.utcoffset()
    assert offset is not None
    return Moment(instant.date(), instant.time(), int(offset.total_seconds()) // 60)


def _rooted(value: Value, file: str) -> Value:
    return PathValue(value.from_root(file)) if isinstance(value, PathValue) else value


def _check_parse(given: Case, expect: Case, _folder: Path) -> None:
    if "raw_id" in given:
        kind, _, ident = given["raw_id"].rpartition(".")
        entries = read(f"{kind or 'person'} {ident} {{ }}", "").entries
        assert [entry.key if kind else entry.id for entry in entries] == [expect["id"]]
        return
    file = given.get("file", "x.firm")
    found = read(given["text"], file)
    assert has_errors(found.diagnostics) == expect["error"]
    if expect["error"]:
        syntax = any(item.code in ("syntax-error", "unclosed-block") for item in found.diagnostics)
        assert syntax == (expect["level"] == "syntax")
        assert expect.get("field", "") in found.diagnostics[0].message
    _check_entities(found, expect, file)


def _check_entities(found: Lowered, expect: Case, file: str) -> None:
    if "full_ids" in expect:
        assert [entry.key for entry in found.entries] == expect["full_ids"]
    if "schemas" in expect:
        assert [schema.name for schema in found.schemas] == expect["schemas"]
    if "entities" in expect:
        assert [(e.type, e.id) for e in found.entries] == [(e["type"], e["id"]) for e in expect["entities"]]
        for entry, wanted in zip(found.entries, expect["entities"], strict=True):
            assert list(entry.fields) == list(wanted["fields"])
            for name, value in entry.fields.items():
                assert same(_rooted(value, file), value_of(wanted["fields"][name])), name


def _check_schema(given: Case, expect: Case, _folder: Path) -> None:
    if "text" in given:
        found = read(given["text"], "x.firm")
        assert has_errors(found.diagnostics) == expect["error"]
        if expect["error"]:
            assert [item.code for item in found.diagnostics] == ["schema-error"]
            assert expect["field"] in found.diagnostics[0].message
        else:
            assert [_schema_data(schema) for schema in found.schemas] == expect["schemas"]
        return
    (schema,), (entry,) = read(given["schema"], "s.firm").schemas, read(given["entity"], "x.firm").entries
    findings = list(validate(entry, schema))
    codes = {"missing_required_field": "missing-field", "mismatched_field_type": "wrong-type"}
    wanted = [(codes.get(e["type"], "bad-enum"), e["field"]) for e in expect.get("errors", [])]
    assert [(finding.code, finding.field) for finding in findings] == wanted
    for finding, error in zip(findings, expect.get("errors", []), strict=True):
        for word in ("expected", "actual"):
            assert error.get(word, "") in finding.message
        assert all(word in finding.hint for word in error.get("allowed", []))


def _schema_data(schema: Schema) -> Case:
    def spec_data(spec: FieldSpec) -> Case:
        data: Case = {"name": spec.name, "type": spec.type, "required": spec.required}
        return data if spec.allowed_values is None else data | {"allowed_values": list(spec.allowed_values)}

    return {"name": schema.name, "fields": [spec_data(spec) for spec in schema.fields]}


def _check_workspace(given: Case, expect: Case, folder: Path) -> None:
    files = given.get("files", {"v.firm": given.get("vault", "")})
    for path, text in {**files, "base.firm": "schema base_only { }"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    with Vault.open(folder) as vault:
        assert vault.layout.workspace
        if "load" in given:
            with pytest.raises(VaultError, match=given["load"]):
                read_bytes(vault.root, given["load"])
        elif "files" in given:
            _check_whole(vault, expect)
        else:
            _check_graph(vault, given, expect)


def _check_whole(vault: Vault, expect: Case) -> None:
    errors = [item for item in vault.check() if item.severity == "error"]
    level = {"validation": None, "missing_schema": "unknown-type", "schema": "schema-error", "graph": "duplicate-entry"}
    if "sources" not in expect:  # such a case asks where things are, and brings no schemas
        assert bool(errors) == expect["error"]
    if code := level.get(expect.get("level", "")):
        assert [item.code for item in errors] == [code]
    if errors and expect["error"]:
        assert expect.get("entity", errors[0].subject) == errors[0].subject
        assert expect.get("file", errors[0].span.path) == errors[0].span.path
    entries = vault.entries()
    schemas = [schema for schema in vault.catalog.schemas() if schema.name != "base_only"]
    assert expect.get("entities", len(entries)) == len(entries)
    assert expect.get("schemas", len(schemas)) == len(schemas)
    assert expect.get("by_type", {}).items() <= Counter(stored.entry.type for stored in entries).items()
    for key, path in expect.get("sources", {}).items():
        assert [stored.entry.path for stored in entries if stored.entry.key == key] == ([path] if path else [])
    for name, path in expect.get("schema_sources", {}).items():
        assert [schema.path for schema in schemas if schema.name == name] == ([path] if path else [])
    keys = {stored.entry.key for stored in entries}
    edges = [[s.entry.key, name, ref.key] for s in entries for name, ref in s.entry.references() if ref.key in keys]
    assert expect.get("edges", edges) == edges


def _check_graph(vault: Vault, given: Case, expect: Case) -> None:
    def ask() -> object:
        if "related" in given:
            _, found = related(vault, given["related"], direction=given["direction"])
            return sorted(one.stored.entry.key for one in found)
        return resolve(vault.snapshot(), Reference(*given["resolve"].split(".")))

    if expect.get("error"):
        with pytest.raises(VaultError):
            ask()
        return
    answer = ask()
    if "entity" in expect:
        assert isinstance(answer, Stored)
        assert answer.entry.key == expect["entity"]
    else:
        assert answer == (expect["ids"] if "ids" in expect else value_of(expect["value"]))


def _check_generate(given: Case, expect: Case, _folder: Path) -> None:
    if "value" in given:
        value = value_of(given["value"])
        assert kind_of(value) == given["value"]["type"]
        written = write_value(value)
    elif "schema" in given:
        specs = [
            FieldSpec(
                **{**spec, **({"allowed_values": tuple(spec["allowed_values"])} if "allowed_values" in spec else {})}
            )
            for spec in given["schema"]["fields"]
        ]
        written = write_schema(Schema(given["schema"]["name"], tuple(specs)))
    else:
        indent = given.get("indent", 4)
        layout = Layout("\t" if indent == "tab" else " " * indent)
        entries = [
            write_entry(e["type"], e["id"], {name: value_of(data) for name, data in e["fields"].items()}, layout)
            for e in given["entities"]
        ]
        written = ("\n" if given.get("blank_lines_between", True) else "").join(entries)
    assert written == expect["text"]


def _check_query(given: Case, expect: Case, _folder: Path) -> None:
    if "compare" in given:
        field, wanted = (value_of(given["compare"][name]) for name in ("field", "value"))
        assert matches(field, given["compare"]["op"], wanted) == expect["match"]
    elif expect["error"]:
        with pytest.raises(BadQuery):
            run(parse(given["query"]), world(given.get("vault", "")))
    elif "ast" in expect:
        assert ast_of(parse(given["query"])) == expect["ast"]
    else:
        result = run(parse(given["query"]), world(given["vault"]))
        keys = [stored.entry.key for stored in result.entries]
        if "ids" in expect:
            assert (keys if expect["ordered"] else sorted(keys)) == (
                expect["ids"] if expect["ordered"] else sorted(expect["ids"])
            )
        elif "n" in expect:
            assert len(keys) == expect["n"]
        else:
            assert aggregation_of(result) == expect["aggregation"]


CHECKS: dict[str, Callable[[Case, Case, Path], None]] = {
    "parse": _check_parse,
    "schema": _check_schema,
    "workspace": _check_workspace,
    "generate": _check_generate,
    "query": _check_query,
    "mcp": check_operation,
}


@pytest.mark.parametrize("case", _cases(), ids=lambda case: str(case["id"]))
def test_case_has_its_outcome(case: Case, tmp_path: Path) -> None:
    expect: Case = case["expect"]
    CHECKS[case["kind"]](case["input"], DIFFERENT.get(case["id"], expect), tmp_path)


def test_every_deliberate_difference_is_one() -> None:
    known = {case["id"]: case["expect"] for case in _cases()}
    assert all(known.get(name) != expect for name, expect in DIFFERENT.items())
    assert {name for name in DIFFERENT if name.startswith("own-") or HANDED.is_file()} <= set(known)
