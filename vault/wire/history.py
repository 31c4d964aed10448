"""Commits, and what they made of entries."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from vault.model.codec import plain
from vault.model.slots import is_attribute, version_of
from vault.wire.shape import Json, listing

if TYPE_CHECKING:
    from vault.service.read.diff import Diff, Difference
    from vault.service.read.entry_detail import Status
    from vault.service.read.entry_history import Origin, Step
    from vault.service.read.slot_history import SlotVersion
    from vault.service.runtime.commit_result import Commit
    from vault.store.git import Change, LogRecord
    from vault.workspace.describe import FieldChange


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


def record(item: "LogRecord", *, cut: bool = False) -> Json:
    """A commit of the history; at one where it is `cut` off, what it changed may be older."""
    return {
        "commit": item.commit,
        **({"boundary": True} if cut else {}),
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
        **({"boundary": True} if one.boundary else {}),
        "fields": {
            name: {side: None if value is None else plain(value) for side, value in (("before", old), ("after", new))}
            for name, old, new in one.fields
        },
    }


def origin(one: "Origin") -> Json:
    """Where a field comes from; without a commit where none gave it its value yet."""
    told = one.step and {name: step(one.step)[name] for name in ("commit", "time", "author", "subject")}
    cut = {"boundary": True} if one.step and one.step.boundary else {}
    return {"field": one.field, "value": plain(one.value), **(told or {"commit": None}), **cut}


def stand(one: "SlotVersion") -> Json:
    """A version that stood in a slot."""
    fact, successor = one.fact, one.successor
    told = ("statement", "value", "agent", "confidence", "importance", "quote")
    times = {"validFrom": "valid_from", "validUntil": "valid_until", "observedAt": "observed_at"}
    fields = {name: fact.fields.get(source) for name, source in {**dict(zip(told, told, strict=True)), **times}.items()}
    return {
        "key": fact.key,
        "kind": "attribute" if is_attribute(fact) else "constraint",
        "status": one.status,
        **{name: None if value is None else plain(value) for name, value in fields.items()},
        "sources": fact.texts("sources"),
        "space": None if one.scope == "global" else one.scope,
        "path": fact.path,
        "version": version_of(fact).hex(),
        "commit": one.commit,
        **({"boundary": True} if one.boundary else {}),
        "time": one.time.isoformat(),
        "author": one.author,
        "subject": one.subject,
        "ended": one.ended,
        "endedAt": one.ended_at.isoformat() if one.ended_at else None,
        "supersededBy": {"key": successor.key, "version": version_of(successor).hex()} if successor else None,
        "reason": one.reason or None,
    }


def diff(found: "Diff") -> Json:
    """What differs between two states; a commit that is null is the working tree, or nothing at all."""
    return {
        "from": found.old,
        "to": found.new,
        **listing([difference(one) for one in found.entries]),
        "files": [{"path": path, "kind": kind} for path, kind in found.files],
    }


def difference(one: "Difference") -> Json:
    """What became of an entry."""
    slot = one.slot
    return {
        "key": one.key,
        "op": one.op,
        "space": None if one.scope == "global" else one.scope,
        "path": one.path,
        "oldPath": one.old_path,
        "subject": (slot.subject or None) if slot else None,
        "slot": slot.path if slot and slot.subject and slot.claim else None,
        "version": one.version if slot else None,
        "fields": {change.name: _sides(change) for change in one.fields},
    }


def _sides(change: "FieldChange") -> Json:
    """A field before and after; of a list also what came and went."""
    items = change.items
    told = {"removed": plain(items[0]), "added": plain(items[1])} if items else {}
    sides = {"before": change.before, "after": change.after}
    return {**{name: None if value is None else plain(value) for name, value in sides.items()}, **told}


def status(seen: "Status", root: PurePath, active: str | None) -> Json:
    """How a vault is, as seen from the space `active`."""
    return {
        "root": str(root),
        "space": active,
        "branch": seen.branch,
        "head": seen.head,
        "changes": [change(item) for item in seen.changes],
        "unseen": seen.unseen or None,
        "conflicted": list(seen.conflicted),
        "operation": seen.operation,
        "entries": seen.entries,
        "errors": seen.errors,
        "warnings": seen.warnings,
    }
