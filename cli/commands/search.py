"""`vault search`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_types
from cli.remote import WarmCommand
from cli.shared import note_left_out, show_conflicts
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.model.settings import Fusion
    from vault.search.find import Answer, Found
    from vault.search.overview import Overview
    from vault.search.rank import Mode
    from vault.service.vault import Vault

EXAMPLES = """
\b
Examples:
  vault search "time off for a new baby"
  vault search privacy --type fact --limit 3
  vault search --tag maths --json
  vault search "who runs payroll" --explain
  vault search "error 4711" --mode keyword
  vault search payroll --at "3 months ago"
  vault search "translator" --history
  vault search "who brings the cake" --in chats
  vault search
"""


@click.command(cls=WarmCommand, short_help="Search entries by keyword and by meaning.", epilog=EXAMPLES)
@click.argument("query", nargs=-1)
@click.option("--type", "kind", metavar="TYPE", help="Only entries of this type.", shell_complete=complete_types)
@click.option("--tag", metavar="TAG", help="Only entries with this tag.")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Maximum number of results.",
)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Search by keyword, by meaning (semantic), or both (hybrid).",
)
@click.option("--fusion", type=click.Choice(["convex", "rrf"]), help="How to combine rankings (default in vault.yaml).")
@click.option(
    "--in",
    "where",
    type=click.Choice(["entries", "chats"]),
    default="entries",
    show_default=True,
    help="Search entries, or chat turns (by keyword only).",
)
@click.option("--history", is_flag=True, help="Include superseded and deleted text.")
@at_option
@click.option("--explain", is_flag=True, help="Show the rank and score of each ranker.")
@common
@pass_context
def command(
    context: Context,
    query: tuple[str, ...],
    kind: str | None,
    tag: str | None,
    all_spaces: bool,
    limit: int,
    mode: "Mode",
    fusion: "Fusion | None",
    where: str,
    history: bool,
    at: str | None,
    explain: bool,
) -> None:
    """Search entries by keyword and by meaning; without QUERY, show an overview of the vault.

    QUERY is plain text: quotes, brackets and operators have no special meaning. Each result cites `path:line@commit`,
    where `worktree` stands for uncommitted text. Directly linked entries are listed below a result if the link is
    committed.

    Earlier versions (`--at`) are searched by keyword only. With `--history`, superseded and deleted text is listed
    below the current results, with the commit that removed it.
    """
    vault = context.open(all_spaces=all_spaces, at=at)
    words = " ".join(query)
    if where == "chats":
        if kind or tag or history or at or context.valid_at or fusion or mode == "semantic":
            raise UsageError("chats are searched by words, as they are now", hint="leave out all but QUERY and --limit")
        _chats(context, vault, words, limit)
        return
    if not words.strip():
        seen = vault.overview(kind=kind, tag=tag)
        if context.json:
            output.data(wire.overview(seen))
        else:
            _show_overview(seen)
        return

    answer = vault.search(words, kind=kind, tag=tag, limit=limit, mode=mode, fusion=fusion, history=history)
    cited = vault.cited([result.path for result in answer if not result.former])
    found = vault.conflicts([result.stored.entry.path for result in answer if not result.former])
    show_conflicts(found)
    note_left_out(vault)
    if context.json:
        output.data(wire.found(words, answer, cited, [item.span.path for item in found]))
    else:
        _show(answer, cited, explain=explain)
    _remark(answer)


def _chats(context: Context, vault: "Vault", words: str, limit: int) -> None:
    """Show the turns that fit best."""
    results = vault.search_chats(words, limit=limit) if words.strip() else []
    cited = vault.cited([result.path for result in results])
    if context.json:
        output.data(wire.turns_found(words, results, cited))
        return
    if not results:
        output.note("nothing fits this query")
    for number, result in enumerate(results):
        fields = result.stored.entry.fields
        who = f"{fields['speaker']} ({fields['role']})" if "speaker" in fields else str(fields["role"])
        if number:
            output.text()
        output.text(f"{output.style(str(fields['chat']), bold=True)} {fields['number']}  {output.flat(who)}")
        output.text(f"  {_highlighted(result)}")
        output.text(output.style(f"  {result.path}:{result.line}@{cited[result.path]}", dim=True))


def _remark(answer: "Answer") -> None:
    """Say what meaning could not be asked of."""
    if answer.problem:
        output.warn(f"found by words alone: {answer.problem}")
    share = answer.embedded
    if share and share.missing:
        output.note(f"{share.passages} of {share.of} passages are embedded; `vault index` does the rest")


def _show(answer: "Answer", cited: Mapping[str, str], *, explain: bool) -> None:
    if not answer:
        output.note("nothing fits this query")
    for number, result in enumerate(answer):
        entry = result.stored.entry
        if number:
            output.text()
        name = f"  {output.cut(entry.name, 80)}" if entry.name != entry.id else ""
        ended = "" if result.current else output.style(f"  ({_ended(result)})", dim=True)
        output.text(f"{output.style(entry.key, bold=True)}{name}{ended}")
        if result.via:
            output.text(output.style(f"  {_path(result)}", dim=True))
        lead = f"{output.style(result.heading, dim=True)}: " if result.heading else ""
        if result.snippet:
            output.text(f"  {lead}{_highlighted(result)}")
        output.text(
            output.style(f"  {output.flat(result.path)}:{result.line}@{wire.cited_at(result, cited)}", dim=True)
        )
        if explain:
            output.text(output.style(f"  {_explanation(result)}", dim=True))


def _ended(result: "Found") -> str:
    """What became of what a result says."""
    former = result.former
    if former is None:
        return "no longer holds"
    return f"{former.status} on {former.time.astimezone():%Y-%m-%d} by {former.ended[:10]}"


def _path(result: "Found") -> str:
    """How a neighbour was come by."""
    via = result.via
    if via is None:
        return ""
    return f"names {via.source} in {via.field}" if via.backward else f"named by {via.source} in {via.field}"


def _explanation(result: "Found") -> str:
    said = [_path(result)] if result.via else []
    said += [f"{name} {rank.score:.3f} (place {rank.place})" for name, rank in result.ranks.items()]
    return f"score {result.score:.3f}: {', '.join(said)}; {result.address}"


def _highlighted(result: "Found") -> str:
    pieces, position = [], 0
    for start, end in result.marks:
        pieces += [
            result.snippet[position:start],
            output.style(result.snippet[start:end], fg="yellow", bold=True),
        ]
        position = end
    return "".join([*pieces, result.snippet[position:]])


def _show_overview(seen: "Overview") -> None:
    output.text(f"{seen.total} entr{'y' if seen.total == 1 else 'ies'}")
    if seen.total == 0:
        output.note('next: vault add note --field text="Something worth remembering"')
        return
    output.table((f"  {name}", str(count)) for name, count in seen.types.items())
    if len(seen.scopes) > 1 or "global" not in seen.scopes:
        output.text("\nspaces")
        output.table((f"  {name}", str(count)) for name, count in seen.scopes.items())
    if seen.newest:
        output.text("\nnewest")
        output.table((f"  {s.entry.key}", s.created[:10], output.cut(s.entry.name, 60)) for s in seen.newest)
    if seen.connected:
        output.text("\nmost connected")
        output.table((f"  {s.entry.key}", str(count), output.cut(s.entry.name, 60)) for s, count in seen.connected)
