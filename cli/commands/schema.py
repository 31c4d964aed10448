"""`vault schema`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_types
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault.model.schema import FieldSpec
    from vault.model.values import Kind


@click.group(
    short_help="List, show and add entry types.",
    epilog="\b\nExamples:\n  vault schema list\n  vault schema show fact\n"
    "  vault schema add recipe --field name:string! --field servings:integer --field course:enum=starter,main",
)
def command() -> None:
    """List, show and add entry types."""


@command.command("list")
@common
@pass_context
def list_(context: Context) -> None:
    """List the entry types."""
    vault = context.open()
    vault.refresh()
    found = sorted(vault.schemas().values(), key=lambda schema: (not schema.path, schema.name))
    if context.json:
        output.data(wire.listing([wire.schema(schema) for schema in found]))
        return
    output.table(
        (
            output.style(schema.name, bold=True),
            f"{len(schema.fields)} fields",
            schema.path or "built in",
            schema.description,
        )
        for schema in found
    )


@command.command("show")
@click.argument("type", shell_complete=complete_types)
@common
@pass_context
def show(context: Context, type: str) -> None:  # noqa: A002  the word people know
    """Show the fields of a type."""
    from vault.service.arguments.choices import UnknownType, own_types

    vault = context.open()
    vault.refresh()
    schemas = vault.schemas()
    if type not in schemas:
        raise UnknownType(type, own_types(schemas))
    schema = schemas[type]
    if context.json:
        output.data(wire.schema(schema))
        return
    output.text(f"{output.style(schema.name, bold=True)}  {schema.description}".rstrip())
    output.text(output.style(schema.path or "built in", dim=True))
    output.text()
    output.table(
        (
            f"{spec.name}{' *' if spec.required else ''}",
            f"{spec.type} of {spec.item_type}" if spec.item_type else spec.type,
            spec.description + (f" One of: {', '.join(spec.allowed_values)}." if spec.allowed_values else ""),
        )
        for spec in schema.fields
    )
    output.note("* required")


@command.command("add")
@click.argument("type", metavar="TYPE")
@click.option(
    "-f",
    "--field",
    "fields",
    metavar="NAME:TYPE[:ITEM][!][=VALUES]",
    multiple=True,
    help="Declare a field; `!` makes it required.",
)
@click.option("--description", default="", metavar="TEXT", help="Description of the type.")
@click.option("--closed", is_flag=True, help="Forbid fields that the schema does not declare.")
@common
@pass_context
def add(context: Context, type: str, fields: tuple[str, ...], description: str, closed: bool) -> None:  # noqa: A002
    """Add an entry TYPE: write its schema into schema/TYPE.firm.

    A field is `name:type`. Types are boolean, string, integer, float, currency, reference, list, datetime, path and
    enum: `tags:list:string` is a list of strings, `course:enum=starter,main` allows these two values. Without fields,
    the schema has a required `name`.
    """
    specs = _specs(fields or ("name:string!",))
    path = context.open().add_schema(type, specs, closed=closed, description=description)
    if context.json:
        output.data({"name": type, "path": path})
        return
    output.text(f"added the schema {type} in {path}")
    output.note(f"next: vault commit; vault add {type}")


def _specs(texts: "Sequence[str]") -> "list[FieldSpec]":
    specs: dict[str, FieldSpec] = {}
    for text in texts:
        spec = _spec(text)
        if spec.name in specs:
            raise UsageError(f"the field `{spec.name}` is named twice", hint="name it once")
        specs[spec.name] = spec
    return list(specs.values())


def _spec(text: str) -> "FieldSpec":
    """Read `name:type`, with `:type` of a list's items, `!` for required, and `=values` of an enum."""
    from vault.model.keys import is_identifier
    from vault.model.schema import FieldSpec

    head, equals, values = text.partition("=")
    required = head.endswith("!")
    name, _, kinds = head.removesuffix("!").partition(":")
    kind, colon, item = kinds.partition(":")
    if not is_identifier(name):
        raise UsageError(f"`{name}` cannot be a field name", hint="write `name:type`, as in `servings:integer`")
    if colon and kind != "list":
        raise UsageError(
            f"`{name}` is not a list, so `{item}` cannot be the type of its items", hint=f"write `{name}:list:{item}`"
        )
    if equals and kind != "enum":
        raise UsageError(
            f"`{name}` is not an enum: it takes any value", hint=f"write `{name}:enum={values or 'one,two'}`"
        )
    allowed = tuple(value.strip() for value in values.split(",") if value.strip())
    if kind == "enum" and not allowed:
        raise UsageError(f"the enum `{name}` allows nothing", hint=f"write `{name}:enum=one,two`")
    return FieldSpec(
        name,
        _kind(kind or "string"),
        required=required,
        allowed_values=allowed or None,
        item_type=_kind(item) if colon else None,
    )


def _kind(word: str) -> "Kind":
    from vault.model.values import KINDS

    for kind in KINDS:
        if kind == word:
            return kind
    raise UsageError(f"`{word}` is not a type", hint=f"types: {', '.join(KINDS)}")
