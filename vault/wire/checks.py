"""Errors, diagnostics, and what was mended."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, Span
from vault.errors import VaultError
from vault.wire.shape import Json, landed

if TYPE_CHECKING:
    from vault.service.admin.doctor import Finding
    from vault.service.write.autofix import Fixed
    from vault.service.write.files import Rewritten
from vault.wire.shape import listing


def error(failure: VaultError) -> Json:
    """An error: code, sentence, next step, and its details."""
    return {"error": {"code": failure.code, "message": failure.message, "hint": failure.hint, **failure.details}}


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
    return {"fixed": rows, "hiddenFiles": result.hidden, **landed(result.landed)}


def finding(item: "Finding") -> Json:
    """One thing the doctor looked at."""
    return {"name": item.name, "state": item.state, "message": item.message, "next": item.next or None}


def rewritten(result: "Rewritten") -> Json:
    """What a write of a whole file did, and what it made wrong."""
    return {
        "path": result.path,
        "paths": list(result.paths),
        "existed": result.existed,
        "replaced": result.count,
        "findings": [diagnostic(item) for item in result.findings],
        **landed(result.landed),
    }
