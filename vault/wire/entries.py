"""Entries, and what is around them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.model.access import BUNDLED, RESERVED_SPACES
from vault.model.codec import plain
from vault.model.schema import FieldSpec, Schema
from vault.model.values import from_root
from vault.store.records import Stored
from vault.wire.shape import Json, landed, listing

if TYPE_CHECKING:
    from vault.service.read.entry_detail import Cited
    from vault.service.read.links import Related
    from vault.service.write.apply_payload import Remembered
    from vault.service.write.consents import Consent
    from vault.service.write.result import Placed, Written
    from vault.workspace.graph import Graph
from vault.wire.checks import diagnostic


def heading(stored: Stored) -> Json:
    """An entry in a list; one that ships with the product says so in `scope`."""
    entry = stored.entry
    return {
        "key": entry.key,
        "type": entry.type,
        "id": entry.id,
        "name": entry.name,
        "space": None if stored.scope in RESERVED_SPACES else stored.scope,
        **({"scope": BUNDLED} if stored.scope == BUNDLED else {}),
        "path": entry.path,
        "line": entry.place.line,
    }


def shown_fields(stored: Stored) -> Json:
    """The fields of an entry; paths count from the vault's folder."""
    return {name: plain(from_root(value, stored.entry.path)) for name, value in stored.entry.fields.items()}


def entry(
    stored: Stored,
    *,
    text: str | None,
    commit: str,
    referrers: Sequence[tuple[str, Stored]],
    shadows: Sequence[Stored],
) -> Json:
    """An entry in full: fields, a text kept in a sidecar, what it names and what names it."""
    fields = shown_fields(stored)
    if text is not None:
        fields["text"] = text
    return {
        **heading(stored),
        "cite": f"{stored.entry.path}:{stored.entry.place.line}@{commit}",
        "fields": fields,
        "references": [
            {"field": name, "key": reference.key, **({"of": reference.field} if reference.field else {})}
            for name, reference in stored.entry.references()
        ],
        "referencedBy": [
            {"field": name, "key": other.entry.key, "path": other.entry.path} for name, other in referrers
        ],
        "shadows": [other.entry.path for other in shadows],
    }


def passage(found: "Cited") -> Json:
    """A passage of an entry, with where it stands."""
    return {
        **heading(found.stored),
        "passage": found.address,
        "heading": found.passage.heading,
        "text": found.passage.text,
        "path": found.passage.path,
        "line": found.passage.lines[0],
        "endLine": found.passage.lines[-1],
        "commit": found.commit,
        "cite": f"{found.passage.path}:{found.passage.lines[0]}@{found.commit}",
    }


def related(stored: Stored, found: "Sequence[Related]") -> Json:
    """An entry, and what it is linked with."""
    rows = [
        {
            **heading(one.stored),
            "depth": one.depth,
            "field": one.edge.field,
            "from": one.edge.source,
            "to": one.edge.target,
        }
        for one in found
    ]
    return {"entry": heading(stored), **listing(rows)}


def graph(found: "Graph") -> Json:
    """A graph of entries and the references between them."""
    return {
        "nodes": [{"key": node.key, "type": node.type, "name": node.name} for node in found.nodes.values()],
        "edges": [{"from": edge.source, "field": edge.field, "to": edge.target} for edge in found.edges],
    }


def written(result: "Written") -> Json:
    """What a write did."""
    return {
        "key": result.key,
        "path": result.path,
        "paths": list(result.paths),
        "fields": list(result.changed),
        "reveals": result.reveals or None,
        "shadows": list(result.shadows),
        "warnings": [diagnostic(item) for item in result.findings],
        "notes": list(result.notes),
        **landed(result.landed),
        **(_placed(result.placed) if result.placed else {}),
    }


def _placed(placed: "Placed") -> Json:
    """Where a new entry went, and what stood there."""
    replaced = placed.replaced
    return {
        "op": placed.op,
        "slot": placed.slot.path if placed.slot else None,
        "replaced": replaced
        and {
            "key": replaced.entry.key,
            "fields": {name: plain(value) for name, value in replaced.entry.fields.items()},
        },
        "respelt": list(placed.respelt),
        "done": placed.done,
    }


def remembered(result: "Remembered") -> Json:
    """What became of a payload."""
    return {
        **landed(result.landed),
        "entities": [{"key": key, "created": created} for key, created in result.entities],
        "facts": [{"at": at, "key": placed.key, "path": placed.path, **_placed(placed)} for at, placed in result.facts],
        "note": result.note,
        "noteOp": result.note_op,
        "paths": list(result.paths),
        "done": result.done,
        "shadows": list(result.shadows),
        "warnings": list(result.warnings),
    }


def consent(asked: "Consent") -> Json:
    """A call that waits for consent."""
    call = asked.call
    return {
        "consent": asked.number,
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "space": call.space,
        "agent": call.agent or None,
        "token": call.token.partition(":")[0] or None,
        "time": asked.asked.isoformat(),
        "about": asked.about or None,
    }


def field_spec(spec: FieldSpec) -> Json:
    """The declaration of a field; settings at their default are left out."""
    settings = {
        "itemType": spec.item_type,
        "target": list(spec.target) or None,
        "allowedValues": None if spec.allowed_values is None else list(spec.allowed_values),
        "min": spec.min,
        "max": spec.max,
        "pattern": spec.pattern or None,
        "unique": spec.unique or None,
        "embed": spec.embed or None,
    }
    return {
        "name": spec.name,
        "type": spec.type,
        "required": spec.required,
        "description": spec.description,
        **{name: value for name, value in settings.items() if value is not None},
    }


def schema(item: Schema) -> Json:
    """A schema."""
    return {
        "name": item.name,
        "description": item.description,
        "closed": item.closed,
        "path": item.path or None,
        "fields": [field_spec(spec) for spec in item.fields],
    }
