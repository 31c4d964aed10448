"""Vaults made and filled, and their spaces."""

from typing import TYPE_CHECKING

from vault.wire.shape import Json, landed

if TYPE_CHECKING:
    from vault.model.settings import Space
    from vault.serve.tokens import Token
    from vault.service.admin.import_report import Imported
    from vault.service.admin.init import Made, SpaceInfo


def token(made: "Token") -> Json:
    """A token, without its secret."""
    tools = None if made.tools is None else list(made.tools)
    return {"name": made.name, "spaces": list(made.spaces), "agent": made.agent, "tools": tools}


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
                {"origin": link.origin, "line": link.line, "target": link.target, "claims": list(link.claims)}
                for link in result.links.unresolved
            ],
        },
        "problems": [{"path": p.path, "line": p.line, "message": p.message} for p in result.losses],
        "notes": [{"path": p.path, "line": p.line, "message": p.message} for p in result.notes],
        "attachments": {"copied": list(result.attachments), "left": list(result.left)},
        **landed(result.landed),
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
