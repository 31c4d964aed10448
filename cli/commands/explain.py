"""`vault explain`."""

import click
from click.shell_completion import CompletionItem

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from vault import wire

COLOURS = {"error": "red", "warning": "yellow", "info": "blue", "off": None}


def _complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from vault.diagnostics import CODES

    return [CompletionItem(code) for code in sorted(CODES) if code.startswith(begun)]


@click.command(
    short_help="Explain a diagnostic code.",
    epilog="\b\nExamples:\n  vault explain\n  vault explain slot-conflict\n  vault explain wrong-type --json",
)
@click.argument("code", required=False, metavar="[CODE]", shell_complete=_complete)
@common
@pass_context
def command(context: Context, code: str | None) -> None:
    """Explain what the diagnostic CODE means, why it matters and how to fix it; list all codes if omitted.

    `check:` in vault.yaml sets the severity of a code: error, warning, info or off.
    """
    from vault.diagnostics import CODES
    from vault.explain import UnknownCode, explain, gist

    if code is not None and code not in CODES:
        raise UnknownCode(code)
    chosen = _severities(context)
    if context.json:
        output.data(_data(code, chosen) if code else wire.listing([_data(name, chosen) for name in sorted(CODES)]))
    elif code:
        told = f"{chosen[code]} by default" if chosen[code] == CODES[code] else f"{chosen[code]} in this vault"
        output.text(f"{output.style(code, bold=True)}: {told}\n\n{click.wrap_text(explain(code), 100)}")
    else:
        output.table((name, output.style(chosen[name], fg=COLOURS[chosen[name]]), gist(name)) for name in sorted(CODES))


def _severities(context: Context) -> dict[str, str]:
    """The severity of every code: this vault's, where the command runs in one."""
    from vault.diagnostics import CODES
    from vault.model.settings import BadSettings
    from vault.service.runtime.discovery import NotAVault, find_layout

    try:
        return {**CODES, **find_layout(context.directory).settings.check}
    except NotAVault:
        return dict(CODES)
    except BadSettings as error:
        output.note(f"severities are the default ones: {error.message}")
        return dict(CODES)


def _data(code: str, chosen: dict[str, str]) -> dict[str, str]:
    from vault.diagnostics import CODES
    from vault.explain import explain

    return {"code": code, "severity": chosen[code], "default": CODES[code], "explanation": explain(code)}
