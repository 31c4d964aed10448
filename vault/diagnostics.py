"""Diagnostics: trouble in the user's files, as values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]

#: Every code with its default severity. `check:` in vault.yaml may change a severity, never a code.
#: What each means and what to do about it stands in codes.md.
CODES: dict[str, Severity] = {
    "bad-encoding": "error",
    "bad-enum": "error",
    "bad-name": "error",
    "bad-value": "error",
    "case-collision": "error",
    "conflict-marker": "error",
    "dangling-reference": "warning",
    "duplicate-entry": "error",
    "duplicate-field": "error",
    "file-name-mismatch": "warning",
    "firm-incompatible": "error",
    "heterogeneous-list": "error",
    "inside-link": "warning",
    "missing-field": "error",
    "out-of-scope-reference": "warning",
    "outside-link": "warning",
    "missing-attachment": "warning",
    "overlapping-validity": "error",
    "private-reference": "warning",
    "reference-cycle": "error",
    "reserved-name": "warning",
    "schema-error": "error",
    "several-entries": "warning",
    "sidecar": "error",
    "slot-conflict": "error",
    "slot-due": "info",
    "syntax-error": "error",
    "too-large": "error",
    "unclosed-block": "error",
    "not-unique": "error",
    "undeclared-space": "warning",
    "unknown-field": "warning",
    "unknown-type": "error",
    "unreadable": "error",
    "wrong-target": "error",
    "wrong-type": "error",
}

SEVERITY_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a file: vault-relative path, 1-based line and column, end exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


@dataclass(frozen=True, slots=True)
class Related:
    """A second place a diagnostic is about, and what it has to do with it."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what is wrong, where, and what to do about it."""

    code: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    note: str = ""
    subject: str = ""
    related: tuple[Related, ...] = ()


def diagnostic(
    code: str,
    message: str,
    span: Span,
    *,
    hint: str = "",
    note: str = "",
    subject: str = "",
    related: tuple[Related, ...] = (),
) -> Diagnostic:
    """Make a diagnostic of `code` with the code's default severity."""
    return Diagnostic(code, CODES[code], message, span, hint, note, subject, related)


def in_file_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort by path, then place, then severity."""
    return sorted(
        found,
        key=lambda d: (d.span.path, d.span.line, d.span.column, SEVERITY_ORDER[d.severity], d.code),
    )


def with_severities(found: Iterable[Diagnostic], chosen: Mapping[str, Severity | Literal["off"]]) -> list[Diagnostic]:
    """Apply the severities a vault chose; a code set to `off` is dropped."""
    kept = []
    for item in found:
        severity = chosen.get(item.code, item.severity)
        if severity == "off":
            continue
        kept.append(
            item
            if severity == item.severity
            else Diagnostic(
                item.code,
                severity,
                item.message,
                item.span,
                item.hint,
                item.note,
                item.subject,
                item.related,
            )
        )
    return kept


def has_errors(found: Iterable[Diagnostic]) -> bool:
    """Say whether any finding blocks a commit."""
    return any(item.severity == "error" for item in found)
