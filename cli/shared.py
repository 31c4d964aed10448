"""What several commands do: commit what was written, show findings, ask."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context
from vault import wire
from vault.errors import UsageError, VaultError

if TYPE_CHECKING:
    from vault.diagnostics import Diagnostic
    from vault.service.committing import Commit
    from vault.service.writing import Landing, Written


class NeedsConsent(VaultError):
    """A command that asks first, where nobody can be asked."""

    code = "consent-required"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs a yes, and there is no terminal to ask on", hint="repeat it with --yes")


class Declined(VaultError):
    """A question answered with no."""

    code = "declined"

    def __init__(self) -> None:
        super().__init__("nothing was done")


def ask(context: Context, question: str, what: str, *, yes: bool) -> None:
    """Ask for consent; raises `NeedsConsent` without a terminal, `Declined` on a no."""
    if yes:
        return
    if not context.interactive:
        raise NeedsConsent(what)
    if not click.confirm(question, err=True):
        raise Declined


def landing_of(*, wanted: bool, message: str | None) -> "Landing | None":
    """What `--commit` and `--message` ask for."""
    from vault.service.writing import Landing

    return Landing(message) if wanted or message else None


def show_written(context: Context, result: "Written", *, verb: str, follow_up: str = "") -> None:
    """Say what a write did, what it warns of, and what to run next."""
    if context.json:
        output.data(wire.written(result))
        return
    output.text(f"{verb} {output.style(result.key, bold=True)} in {result.path}")
    if result.reveals:
        output.text(f"  now showing again: {result.reveals}")
    show_findings(result.findings)
    if result.commit:
        show_commit(result.commit)
    elif follow_up:
        output.note(f"next: {follow_up}")


def show_commit(made: "Commit") -> None:
    """Say which commit was made."""
    output.text(f"committed {made.commit[:10]}: {made.subject}")


def show_findings(found: "Sequence[Diagnostic]") -> None:
    """Show findings beside a result, one line each."""
    from vault.render import line

    for item in found:
        output.note(line(item))


def assignment(text: str) -> tuple[str, str, str]:
    """Split `name=value`, `name+=value` or `name-=value` into name, operator and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"`{text}` sets nothing", hint="write `field=value`, `list+=item` or `list-=item`")
    operator = name[-1:] if name[-1:] in ("+", "-") else ""
    from vault.model.keys import is_identifier

    field = name.removesuffix(operator).strip() if operator else name.strip()
    if not is_identifier(field):
        raise UsageError(f"`{field}` cannot be a field name", hint="field names are ASCII letters, digits and `_`")
    return field, operator, value
