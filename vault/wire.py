"""Results as JSON data: the shapes that every surface answers with."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from vault.diagnostics import Diagnostic, Span
from vault.errors import VaultError
from vault.model.codec import plain
from vault.model.schema import FieldSpec, Schema
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.model.settings import Space
    from vault.query.run import Result
    from vault.search.find import Answer, Found
    from vault.search.overview import Overview
    from vault.service.committing import Commit
    from vault.service.doctor import Finding
    from vault.service.evaluating import Report
    from vault.service.fixing import Fixed
    from vault.service.importing import Imported
    from vault.service.indexing import Indexed
    from vault.service.reading import Cited, Status
    from vault.service.relating import Related
    from vault.service.setup import Made, SpaceInfo
    from vault.service.writing import Written
    from vault.store.git import Change, LogRecord
    from vault.workspace.graph import Graph

Json = dict[str, Any]


def error(failure: VaultError) -> Json:
    """An error: code, sentence, next step, and its details."""
    return {"error": {"code": failure.code, "message": failure.message, "hint": failure.hint, **failure.details}}


def heading(stored: Stored) -> Json:
    """An entry in a list."""
    entry = stored.entry
    return {
        "key": entry.key,
        "type": entry.type,
        "id": entry.id,
        "name": entry.name,
        "space": None if stored.scope == "global" else stored.scope,
        "path": entry.path,
        "line": entry.place.line,
    }


def entry(
    stored: Stored,
    *,
    text: str | None,
    commit: str,
    referrers: Sequence[tuple[str, Stored]],
    shadows: Sequence[Stored],
) -> Json:
    """An entry in full: fields, a text kept in a sidecar, what it names and what names it."""
    fields = {name: plain(value) for name, value in stored.entry.fields.items()}
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


def listing(items: Sequence[Json], total: int | None = None) -> Json:
    """A list with its total."""
    return {"items": list(items), "total": len(items) if total is None else total}


def found(query: str, answer: "Answer", cited: Mapping[str, str]) -> Json:
    """Search results in rank order, and what they were found by."""
    return {
        "query": query,
        "mode": answer.mode,
        "fusion": answer.fusion if answer.mode == "hybrid" else None,
        "embedded": {"passages": answer.embedded.passages, "of": answer.embedded.of} if answer.embedded else None,
        "problem": answer.problem or None,
        **listing([_result(result, cited[result.path]) for result in answer]),
    }


def _result(result: "Found", commit: str) -> Json:
    via = result.via
    return {
        **heading(result.stored),
        "score": round(result.score, 4),
        "heading": result.heading,
        "snippet": result.snippet,
        "marks": [list(mark) for mark in result.marks],
        "path": result.path,
        "line": result.line,
        "commit": commit,
        "cite": f"{result.path}:{result.line}@{commit}",
        "passage": result.address,
        "current": result.current,
        "ranks": {name: {"place": rank.place, "score": round(rank.score, 4)} for name, rank in result.ranks.items()},
        "via": {"key": via.source, "field": via.field, "backward": via.backward} if via else None,
    }


def indexed(state: "Indexed") -> Json:
    """The state of derived data."""
    return {
        **{name: getattr(state, name) for name in ("files", "entries", "passages", "changed", "removed")},
        "embedded": {"passages": state.share.passages, "of": state.share.of},
        "vectors": {name: getattr(state.embedded, name) for name in ("made", "copied", "refused")},
        "problem": state.problem or None,
    }


def query(result: "Result") -> Json:
    """What a query found: entries, a table, or a figure."""
    if result.rows is not None:
        rows = [[None if value is None else plain(value) for value in row] for row in result.rows]
        return {"columns": list(result.columns), "rows": rows, "total": len(rows)}
    if result.figure is not None:
        return {result.name: plain(result.figure)}
    return listing([heading(stored) for stored in result.entries])


def overview(seen: "Overview") -> Json:
    """Counts, the newest and the most connected entries."""
    return {
        "total": seen.total,
        "types": dict(seen.types),
        "spaces": {("global" if scope == "global" else scope): count for scope, count in seen.scopes.items()},
        "newest": [{**heading(stored), "createdAt": stored.created} for stored in seen.newest],
        "mostConnected": [{**heading(stored), "references": count} for stored, count in seen.connected],
    }


def span(place: Span) -> Json:
    """A place: 1-based lines and columns, end exclusive."""
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def diagnostic(item: Diagnostic) -> Json:
    """A diagnostic."""
    return {
        "severity": item.severity,
        "code": item.code,
        "message": item.message,
        **span(item.span),
        "hint": item.hint,
        "note": item.note,
        "subject": item.subject,
        "related": [{"message": related.message, **span(related.span)} for related in item.related],
    }


def diagnostics(items: Sequence[Diagnostic]) -> Json:
    """Diagnostics with their counts."""
    return {
        **listing([diagnostic(item) for item in items]),
        **{f"{name}s": sum(item.severity == name for item in items) for name in ("error", "warning")},
    }


def fixed(result: "Fixed") -> Json:
    """What `check --fix` mended."""
    rows = [{"code": one.code, "path": one.path, "message": one.message, "movedTo": one.home} for one in result.fixes]
    commit = result.commit.commit if result.commit else None
    return {"fixed": rows, "hiddenFiles": result.hidden, "commit": commit}


def written(result: "Written") -> Json:
    """What a write did."""
    return {
        "key": result.key,
        "path": result.path,
        "paths": list(result.paths),
        "fields": list(result.changed),
        "reveals": result.reveals or None,
        "warnings": [diagnostic(item) for item in result.findings],
        "commit": result.commit.commit if result.commit else None,
    }


def commit(made: "Commit") -> Json:
    """A commit that was made."""
    return {
        "commit": made.commit,
        "subject": made.subject,
        "space": made.space,
        "files": made.files,
        "entries": list(made.entries),
        "paths": list(made.paths),
    }


def change(item: "Change") -> Json:
    """A file that differs from HEAD or the index."""
    return {
        "path": item.path,
        "staged": item.staged,
        "unstaged": item.unstaged,
        "conflicted": item.conflicted,
    }


def record(item: "LogRecord") -> Json:
    """A commit of the history."""
    return {
        "commit": item.commit,
        "time": item.commit_time.isoformat(),
        "author": item.author_name,
        "email": item.author_email,
        "subject": item.subject,
        "trailers": [{"name": name, "value": value} for name, value in item.trailers],
        "paths": [{"path": changed.path, "kind": changed.kind} for changed in item.changes],
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


def imported(result: "Imported") -> Json:
    """What an import did or would do."""
    return {
        "dryRun": result.dry,
        "added": list(result.added),
        "changed": list(result.changed),
        "unchanged": list(result.unchanged),
        "edited": list(result.edited),
        "gone": list(result.gone),
        "sidecars": list(result.sidecars),
        "links": {
            "total": result.links.total,
            "resolved": result.links.resolved,
            "attachments": result.links.attachments,
            "unresolved": [
                {"origin": link.origin, "line": link.line, "target": link.target} for link in result.links.unresolved
            ],
        },
        "problems": [{"path": p.path, "line": p.line, "message": p.message} for p in result.problems],
        "commit": result.commit.commit if result.commit else None,
        "skipped": [{"path": s.path, "line": s.line, "reason": s.reason} for s in result.skipped],
    }


def made(result: "Made") -> Json:
    """A vault that was made, or got a repository."""
    return {
        "path": str(result.root),
        "paths": list(result.paths),
        "commit": result.commit,
        "madeRepository": result.made_repository,
        "outside": {"entries": result.outside.entries, "files": list(result.outside.files)},
    }


def status(seen: "Status", root: PurePath, active: str | None) -> Json:
    """How a vault is, as seen from the space `active`."""
    return {
        "root": str(root),
        "space": active,
        "branch": seen.branch,
        "head": seen.head,
        "changes": [change(item) for item in seen.changes],
        "unseen": seen.unseen or None,
        "entries": seen.entries,
        "errors": seen.errors,
        "warnings": seen.warnings,
    }


def space(item: "Space") -> Json:
    """What `vault.yaml` says of a space."""
    return {"name": item.name, "private": item.private, "description": item.description}


def space_info(info: "SpaceInfo", active: str | None) -> Json:
    """A space with how much it holds, as seen from the space `active`."""
    return {
        **space(info.space),
        "declared": info.declared,
        "entries": info.entries,
        "active": info.space.name == active,
    }


def finding(item: "Finding") -> Json:
    """One thing the doctor looked at."""
    return {"name": item.name, "state": item.state, "message": item.message, "next": item.next or None}


def evaluation(report: "Report", *, misses: bool = False) -> Json:
    """The figures of each mode; with `misses` the queries it found no answer to."""
    missed = {
        mode: [
            {"query": one.id, "text": one.text, "wanted": [name for name, grade in one.wanted.items() if grade > 0]}
            for one in questions
        ]
        for mode, questions in report.misses.items()
    }
    return {
        "modes": {
            mode: {name: round(value, 4) for name, value in figures.items()} for mode, figures in report.modes.items()
        },
        "queries": report.queries,
        "documents": report.documents,
        "corpus": report.corpus,
        "notes": list(report.notes),
        **({"unavailable": report.unavailable} if report.unavailable else {}),
        **({"misses": missed} if misses else {}),
    }
