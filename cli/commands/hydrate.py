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
    short_help="Print the facts relevant to a message.",
    epilog=EXAMPLES,
)
@click.argument("text", nargs=-1, metavar="[TEXT|-]")
@click.option("--session", metavar="ID", help="Session ID; keeps matches across turns.")
@click.option(
    "--mode",
    type=click.Choice(["turn", "transcript"]),
    help="turn: print everything relevant each time (default); transcript: print nothing twice.",
)
@click.option("--event", is_flag=True, help="Read message and session from a prompt hook's JSON event.")
@click.option("--fresh", is_flag=True, help="Start the session over.")
@click.option("--meaning", is_flag=True, help="Also match by meaning; loads the embedding model.")
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="N",
    help="Approximate maximum size in tokens (default in vault.yaml).",
)
@click.option(
    "--floor", type=click.FloatRange(0, 1), metavar="0..1", help="Minimum cosine similarity of matches by meaning."
)
@click.option("--turns", type=click.IntRange(min=0), metavar="N", help="Number of turns a match stays active.")
@click.option("--agent", metavar="NAME", help="Include what only this agent may see.")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@click.option("--explain", is_flag=True, help="Show why each candidate was included or skipped.")
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
    """Print what the vault knows about the things TEXT mentions, as one block for an agent's context.

    Entries are matched by name, alias, id or key, as whole words; their facts are included, the most important first.
    Every line cites its source. Small talk matches nothing. In `turn` mode a match stays active for some turns of the
    session, so that "tell me more about her" works; in `transcript` mode a line is printed once, and again only when it
    changes. `hydration: {enabled: false}` in vault.yaml turns this off.

    With `--event`, standard input is the JSON that a client passes to its prompt hook, `{"prompt": "…", "session_id":
    "…"}`, and the mode is `transcript` by default; `"hook_event_name": "SessionStart"` starts a new session.
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
