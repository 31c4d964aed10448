"""`vault knowledge`."""

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli import output
from cli.commands.hygiene import hygiene
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_entries, complete_types
from cli.remote import WarmGroup
from vault import wire

if TYPE_CHECKING:
    from vault.knowledge.navigate.entities import Entity
    from vault.knowledge.navigate.outline import Aspect, Claim, Group
    from vault.knowledge.navigate.parameters import Page
    from vault.knowledge.navigate.states import State
    from vault.service.read.navigate import Tree

Command = TypeVar("Command", bound=Callable[..., Any])

EXAMPLES = """
\b
Examples:
  vault knowledge tree
  vault knowledge tree ada
  vault knowledge claims ada work general
  vault knowledge attributes ada work general role --status all
  vault knowledge hygiene
"""


def _agent(command: Command) -> Command:
    return click.option("--agent", metavar="NAME", help="Include what only this agent may see.")(command)


def _page(command: Command) -> Command:
    command = click.option("--offset", default="0", metavar="N", help="Skip the first N.")(command)
    return click.option("--limit", default="50", show_default=True, metavar="N", help="Maximum number, up to 200.")(
        command
    )


def _vacant(command: Command) -> Command:
    about = "Include claims without a current statement (`all`)."
    return click.option("--status", default="active", show_default=True, metavar="active|all", help=about)(command)


def _entity(*, required: bool = True) -> Callable[[Command], Command]:
    word = "ENTITY" if required else "[ENTITY]"
    return click.argument("entity", metavar=word, required=required, shell_complete=complete_entries)


@click.group(cls=WarmGroup, short_help="Browse what is known about an entity.", epilog=EXAMPLES)
def command() -> None:
    """Browse knowledge: entities, their aspects, groups of claims, and statements.

    ENTITY is an id (`actor.ada`, `ada`), a name or an alias; `unassigned` has the facts that name no entity.
    """


command.add_command(hygiene)


@command.command("tree", epilog="\b\nExamples:\n  vault knowledge tree\n  vault knowledge tree ada --depth 2")
@_entity(required=False)
@click.option(
    "--depth", default="3", show_default=True, metavar="N", help="1: aspects, 2: also groups, 3: also claims."
)
@click.option("--max-aspects", default="20", show_default=True, metavar="N", help="Maximum number of aspects.")
@click.option("--max-groups", default="20", show_default=True, metavar="N", help="Maximum number of groups per aspect.")
@click.option("--max-claims", default="50", show_default=True, metavar="N", help="Maximum number of claims per group.")
@_vacant
@_agent
@at_option
@common
@pass_context
def tree(
    context: Context,
    entity: str | None,
    status: str,
    agent: str | None,
    at: str | None,
    depth: str,
    max_aspects: str,
    max_groups: str,
    max_claims: str,
) -> None:
    """Show the outline of ENTITY; without ENTITY, list the entities."""
    vault = context.open(at=at)
    if entity is None:
        _show_entities(context, vault.entities(agent_id=agent), rest="vault knowledge entities ")
        return
    found = vault.tree(
        entity,
        status=status,
        agent_id=agent,
        depth=depth,
        max_aspects=max_aspects,
        max_groups=max_groups,
        max_claims=max_claims,
    )
    if context.json:
        output.data(wire.knowledge_tree(found))
        return
    _show_tree(found)


@command.command(
    "entities", epilog="\b\nExamples:\n  vault knowledge entities -q love\n  vault knowledge entities --type actor"
)
@click.option("-q", "q", default="", metavar="TEXT", help="Only entities whose name, alias or id contains TEXT.")
@click.option("--type", "kind", metavar="TYPE", help="Only entities of this type.", shell_complete=complete_types)
@_page
@_agent
@at_option
@common
@pass_context
def entities(
    context: Context, q: str, kind: str | None, limit: str, offset: str, agent: str | None, at: str | None
) -> None:
    """List the entities, those with the most facts first.

    Pinned entities come before all others.
    """
    vault = context.open(at=at)
    _show_entities(context, vault.entities(q=q, type=kind, agent_id=agent, limit=limit, offset=offset))


@command.command(
    "entity", epilog="\b\nExamples:\n  vault knowledge entity ada\n  vault knowledge entity 'Ada Lovelace' --json"
)
@_entity()
@_agent
@at_option
@common
@pass_context
def entity_(context: Context, entity: str, agent: str | None, at: str | None) -> None:
    """Show ENTITY and how much is known about it."""
    from vault.model.values import plain_text

    found = context.open(at=at).entity(entity, agent_id=agent)
    if context.json:
        output.data(wire.entity_in_full(found))
        return
    output.text(f"{output.style(found.key, bold=True)}  {output.cut(found.name, 100)}")
    output.text(f"{_known(found)} ({found.incoming} to it, {found.outgoing} from it)")
    if found.stored:
        output.text(output.style(found.stored.entry.path, dim=True))
        output.table(
            (output.style(name, fg="cyan"), output.cut(plain_text(value), 100))
            for name, value in found.stored.entry.fields.items()
        )
    output.note(f"next: vault knowledge tree {found.key}")


@command.command("aspects", epilog="\b\nExamples:\n  vault knowledge aspects ada")
@_entity()
@_vacant
@_page
@_agent
@at_option
@common
@pass_context
def aspects(
    context: Context, entity: str, agent: str | None, at: str | None, status: str, limit: str, offset: str
) -> None:
    """List the aspects of ENTITY."""
    found = context.open(at=at).aspects(entity, agent_id=agent, status=status, limit=limit, offset=offset)
    if context.json:
        output.data(wire.page(found, wire.aspect))
        return
    output.table((_key(one.key), _counts(one), _number(len(one.groups), "group")) for one in found.items)
    _say_rest(found, "aspect", ("groups", entity), [one.key for one in found.items], status)


@command.command("groups", epilog="\b\nExamples:\n  vault knowledge groups ada work")
@_entity()
@click.argument("aspect", metavar="ASPECT")
@_vacant
@_page
@_agent
@at_option
@common
@pass_context
def groups(
    context: Context, entity: str, aspect: str, agent: str | None, at: str | None, status: str, limit: str, offset: str
) -> None:
    """List the groups in an ASPECT of ENTITY."""
    found = context.open(at=at).groups(entity, aspect, agent_id=agent, status=status, limit=limit, offset=offset)
    if context.json:
        output.data(wire.page(found, wire.group))
        return
    output.table((_key(one.key), _counts(one), _number(len(one.claims), "claim")) for one in found.items)
    _say_rest(found, "group", ("claims", entity, aspect), [one.key for one in found.items], status)


@command.command("claims", epilog="\b\nExamples:\n  vault knowledge claims ada work general")
@_entity()
@click.argument("aspect", metavar="ASPECT")
@click.argument("group", metavar="GROUP")
@_vacant
@_page
@_agent
@at_option
@common
@pass_context
def claims(
    context: Context,
    entity: str,
    aspect: str,
    group: str,
    agent: str | None,
    at: str | None,
    status: str,
    limit: str,
    offset: str,
) -> None:
    """List the claims in a GROUP, with their statements."""
    found = context.open(at=at).claims(entity, aspect, group, agent_id=agent, status=status, limit=limit, offset=offset)
    if context.json:
        output.data(wire.page(found, wire.claim))
        return
    output.table((_key(one.key), _history(one), one.preview or "") for one in found.items)
    _say_rest(found, "claim", ("attributes", entity, aspect, group), [one.key for one in found.items], status)


@command.command(
    "attributes", epilog="\b\nExamples:\n  vault knowledge attributes ada work general role --status all --json"
)
@_entity()
@click.argument("aspect", metavar="ASPECT")
@click.argument("group", metavar="GROUP")
@click.argument("claim", metavar="CLAIM")
@click.option(
    "--status",
    default="active",
    show_default=True,
    metavar="active|superseded|retracted|all",
    help="Only statements with this status.",
)
@click.option("--kind", metavar="attribute|constraint", help="Only facts of this kind.")
@_page
@_agent
@at_option
@common
@pass_context
def attributes(
    context: Context,
    entity: str,
    aspect: str,
    group: str,
    claim: str,
    kind: str | None,
    agent: str | None,
    at: str | None,
    status: str,
    limit: str,
    offset: str,
) -> None:
    """Show the statements of a CLAIM, newest first.

    `--status all` includes earlier ones.
    """
    vault = context.open(at=at)
    found = vault.attributes(
        entity, aspect, group, claim, kind=kind, agent_id=agent, status=status, limit=limit, offset=offset
    )
    if context.json:
        output.data(wire.page(found, wire.attribute))
        return
    for state in found.items:
        _show_state(state)
    _say_rest(found, "attribute")


def _show_entities(context: Context, found: "Page[Entity]", rest: str = "") -> None:
    if context.json:
        output.data(wire.page(found, wire.known_entity))
        return
    output.table((output.style(one.key, bold=True), output.cut(one.name, 40), _known(one)) for one in found.items)
    _say_rest(found, "entity", ("tree",), [one.key for one in found.items], rest=rest)


def _known(entity: "Entity") -> str:
    facts = entity.facts
    told = [_number(facts.aspects, "aspect"), _number(facts.attributes, "attribute")]
    told += [_number(facts.constraints, "constraint")] if facts.constraints else []
    return ", ".join([*told, _number(entity.incoming + entity.outgoing, "link")])


def _show_tree(found: "Tree") -> None:
    entity, limits = found.entity, found.limits
    output.text(f"{output.style(entity.key, bold=True)}  {output.cut(entity.name, 100)}")
    for aspect in found.aspects[: limits.aspects]:
        output.text(f"{_key(aspect.key)}  {_counts(aspect)}")
        for group in aspect.groups[: limits.groups] if limits.depth > 1 else ():
            output.text(f"  {_key(group.key)}  {_counts(group)}")
            for claim in group.claims[: limits.claims] if limits.depth > 2 else ():  # noqa: PLR2004  that of claims
                output.text(f"    {_key(claim.key)}  {_history(claim)}  {claim.preview or ''}".rstrip())
            _say_left(group.claims, limits.claims, "claim", "    ", shown=limits.depth > 2)  # noqa: PLR2004
        _say_left(aspect.groups, limits.groups, "group", "  ", shown=limits.depth > 1)
    _say_left(found.aspects, limits.aspects, "aspect", "")
    number = sum(aspect.claims for aspect in found.aspects)
    output.note(f"{_number(number, 'claim')}; next: vault knowledge attributes {entity.key} ASPECT GROUP CLAIM")


def _say_left(items: Sequence[object], most: int, what: str, indent: str, *, shown: bool = True) -> None:
    if shown and len(items) > most:
        output.text(f"{indent}… {_number(len(items) - most, f'more {what}')}")


def _show_state(state: "State") -> None:
    output.text(state.statement)
    commit = state.commit if state.created is None else state.commit[:10]
    place = state.fact.path if state.line is None else f"{state.fact.path}:{state.line}"
    kind = "attribute" if state.is_attribute else "constraint"
    name = output.style(state.fact.key, bold=True)
    output.text(f"  {state.status} {kind}, {name} version {state.ordinal}  {output.flat(place)}@{commit[:10]}")
    if state.created:
        output.text(f"  said {state.created.astimezone():%Y-%m-%d %H:%M} by {state.author}")
    if not state.is_current:
        when = f" {state.ended.astimezone():%Y-%m-%d %H:%M}" if state.ended else ", not committed yet"
        key, _, by = (state.successor or "").partition("@")
        why = f": {output.cut(state.reason, 100)}" if state.reason else ""
        output.text(f"  {state.status}{when}{f' by {key}@{by[:10]}' if by else ''}{why}")


def _key(key: str) -> str:
    """A key that can be typed: a shell takes what follows a `#` for a comment."""
    return output.style(shlex.quote(key) if key.startswith("#") else key, bold=True)


def _counts(place: "Aspect | Group | Claim") -> str:
    told = [_number(place.attributes, "attribute")] if place.attributes or not place.constraints else []
    return ", ".join(told + ([_number(place.constraints, "constraint")] if place.constraints else []))


def _history(claim: "Claim") -> str:
    before = claim.number("superseded")
    return _counts(claim) + (f", {before} superseded" if before else "")


def _number(number: int, what: str) -> str:
    if number == 1:
        return f"1 {what}"
    return f"{number} {what[:-1]}ies" if what.endswith("ty") else f"{number} {what}s"


def _say_rest(
    found: "Page[Any]",
    what: str,
    verb: Sequence[str] = (),
    keys: Sequence[str] = (),
    status: str = "active",
    *,
    rest: str = "",
) -> None:
    """Say how many there are, how to see the rest, and what to type to walk on."""
    told = [_number(found.total, what)]
    if found.more:
        told.append(f"the rest: {rest}--offset {found.offset + len(found.items)}")
    if keys:
        words = [*verb, keys[0], *(["--status", status] if status != "active" else [])]
        told.append(f"next: vault knowledge {shlex.join(words)}")
    output.note("; ".join(told))
