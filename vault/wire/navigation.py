"""Walks through knowledge, in the shapes of the navigation contract."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from vault.diagnostics import SEVERITY_ORDER
from vault.model.codec import plain
from vault.model.values import Value
from vault.wire.shape import Json, listing

if TYPE_CHECKING:
    from vault.knowledge.hygiene.finding import Report
    from vault.knowledge.navigate.entities import Entity
    from vault.knowledge.navigate.outline import Aspect, Claim, Group, Limits
    from vault.knowledge.navigate.parameters import Page
    from vault.knowledge.navigate.states import State
    from vault.service.read.navigate import Tree

Item = TypeVar("Item")


def page(found: "Page[Item]", shape: Callable[[Item], Json]) -> Json:
    """A part of a list, and where it stands in the whole."""
    return {
        "items": [shape(item) for item in found.items],
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "hasMore": found.more,
    }


def known_entity(item: "Entity") -> Json:
    """An entity in a list."""
    return {
        "entity": _identity(item),
        "aspectCount": item.facts.aspects,
        "attributeCount": item.facts.attributes,
        "constraintCount": item.facts.constraints,
        "dependencyCount": item.incoming + item.outgoing,
    }


def _identity(item: "Entity") -> Json:
    held = item.stored
    entry = held.entry if held else None
    return {
        "id": item.key,
        "name": item.name,
        "entityType": entry.type if entry else None,
        "space": held.scope if held and held.scope != "global" else None,
        "path": entry.path if entry else None,
        "aliases": entry.texts("aliases") if entry else [],
        "pinned": entry is not None and entry.fields.get("pinned") is True,
    }


def entity_in_full(item: "Entity") -> Json:
    """An entity with its fields, and the references from and to it."""
    fields = item.stored.entry.fields if item.stored else {}
    return {
        **known_entity(item),
        "incomingDependencyCount": item.incoming,
        "outgoingDependencyCount": item.outgoing,
        "fields": {name: plain(value) for name, value in fields.items()},
    }


def knowledge_tree(found: "Tree") -> Json:
    """The outline of an entity within its limits; each level says how many of its parts are left out."""
    limits = found.limits
    return {
        "entity": _identity(found.entity),
        "limits": {
            "depth": limits.depth,
            "maxAspects": limits.aspects,
            "maxGroups": limits.groups,
            "maxClaims": limits.claims,
        },
        "items": [_branch(item, limits) for item in found.aspects[: limits.aspects]],
        "omittedAspects": _left(found.aspects, limits.aspects),
        "truncated": found.truncated,
    }


def _branch(item: "Aspect", limits: "Limits") -> Json:
    if limits.depth == 1:
        return aspect(item)
    groups = [_twig(one, limits) for one in item.groups[: limits.groups]]
    return {**aspect(item), "groups": groups, "omittedGroups": _left(item.groups, limits.groups)}


def _twig(item: "Group", limits: "Limits") -> Json:
    if limits.depth == 2:  # noqa: PLR2004  the depth of groups
        return group(item)
    claims = [_said(one) for one in item.claims[: limits.claims]]
    return {**group(item), "claims": claims, "omittedClaims": _left(item.claims, limits.claims)}


def _left(items: Sequence[object], most: int) -> int:
    return max(0, len(items) - most)


def aspect(item: "Aspect") -> Json:
    """An aspect of an entity."""
    return {
        "aspect": item.key,
        "attributeCount": item.attributes,
        "constraintCount": item.constraints,
        "groupCount": len(item.groups),
        "claimCount": item.claims,
    }


def group(item: "Group") -> Json:
    """A group of an aspect."""
    return {
        "groupKey": item.key,
        "attributeCount": item.attributes,
        "constraintCount": item.constraints,
        "claimCount": len(item.claims),
        "latestUpdatedAt": _iso(item.updated),
    }


def claim(item: "Claim") -> Json:
    """A claim of a group."""
    return {"claimKey": item.key, "groupKey": item.group, **_said(item)}


def _said(item: "Claim") -> Json:
    return {
        "claimKey": item.key,
        "attributeCount": item.attributes,
        "constraintCount": item.constraints,
        "activeCount": item.number("active"),
        "supersededCount": item.number("superseded"),
        "latestUpdatedAt": _iso(item.updated),
        "preview": item.preview,
    }


def attribute(item: "State") -> Json:
    """A fact as it is, or a version of it that was."""
    fields = item.fact.fields
    return {
        "id": item.fact.key,
        "kind": "attribute" if item.is_attribute else "constraint",
        "content": item.statement,
        **_plain(fields, "value"),
        "status": item.status,
        **_plain(fields, "confidence", "importance", "observed_at", "valid_from", "valid_until"),
        "sources": item.fact.texts("sources"),
        **_plain(fields, "quote"),
        "agent": item.slot.agent or None,
        "space": None if item.scope == "global" else item.scope,
        "path": item.fact.path,
        "line": item.line,
        "version": item.ordinal,
        "commit": item.commit,
        "author": item.author,
        "createdAt": _iso(item.created),
        "supersededAt": _iso(item.ended),
        "supersededBy": item.successor,
        "reason": item.reason,
    }


def hygiene(report: "Report") -> Json:
    """Findings, worst first, each with what would mend it; and how many there are of each severity."""
    rows = [
        {
            "code": one.code,
            "severity": one.severity,
            "message": one.message,
            "ids": [stored.entry.key for stored in one.entries],
            "paths": [stored.entry.path for stored in one.entries],
            "line": one.entries[0].entry.place.line,
            "command": one.command,
        }
        for one in report.findings
    ]
    counts = {f"{name}s": report.number(name) for name in SEVERITY_ORDER}
    return {**listing(rows), **counts, "entries": report.entries}


def _plain(fields: Mapping[str, Value], *names: str) -> Json:
    return {_camel(name): None if name not in fields else plain(fields[name]) for name in names}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
