"""`vault eval`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.admin.evaluation import Report

#: Those of `vault.service.admin.evaluation`, named here so that `--help` need not load it; a test keeps them equal.
MODES = ("keyword", "semantic", "rrf", "convex", "hybrid")
COLUMNS = {
    "R@5": ("recall@5", 3),
    "R@10": ("recall@10", 3),
    "nDCG@10": ("ndcg@10", 3),
    "MRR": ("mrr", 3),
    "S@3": ("success@3", 3),
    "p50 ms": ("p50_ms", 1),
    "p95 ms": ("p95_ms", 1),
}

EXAMPLES = """
\b
Examples:
  vault eval corpora/cacm
  vault eval --queries questions.tsv --misses
  vault eval corpora/cacm --mode keyword --mode hybrid --limit 100 --json
  vault eval --clear
"""


@click.command(short_help="Measure search quality.", epilog=EXAMPLES)
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option(
    "--queries",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use the questions in FILE on this vault; each line: query, tab, keys of the answers.",
)
@click.option("--mode", "modes", multiple=True, type=click.Choice(MODES), help="Evaluate only this mode (repeatable).")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use N queries, evenly spread.")
@click.option("--misses", is_flag=True, help="List the queries without an answer in the first 10 results.")
@click.option("--fresh", is_flag=True, help="Rebuild the collection.")
@click.option("--clear", is_flag=True, help="Delete all built collections.")
@common
@pass_context
def command(
    context: Context,
    folder: Path | None,
    file: Path | None,
    modes: tuple[str, ...],
    limit: int | None,
    misses: bool,
    fresh: bool,
    clear: bool,
) -> None:
    """Measure search on the test collection in DIR, or with your own questions on this vault.

    DIR holds corpus.jsonl, queries.jsonl and qrels.tsv, the format of the BEIR collections. It is built once as a vault
    in the cache; each `conversation` becomes a space. Reported are recall at 5 and 10, nDCG, the mean reciprocal rank,
    the share of queries answered in the first 3 results, and the time per query.
    """
    if (folder is not None) + (file is not None) + clear != 1:
        raise UsageError("name a corpus's DIR, or --queries FILE, or --clear", hint="see `vault eval --help`")
    if clear:
        _clear(context)
        return
    report = _measured(context, folder, file, modes, limit, fresh=fresh)
    for told in report.notes:
        output.warn(told)
    if report.unavailable:
        output.warn(f"only keywords are measured: {report.unavailable}")
    if context.json:
        output.data(wire.evaluation(report, misses=misses))
    else:
        _show(report, misses=misses)


def _measured(
    context: Context, folder: Path | None, file: Path | None, modes: tuple[str, ...], limit: int | None, *, fresh: bool
) -> "Report":
    from vault import Vault
    from vault.service.arguments.evaluation_options import EvaluationOptions

    asking = EvaluationOptions(modes, limit)
    if folder is None:
        return context.open().evaluate(context.directory / (file or ""), asking)
    return Vault.evaluate_corpus(
        context.directory / folder,
        context.cache,
        asking,
        fresh=fresh,
        environ=context.environ,
        watch=output.progress,
        say=output.note,
    )


def _clear(context: Context) -> None:
    from vault import Vault

    corpora, size = Vault.clear_corpora(context.cache, say=output.note)
    if context.json:
        output.data({"corpora": corpora, "bytes": size})
        return
    output.text(f"removed {corpora} {'corpus' if corpora == 1 else 'corpora'}, {size / 1e6:.1f} MB freed")


def _show(report: "Report", *, misses: bool) -> None:
    rows = [
        (mode, *(f"{figures[name]:.{digits}f}" for name, digits in COLUMNS.values()))
        for mode, figures in report.modes.items()
    ]
    output.table([("mode", *COLUMNS), *rows])
    asked = f"{report.queries} quer{'y' if report.queries == 1 else 'ies'}"
    output.note(f"{asked}, {report.documents} document{'s' * (report.documents != 1)} ({report.corpus})")
    for mode, missed in report.misses.items() if misses else ():
        output.text(f"\nnot found by {mode}: {len(missed)}")
        output.table(
            (f"  {question.id}", output.cut(question.text, 70), _answers(question.wanted)) for question in missed
        )


def _answers(wanted: Mapping[str, int]) -> str:
    return output.cut(" ".join(name for name, grade in wanted.items() if grade > 0), 100)
