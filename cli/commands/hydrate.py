"""`vault hydrate`."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.remote import WarmCommand
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.knowledge.hydrate.event import Event
    from vault.knowledge.hydrate.memory import Mode
    from vault.service.read.hydrate import Hydrated

EXAMPLES = """
\b
Examples:
  vault hydrate "What would Ada say to that?"
  vault hydrate --explain "Is the Analytical Engine done?"
  vault hydrate --meaning "who wrote the first program?"
  echo "tell me more about her" | vault hydrate --session s1 -
  vault hydrate --session s1 --mode transcript --fresh "Ada again"
  echo '{"prompt": "And Ada?", "session_id": "s1"}' | vault hydrate --event
"""


@click.command(
    cls=WarmCommand,
    takes_input=lambda given: given["event"] or given["text"] in ((), ("-",)),
    short_help="Show what a message brings to mind.",
    epilog=EXAMPLES,
)
@click.argument("text", nargs=-1, metavar="[TEXT|-]")
@click.option("--session", metavar="ID", help="Remember what was matched or shown, from turn to turn.")
@click.option(
    "--mode",
    type=click.Choice(["turn", "transcript"]),
    help="The block is made anew each turn (the default), or stays in view so that nothing is said twice.",
)
@click.option("--event", is_flag=True, help="Take the message and session from a prompt hook's event (JSON).")
@click.option("--fresh", is_flag=True, help="Begin the session anew, as after its transcript was cut.")
@click.option("--meaning", is_flag=True, help="Also what is near in meaning; this loads the embedding model.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="At most about N tokens; vault.yaml has the default."
)
@click.option("--floor", type=click.FloatRange(0, 1), metavar="0..1", help="The least cosine of what comes by meaning.")
@click.option("--turns", type=click.IntRange(min=0), metavar="N", help="For how many turns a match stays.")
@click.option("--agent", metavar="NAME", help="What this agent may see: its entries and everyone's.")
@click.option("--all-spaces", is_flag=True, help="Add every space that is not private.")
@click.option("--explain", is_flag=True, help="Say of each candidate why it is in or out.")
@common
@pass_context
def command(
    context: Context,
    text: tuple[str, ...],
    session: str | None,
    mode: "Mode | None",
    event: bool,
    fresh: bool,
    meaning: bool,
    budget: int | None,
    floor: float | None,
    turns: int | None,
    agent: str | None,
    all_spaces: bool,
    explain: bool,
) -> None:
    """Show what the vault knows of what TEXT names, as one block for an agent's context; nothing for small talk.

    Entries are named by name, alias, id or key, in whole words; facts about them come along, the most important
    first. Each line cites its place. In the mode `turn` a match stays for some turns of the session, for "tell me
    more about her"; in the mode `transcript` a line comes once, and again when it changes.
    `hydration: {enabled: false}` in vault.yaml turns it off.

    With `--event` standard input is what a client tells its prompt hook, `{"prompt": "…", "session_id": "…"}`, and the
    mode is `transcript` unless told otherwise; `"hook_event_name": "SessionStart"` begins the session anew.
    """
    if event:
        told = _event(context, text)
        words, session, fresh = told.prompt, session or told.session, fresh or told.fresh
    else:
        words = _words(context, text)
    vault = context.open(all_spaces=all_spaces)
    found = vault.hydrate(
        words,
        session=session,
        mode=mode or ("transcript" if event else "turn"),
        meaning=meaning,
        budget=budget,
        floor=floor,
        turns=turns,
        fresh=fresh,
        agent_id=agent,
        reader=replace(vault.reader, agent=agent or "") if event else None,  # an agent asks, as of a server
    )
    if found.problem:
        output.warn(f"by names alone: {found.problem}")
    if context.json:
        from vault import wire  # 15 ms, which a prompt hook need not wait

        output.data(wire.hydrated(found, explain=explain))
        return
    if found.block:
        output.text(found.block)
    if explain:
        _explain(found)


def _event(context: Context, text: tuple[str, ...]) -> "Event":
    from vault.knowledge.hydrate.event import read_event

    if text:
        raise UsageError("the event is the message", hint="leave TEXT out, or --event")
    return read_event(context.read_input())


def _words(context: Context, text: tuple[str, ...]) -> str:
    if text and text != ("-",):
        return " ".join(text)
    if not text and context.given is None and sys.stdin.isatty():
        raise UsageError("there is no message", hint="give TEXT, or `-` to read it from standard input")
    return context.read_input().decode("utf-8", "replace")


def _explain(found: "Hydrated") -> None:
    """Say of each candidate why it is in or out."""
    if not found.enabled:
        output.text("hydration is turned off in vault.yaml")
        return
    output.table(
        (
            output.style("out", dim=True) if one.out else output.style("in", fg="green"),
            output.style(one.stored.entry.key, bold=not one.out),
            f"{one.why}: {one.out}" if one.out else one.why,
        )
        for one in found.candidates
    )
    turn = f", turn {found.turn}" if found.turn else ""
    output.note(f"{len(found.brought)} of {len(found.candidates)} candidates, {found.tokens} tokens{turn}")
