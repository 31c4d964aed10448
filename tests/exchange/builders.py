"""Small folders of notes, and the schemas they are imported under."""

from collections.abc import Mapping, Sequence

from vault.exchange.conventions import PLAIN, Convention
from vault.exchange.ids import Existing
from vault.exchange.mapping import ImportMapping
from vault.exchange.notes import SourceFile
from vault.exchange.plan import ImportPlan, PlannedEntry, plan_import
from vault.lang.write import fits_string
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Kind, Value

NO_MAPPING = ImportMapping()


def _list(name: str, item_type: Kind) -> FieldSpec:
    return FieldSpec(name, "list", item_type=item_type)


def _schema(name: str, *own: FieldSpec) -> Schema:
    relations = [_list(field, "reference") for field in ("relates_to", "belongs_to", "uses", "describes")]
    texts = [_list(field, "string") for field in ("aliases", "tags", "sources")]
    fields = [
        FieldSpec("name", "string"),
        *own,
        FieldSpec("summary", "string"),
        *texts,
        *relations,
        FieldSpec("pinned", "boolean"),
        FieldSpec("agent", "string"),
        FieldSpec("origin", "string"),
        FieldSpec("created_at", "datetime"),
    ]
    return Schema(name, tuple(fields))


SCHEMAS = {
    "note": _schema("note", FieldSpec("text", "string"), FieldSpec("text_file", "path")),
    "actor": _schema(
        "actor", FieldSpec("kind", "enum", allowed_values=("person", "team")), FieldSpec("lead", "reference")
    ),
}


def files(notes: Mapping[str, str]) -> list[SourceFile]:
    return [SourceFile(path, text.encode()) for path, text in notes.items()]


def plan(
    notes: Mapping[str, str],
    *,
    mapping: ImportMapping = NO_MAPPING,
    existing: Sequence[Existing] = (),
    others: Sequence[str] = (),
    convention: Convention = PLAIN,
) -> ImportPlan:
    return plan_import(
        files(notes),
        mapping=mapping,
        schemas=SCHEMAS,
        existing=existing,
        source_label="vault",
        holds=fits_string,
        others=others,
        convention=convention,
    )


def entry(made: ImportPlan, path: str) -> PlannedEntry:
    return next(entry for entry in made.entries if entry.origin == f"vault/{path}")


def fields(made: ImportPlan, path: str) -> dict[str, Value]:
    return dict(entry(made, path).fields)


def fields_of(front: str, **others: str) -> dict[str, Value]:
    """Import one note with this front matter, and notes named by the keywords beside it."""
    notes = {"one.md": f"---\n{front}\n---\n"} | {f"{name}.md": text for name, text in others.items()}
    return fields(plan(notes), "one.md")
