"""`vault remember`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.shared import show_landed
from vault import wire
from vault.errors import UsageError, VaultError

if TYPE_CHECKING:
    from vault.knowledge.payload import Payload
    from vault.service.vault import Vault
    from vault.service.write.apply_payload import Remembered

EXAMPLES = """
\b
Examples:
  vault remember payload.json
  vault remember payloads.jsonl
  echo "Ada met Babbage at a party" | vault remember -
\b
A payload:
  {"structured": {
     "entities": [{"source": "Ada", "sourceType": "person", "relationship": "uses",
                   "target": "Analytical Engine", "targetType": "tool"}],
     "aspects": [{"entityName": "Ada", "aspect": "work",
                  "attributes": [{"claimKey": "role", "content": "Ada is a programmer", "value": "programmer"}]}]},
   "observedAt": "1843-07-10", "sourceId": "letters/7", "idempotencyKey": "letter-7"}
"""


@click.command(short_help="Record facts and relations from JSON, or keep a text as a note.", epilog=EXAMPLES)
@click.argument("source", metavar="FILE|-")
@click.option("--text", "plain", is_flag=True, help="Treat FILE as text even if it looks like JSON.")
@click.option("--key", metavar="KEY", help="Idempotency key, if the payload has none.")
@click.option("-m", "--message", metavar="TEXT", help="Commit message; default: what changed.")
@common
@pass_context
def command(context: Context, source: str, plain: bool, key: str | None, message: str | None) -> None:
    """Record the facts and relations of a JSON payload in one commit, all or nothing.

    Missing entities are created, relations become references, and each statement goes into its slot. A text that is not
    JSON is kept as a note with links to the entities it names; no facts are extracted. A `.jsonl` file has one payload
    per line, and each becomes a commit.
    """
    from vault import Vault

    told = "standard input" if source == "-" else source
    data = context.read_input() if source == "-" else None
    text = Vault.read_source(data, told if source == "-" else str(context.directory / source))
    if Path(source).suffix == ".jsonl" and not plain:
        if key:
            raise UsageError("one key for several payloads", hint="give each payload its own `idempotencyKey`")
        _several(context, text, message)
        return
    payload = _payload(text, key, plain=plain)
    result = _opened(context, payload.space).remember(payload, message=message)
    if context.json:
        output.data(wire.remembered(result))
    else:
        _show(result)


def _payload(text: str, key: str | None, *, plain: bool) -> "Payload":
    """The payload of a file: JSON, or a text to be kept."""
    from vault.knowledge.payload import is_json, payload_of, read_payload

    payload = payload_of({"content": text.strip("\n")}) if plain or not is_json(text) else read_payload(text)
    return payload.model_copy(update={"idempotency_key": payload.idempotency_key or key})


def _opened(context: Context, space: str | None) -> "Vault":
    """The vault, from inside the space that a payload is for, unless the command says where it stands."""
    if space and not context.chosen_space and not context.outside:
        return replace(context, space=space).open()
    return context.open()


def _several(context: Context, text: str, message: str | None) -> None:
    """Remember the payloads of a JSON Lines file, one after another; stop at the first that cannot be."""
    results = []
    opened: dict[str | None, Vault] = {}
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    report = output.progress("remembering")
    for done, (number, line) in enumerate(lines, 1):
        try:
            payload = _payload(line, None, plain=False)
            if payload.space not in opened:
                opened[payload.space] = _opened(context, payload.space)
            results.append(opened[payload.space].remember(payload, message=message))
        except VaultError as error:
            error.add(f"\n  in line {number}; what the lines before it say is remembered")
            raise
        if report:
            report(done, len(lines))
    if context.json:
        output.data(wire.listing([wire.remembered(result) for result in results]))
        return
    commits = sum(result.commit is not None for result in results)
    output.text(f"{len(results)} payloads: {commits} commits, {len(results) - commits} changed nothing")


def _show(result: "Remembered") -> None:
    if result.done:
        output.text(f"remembered already, in {result.done[:10]}")
        return
    for key, created in result.entities:
        if created:
            output.text(f"added {output.style(key, bold=True)}")
    for _, placed in result.facts:
        output.text(f"{_VERBS[placed.op]} {output.style(placed.key, bold=True)}")
    for path in result.shadows:
        output.text(f"  now hidden here: {path}")
    for warning in result.warnings:
        output.note(f"warning: {warning}")
    if result.note:
        output.text(f"{_VERBS[result.note_op or 'add']} {output.style(result.note, bold=True)}")
    if show_landed(result.landed):
        return
    if result.note_op != "add" and all(placed.op == "none" for _, placed in result.facts):
        output.text("nothing to change: all of it is known")


_VERBS = {
    "add": "added",
    "supersede": "superseded",
    "update": "added sources to",
    "none": "known already:",
    "retract": "retracted",
}
