"""What an import reports, and the report of one that finds nothing new."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vault.exchange.notes import Problem, Skipped
from vault.exchange.plan import LinkReport, Unresolved
from vault.service.admin.import_sources import Label, Origin, Source
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or with `dry` would do; keys of entries, and the report of its sources.

    `edited` would be changed and were edited here, so they were left as they are; `gone` are not at the
    source any more. `attachments` are the files copied into the vault; `left` are those it does not reach.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    edited: tuple[str, ...]
    gone: tuple[str, ...]
    sidecars: tuple[str, ...]
    paths: tuple[str, ...]
    links: LinkReport
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    dry: bool
    landed: Landed = UNCOMMITTED
    attachments: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit

    @property
    def losses(self) -> tuple[Problem, ...]:
        """What of the sources is missing or wrong in the entries."""
        return tuple(problem for problem in self.problems if problem.is_loss)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What else is worth knowing of the sources."""
        return tuple(problem for problem in self.problems if not problem.is_loss)


@dataclass(frozen=True, slots=True)
class Import:
    """An entry that was imported under the label: its key, its files and its origin."""

    key: str
    paths: tuple[str, ...]
    origin: Origin


def find_imports(snapshot: Snapshot, scope: str, label: str) -> list[Import]:
    """List what was imported under a label into a scope, without reading entries as a whole."""
    imports = [
        Import(one.key, tuple(filter(None, (one.path, one.text_file))), Origin.read(one.origin))
        for one in snapshot.catalog.imports(scope)
    ]
    return [one for one in imports if one.origin.place.startswith(f"{label}/")]


def is_whole(imports: Sequence[Import], source: Source, label: Label) -> bool:
    """Say whether every file is still the entry that the last import made of it."""
    skipped = {f"{source.label}/{path}" for path, *_ in _rows(label.report.get("skipped"))}
    have = {one.origin.place: one.origin.source for one in imports}
    return have == {place: version for place, version in source.versions.items() if place not in skipped}


def _rows(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def report_data(result: Imported) -> dict[str, object]:
    """The report of an import as plain data."""
    links = result.links
    return {
        "links": [links.total, links.resolved, links.attachments],
        "unresolved": [[one.origin, one.line, one.target, list(one.claims)] for one in links.unresolved],
        "edited": list(result.edited),
        "attachments": list(result.attachments),
        "left": list(result.left),
        "problems": [[one.path, one.line, one.message, one.is_loss] for one in result.problems],
        "skipped": [[one.path, one.line, one.reason] for one in result.skipped],
    }


def unchanged(label: Label, source: Source, imports: Sequence[Import], *, dry: bool) -> Imported:
    """Report an import of what was imported already."""
    report = label.report
    total, resolved, attachments = _rows(report.get("links")) or (0, 0, 0)
    unresolved = (
        Unresolved(origin, line, target, tuple(claims))
        for origin, line, target, claims in _rows(report.get("unresolved"))
    )
    edited = tuple(map(str, _rows(report.get("edited"))))
    keys = {one.origin.place: one.key for one in imports}
    return Imported(
        added=(),
        changed=(),
        unchanged=tuple(keys[place] for place in source.versions if place in keys and keys[place] not in edited),
        edited=edited,
        gone=(),
        sidecars=(),
        paths=(),
        links=LinkReport(total, resolved, attachments, tuple(unresolved)),
        problems=tuple(Problem(*row) for row in _rows(report.get("problems"))),
        skipped=tuple(Skipped(*row) for row in _rows(report.get("skipped"))),
        dry=dry,
        attachments=tuple(map(str, _rows(report.get("attachments")))),
        left=tuple(map(str, _rows(report.get("left")))),
    )
