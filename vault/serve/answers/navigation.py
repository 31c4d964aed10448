"""Answers of the walk through knowledge, in the shapes of the navigation contract."""

from typing import Annotated, Literal, NotRequired, TypedDict

from vault.serve.answers.parts import Fields, Page, Plain, Space


class EntityIdentity(TypedDict):
    """Who or what facts are about."""

    id: Annotated[str, "Its key; `unassigned` for facts about nobody."]
    name: str
    entityType: str | None
    space: Space
    path: str | None
    aliases: list[str]
    pinned: bool


class EntityCounts(TypedDict):
    """An entity in a list."""

    entity: EntityIdentity
    aspectCount: int
    attributeCount: int
    constraintCount: int
    dependencyCount: int


class EntityPage(Page):
    """Entities."""

    items: list[EntityCounts]


class EntityShown(EntityCounts):
    """An entity with its fields."""

    incomingDependencyCount: int
    outgoingDependencyCount: int
    fields: Fields


class AspectCounts(TypedDict):
    """An aspect of an entity."""

    aspect: str
    attributeCount: int
    constraintCount: int
    groupCount: int
    claimCount: int


class AspectPage(Page):
    """Aspects."""

    items: list[AspectCounts]


class GroupCounts(TypedDict):
    """A group of an aspect."""

    groupKey: str
    attributeCount: int
    constraintCount: int
    claimCount: int
    latestUpdatedAt: str | None


class GroupPage(Page):
    """Groups."""

    items: list[GroupCounts]


class ClaimCounts(TypedDict):
    """A claim: `attributeCount` and `constraintCount` count what is current, the others versions."""

    claimKey: str
    attributeCount: int
    constraintCount: int
    activeCount: int
    supersededCount: int
    latestUpdatedAt: str | None
    preview: str | None


class ClaimInGroup(ClaimCounts):
    """A claim of a group."""

    groupKey: str


class ClaimPage(Page):
    """Claims."""

    items: list[ClaimInGroup]


class Attribute(TypedDict):
    """What is said in a claim, or was."""

    id: str
    kind: Literal["attribute", "constraint"]
    content: str
    value: Plain
    status: Literal["active", "superseded", "retracted"]
    confidence: Plain
    importance: Plain
    observedAt: Plain
    validFrom: Plain
    validUntil: Plain
    sources: list[str]
    quote: Plain
    agent: str | None
    space: Space
    path: str
    line: int | None
    version: int
    commit: str
    author: str | None
    createdAt: str | None
    supersededAt: str | None
    supersededBy: Annotated[str | None, "key@commit"]
    reason: str | None


class AttributePage(Page):
    """What is said in a claim, the newest first."""

    items: list[Attribute]


class TreeLimits(TypedDict):
    """What an outline shows at the most."""

    depth: int
    maxAspects: int
    maxGroups: int
    maxClaims: int


class TreeGroup(GroupCounts):
    """A group with its claims, where the outline goes that deep."""

    claims: NotRequired[list[ClaimCounts]]
    omittedClaims: NotRequired[int]


class TreeAspect(AspectCounts):
    """An aspect with its groups, where the outline goes that deep."""

    groups: NotRequired[list[TreeGroup]]
    omittedGroups: NotRequired[int]


class Outline(TypedDict):
    """An entity with what is said of it; counts are complete whatever the depth."""

    entity: EntityIdentity
    limits: TreeLimits
    items: list[TreeAspect]
    omittedAspects: int
    truncated: bool


class HygieneFinding(TypedDict):
    """Something to tidy up, and the command for it."""

    code: str
    severity: Literal["error", "warning", "info"]
    message: str
    ids: list[str]
    paths: list[str]
    line: int
    command: str


class HygieneReport(Page):
    """What to tidy up, worst first."""

    items: list[HygieneFinding]
    errors: int
    warnings: int
    infos: int
    entries: int
