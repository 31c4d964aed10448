"""docs/commands.md, docs/errors.md and docs/settings.md say what the code does; `--update` rewrites the tables.

The tables of commands and errors are made from the code, but for the meaning of an error code, which is written in
docs/errors.md. The settings are written by hand, and compared.
"""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

import cli
import vault
from cli.main import COMMANDS, GROUPS, main
from vault.diagnostics import CODES
from vault.errors import VaultError
from vault.explain import gist
from vault.model import settings
from vault.model.access import TOOLS
from vault.model.settings import BadSettings, Settings, read_settings
from vault.model.yamltext import read_yaml, write_yaml
from vault.serve.http import _failure

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (.*) \|$", re.MULTILINE)
#: In a column of codes, HTTP statuses or exit codes: there is none.
NONE = "–"


def part(text: str, name: str) -> re.Match[str]:
    """The part of a page between `<!-- name -->` and `<!-- end -->`."""
    found = re.search(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", text, re.DOTALL)
    assert found, f"there is no part {name}"
    return found


def rows(table: str) -> list[list[str]]:
    """The rows of Markdown tables without their heads."""
    cells = [re.split(r"(?<!\\) \| ", row) for row in ROW.findall(table)]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= {"-"}]
    heads = {number - 1 for number in rules}
    return [row for number, row in enumerate(cells) if number not in heads and number not in rules]


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def assert_part(page: Path, name: str, expected: str, *, update: bool) -> None:
    """Compare a part of a page with what it should be, or rewrite it."""
    text = page.read_text("utf-8")
    found = part(text, name)
    if update:
        page.write_text(text[: found.start()] + expected + text[found.end() :], "utf-8")
        return
    assert found[0] == expected, f"run `pytest --update {Path(__file__).relative_to(ROOT)}`"


# -- commands


def common_options() -> set[str]:
    """The options that docs/commands.md describes once for all commands."""
    text = (DOCS / "commands.md").read_text("utf-8")
    section = text[text.index("## Options of many commands") : text.index("<!-- commands -->")]
    return {option for row in rows(section) for option in re.findall(r"`(-[^`]+)`", row[0])}


def walk(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
    """A command and the commands in it, with their words."""
    yield words, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from walk(inner, f"{words} {name}")


def commands_of(name: str) -> list[tuple[str, click.Command]]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return list(walk(command, f"vault {name}"))


@cache
def usual_helps() -> dict[str, str]:
    """The help that most commands have for an option: `vault init --space` does something else than the others."""
    every = [command for name in COMMANDS for _, command in commands_of(name)]
    options = [item for command in every for item in command.params if isinstance(item, click.Option)]
    counts = Counter((max(item.opts, key=len), item.help or "") for item in options)
    return {option: text for (option, text), _ in reversed(counts.most_common())}


def is_common(option: click.Option) -> bool:
    name = max(option.opts, key=len)
    return name in common_options() and usual_helps()[name] == option.help


def command_row(words: str, command: click.Command, summary: str) -> tuple[str, str, str]:
    context = click.Context(command)
    pieces = [] if isinstance(command, click.Group) else command.collect_usage_pieces(context)
    usage = " ".join([words, *(piece for piece in pieces if piece != "[OPTIONS]")]).replace("|", r"\|")
    shown = [
        f"`{max(names, key=len)}`"
        for item in command.params
        if isinstance(item, click.Option) and not item.hidden and not is_common(item)
        for names in (item.opts, item.secondary_opts)
        if names
    ]
    return f"`{usage}`", summary, ", ".join(shown) or NONE


def test_commands_are_current(update: bool) -> None:
    sections = []
    for title, summaries in GROUPS.items():
        body = [
            command_row(words, command, summaries.get(words.removeprefix("vault "), command.get_short_help_str(200)))
            for name in summaries
            for words, command in commands_of(name)
        ]
        sections.append(f"\n## {title}\n\n" + table(("Command", "What it does", "Options"), body))
    assert_part(DOCS / "commands.md", "commands", "".join(sections) + "\n", update=update)


def test_common_options_are_options() -> None:
    every = [command for name in COMMANDS for _, command in commands_of(name)]
    known = {option for command in every for item in command.params for option in item.opts}
    assert common_options() - known - {"-h", "--help"} == set()


# -- errors

#: Modules whose errors no operation of a server ends with.
LOCAL = (
    *("cli.", "vault.exchange.", "vault.explain", "vault.service.admin."),
    *("vault.serve.tokens", "vault.serve.origins", "vault.serve.http", "vault.serve.prompts", "vault.serve.resources"),
)
#: Modules whose errors no command ends with.
SERVED = ("vault.serve.auth", "vault.serve.prompts", "vault.serve.resources", "vault.serve.session")
#: Codes that the command line and the servers give to what is not a `VaultError`: HTTP status, exit code.
OTHERS = {"internal": ("500", "3"), "interrupted": (NONE, "130")}
#: Statuses of a path that is not served: unknown, or not with this method.
UNSERVED = ("404", "405")


@cache
def failures() -> tuple[type[VaultError], ...]:
    """Every class of failure that has a code of its own."""
    for package in (vault, cli):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    classes: list[type[VaultError]] = [VaultError]
    for one in classes:
        classes += [inner for inner in one.__subclasses__() if inner not in classes]
    return tuple(
        one for one in classes if one.code != VaultError.code and one.__module__.startswith(("vault.", "cli."))
    )


def rejections() -> Iterator[tuple[str, str]]:
    """The codes and statuses with which the HTTP server turns a request away."""
    for path in sorted((ROOT / "vault/serve").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Rejected":
                status, code = node.args[:2]
                assert isinstance(code, ast.Constant)
                for shown in [str(status.value)] if isinstance(status, ast.Constant) else UNSERVED:
                    yield str(code.value), shown


def http_status(failure: type[VaultError]) -> str:
    """The status that the HTTP server gives to a failure."""
    error = failure.__new__(failure)
    VaultError.__init__(error, "")
    return str(_failure(error).status_code)


def surfaces() -> dict[str, tuple[str, str]]:
    """Error code → its HTTP statuses and its exit codes."""
    statuses: dict[str, set[str]] = {}
    exits: dict[str, set[str]] = {}
    for failure in failures():
        statuses.setdefault(failure.code, set())
        exits.setdefault(failure.code, set())
        if not failure.__module__.startswith(LOCAL):
            statuses[failure.code].add(http_status(failure))
        if not failure.__module__.startswith(SERVED):
            exits[failure.code].add(str(failure.status))
    for code, status in rejections():
        statuses.setdefault(code, set()).add(status)
    every = {code: (joined(statuses[code]), joined(exits.get(code, set()))) for code in statuses}
    return dict(sorted({**every, **OTHERS}.items()))


def joined(numbers: set[str]) -> str:
    return ", ".join(sorted(numbers)) or NONE


def test_errors_are_current(update: bool) -> None:
    page = DOCS / "errors.md"
    meanings = {row[0]: row[1] for row in rows(part(page.read_text("utf-8"), "errors")[0])}
    drafts = {one.code: (one.__doc__ or "").split("\n")[0] for one in failures()}  # of a code that is new
    body = [
        (f"`{code}`", meanings.get(f"`{code}`") or drafts.get(code, ""), status, ended)
        for code, (status, ended) in surfaces().items()
    ]
    assert all(row[1] for row in body)
    expected = table(("Code", "Meaning", "HTTP", "Exit"), body)
    assert_part(page, "errors", expected, update=update)


def test_findings_are_current(update: bool) -> None:
    body = [(f"`{code}`", CODES[code], gist(code)) for code in sorted(CODES)]
    assert_part(DOCS / "errors.md", "findings", table(("Code", "Severity", "Meaning"), body), update=update)


def test_codes_of_the_boundaries_are_known() -> None:
    said = re.compile(r"""(?:_say_json|error_line)\(\s*"([\w-]+)"|"code": "([\w-]+)",\n""")
    for path in ("cli/main.py", "cli/output.py", "vault/serve/http.py"):
        for found in said.finditer((ROOT / path).read_text("utf-8")):
            assert (found[1] or found[2]) in surfaces()


# -- settings


def setting_rows() -> list[list[str]]:
    return rows(part((DOCS / "settings.md").read_text("utf-8"), "settings")[0])


def known_keys(where: str) -> set[str]:
    """The keys that a mapping of the settings takes, as an unknown one is answered."""
    with pytest.raises(BadSettings) as caught:
        read_settings(where.format("{zzzzzz: 1}") if where else "zzzzzz: 1")
    return {*caught.value.hint.removeprefix("known keys: ").split(", ")}


def documented(prefix: str) -> set[str]:
    """The keys that docs/settings.md lists below a prefix."""
    names = [row[0].strip("`") for row in setting_rows()]
    return {name.removeprefix(prefix).partition(".")[0] for name in names if name.startswith(prefix)}


def test_every_setting_is_documented() -> None:
    assert documented("") == {*settings._NAMES} == known_keys("")
    for name in ("embedding", "search", "hydration", "hygiene", "serve"):
        assert documented(f"{name}.") == known_keys(f"{name}: {{}}")
    assert documented("spaces.NAME.") == known_keys("spaces: {{work: {}}}")
    assert {*TOOLS, "spaces"} == known_keys("permissions: {}")
    assert {*CODES} == known_keys("check: {}")


def nested(name: str, value: Any) -> dict[str, Any]:
    first, _, rest = name.replace("NAME", "work").partition(".")
    return {first: nested(rest, value) if rest else value}


def values() -> list[tuple[str, str]]:
    """The settings whose default is a value that can be written into `vault.yaml`."""
    shown = [(row[0].strip("`"), row[1]) for row in setting_rows()]
    return [(name, default.strip("`")) for name, default in shown if default.startswith("`")]


@pytest.mark.parametrize(("name", "default"), values())
def test_a_default_is_what_counts_if_omitted(name: str, default: str) -> None:
    written = nested(name, read_yaml(default, "docs/settings.md"))
    omitted = read_settings("spaces: {work: {}}") if name.startswith("spaces.") else Settings()
    assert read_settings(write_yaml(written)) == omitted


def test_permissions_are_current(update: bool) -> None:
    body = [(f"`{tool}`", f"`{Settings().permission(tool, 'global')}`") for tool in TOOLS]
    assert_part(DOCS / "settings.md", "permissions", table(("Tool", "Default"), body), update=update)


def test_languages_are_listed() -> None:
    text = (DOCS / "settings.md").read_text("utf-8")
    assert all(language in text for language in settings.LANGUAGES)
    assert all(fusion in text for fusion in settings.FUSIONS)
