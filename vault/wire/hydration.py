"""What a message brings."""

from typing import TYPE_CHECKING

from vault.wire.entries import heading
from vault.wire.shape import Json, listing

if TYPE_CHECKING:
    from vault.knowledge.hydrate.candidates import Candidate
    from vault.knowledge.hydrate.turn import Brought
    from vault.service.read.hydrate import Hydrated


def hydrated(found: "Hydrated", *, explain: bool = False) -> Json:
    """The block (null where a message brings nothing) and its lines; with `explain` every candidate."""
    return {
        "block": found.block or None,
        "tokens": found.tokens,
        "budget": found.wanted.budget,
        "mode": found.wanted.mode,
        "turn": found.turn or None,
        "enabled": found.enabled,
        "problem": found.problem or None,
        **listing([_brought(one) for one in found.brought]),
        **({"candidates": [_candidate(one) for one in found.candidates]} if explain else {}),
    }


def _brought(one: "Brought") -> Json:
    line = one.line
    return {
        **(heading(one.stored) if one.stored else {"key": line.key}),
        "text": line.said,
        "path": line.path or None,
        "line": line.line or None,
        "commit": line.commit or None,
        "cite": line.cite if line.path else None,
        "source": one.source,
        "why": one.why,
        "score": round(one.score, 4),
    }


def _candidate(one: "Candidate") -> Json:
    return {
        "key": one.stored.entry.key,
        "path": one.stored.entry.path,
        "source": one.source,
        "why": one.why,
        "score": round(one.score, 4),
        "in": not one.out,
        "out": one.out or None,
    }
