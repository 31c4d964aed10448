"""Commits, and what they made of entries."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from vault.model.codec import plain
from vault.wire.shape import Json

if TYPE_CHECKING:
    from vault.service.committing import Commit
    from vault.service.reading import Status
    from vault.service.versions import Origin, Step
    from vault.store.git import Change, LogRecord


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


def step(one: "Step") -> Json:
    """A change of an entry."""
    return {
        "commit": one.commit,
        "time": one.time.isoformat(),
        "author": one.author,
        "subject": one.subject,
        "op": one.op,
        "path": one.path,
        "space": None if one.scope == "global" else one.scope,
        "version": one.version,
        "fields": {
            name: {side: None if value is None else plain(value) for side, value in (("before", old), ("after", new))}
            for name, old, new in one.fields
        },
    }


def origin(one: "Origin") -> Json:
    """Where a field comes from; without a commit where none gave it its value yet."""
    told = one.step and {name: step(one.step)[name] for name in ("commit", "time", "author", "subject")}
    return {"field": one.field, "value": plain(one.value), **(told or {"commit": None})}


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
