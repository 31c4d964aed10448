"""`vault completion`."""

import click
from click.shell_completion import get_completion_class

from cli import output


@click.command(
    short_help="Print a shell completion script.",
    epilog='\b\nExamples:\n  eval "$(vault completion bash)"\n'
    "  vault completion fish > ~/.config/fish/completions/vault.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a completion script for SHELL: commands, options, entries, types and spaces."""
    root = context.find_root()
    name = root.info_name or "vault"
    found = get_completion_class(shell)
    if found is None:  # the choices above are click's own
        raise click.UsageError(f"no completion for {shell}")
    output.text(found(root.command, {}, name, f"_{name.upper()}_COMPLETE").source())
