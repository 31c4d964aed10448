"""What searches and queries find, and how well."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from vault.model.codec import plain
from vault.wire.shape import Json

if TYPE_CHECKING:
    from vault.query.run import Result
    from vault.search.find import Answer, Former, Found
    from vault.search.overview import Overview
    from vault.service.admin.evaluation import Report
    from vault.service.admin.reindex import Indexed
from vault.wire.entries import heading, shown_fields
from vault.wire.shape import listing


def found(query: str, answer: "Answer", cited: Mapping[str, str], conflicted: Iterable[str] = ()) -> Json:
    """Search results in rank order, and what they were found by; `conflicted` are the files with two sides."""
    return {
        "query": query,
        "mode": answer.mode,
        "fusion": answer.fusion if answer.mode == "hybrid" else None,
        "embedded": {"passages": answer.embedded.passages, "of": answer.embedded.of} if answer.embedded else None,
        "problem": answer.problem or None,
        "conflicted": sorted(set(conflicted)),
        **listing([_result(result, cited_at(result, cited)) for result in answer]),
    }


def cited_at(result: "Found", cited: Mapping[str, str]) -> str:
    """The commit that holds what a result says: the one it was cited by, or for a former text the last that did."""
    return result.former.commit[:10] if result.former else cited[result.path]


def _former(former: "Former") -> Json:
    return {
        "status": former.status,
        "commit": former.commit,
        "ended": former.ended,
        "endedAt": former.time.isoformat(),
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
        "former": _former(result.former) if result.former else None,
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
    return listing([{**heading(stored), "fields": shown_fields(stored)} for stored in result.entries])


def overview(seen: "Overview") -> Json:
    """Counts, the newest and the most connected entries."""
    return {
        "total": seen.total,
        "types": dict(seen.types),
        "spaces": {("global" if scope == "global" else scope): count for scope, count in seen.scopes.items()},
        "newest": [{**heading(stored), "createdAt": stored.created} for stored in seen.newest],
        "mostConnected": [{**heading(stored), "references": count} for stored, count in seen.connected],
    }


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
