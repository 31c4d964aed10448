"""The layers hold: who imports what, who touches files, clocks and the environment, who prints."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent

#: What reading the command line must not load: each takes 10 to 500 ms.
HEAVY = (
    "anyascii",
    "dulwich",
    "fastembed",
    "filelock",
    "lark",
    "mcp",
    "numpy",
    "sqlite3",
    "starlette",
    "tantivy",
    "yaml",
)

#: Layers that work on values. Index adapters keep files of their own, and the grammar is package data.
PURE = (
    "model",
    "lang",
    "workspace",
    "search",
    "exchange",
    "knowledge",
    "render.py",
    "explain.py",
    "diagnostics.py",
    "errors.py",
    "drawing.py",
    "wire",
)
ADAPTERS = {
    "vault/search/history_index.py",
    "vault/search/text.py",
    "vault/search/sync.py",
    "vault/search/embedding.py",
    "vault/search/vectors/queries.py",
    "vault/search/vectors/store.py",
}
PACKAGE_DATA = {
    ("vault/explain.py", "read_text"),
    ("vault/lang/syntax.py", "read_text"),
    ("vault/search/wordpieces.py", "read_text"),
}

FILE_MODULES = {"glob", "io", "os", "shutil", "tempfile"}
FILE_CALLS = {
    "exists",
    "glob",
    "is_dir",
    "is_file",
    "iterdir",
    "mkdir",
    "open",
    "read_bytes",
    "read_text",
    "rglob",
    "rmdir",
    "stat",
    "touch",
    "unlink",
    "write_bytes",
    "write_text",
}
CLOCK_CALLS = {"now", "today", "utcnow", "monotonic", "perf_counter", "time_ns"}


def modules(*parts: str) -> list[str]:
    """The paths of the modules in some packages, from the top of the tree."""
    places = [TOP / part for part in parts]
    found = [file for place in places for file in ([place] if place.suffix else place.rglob("*.py"))]
    return sorted(file.relative_to(TOP).as_posix() for file in found)


@cache
def tree(path: str) -> ast.Module:
    return ast.parse((TOP / path).read_text("utf-8"), path)


def imported(path: str) -> Iterator[tuple[str, int]]:
    """The top-level names a module imports from elsewhere, with their lines."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0], node.lineno


def calls(path: str) -> Iterator[tuple[str, str, int]]:
    """The calls of a module: what they are called on ("" for a plain name), the name, the line."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id, node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr, node.lineno


PURE_MODULES = [path for path in modules(*(f"vault/{part}" for part in PURE)) if path not in ADAPTERS]


def test_contracts_hold() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    words = [str(program), "--no-cache", "--no-logo"]
    done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_third_party_package_has_one_home() -> None:
    settings = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    guarded = {name for contract in contracts for name in contract.get("protected_modules", ())}
    used = {name for path in modules("vault", "cli") for name, _ in imported(path)}
    assert used - sys.stdlib_module_names - {"vault", "cli"} == guarded - sys.stdlib_module_names


def test_command_line_loads_nothing_heavy() -> None:
    script = "import json, sys, cli.main; print(json.dumps(sorted(sys.modules)))"
    # without the environment, in which a coverage run may ask to be started too
    done = subprocess.run([sys.executable, "-c", script], cwd=TOP, env={}, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert loaded & set(HEAVY) == set()
    assert {"cli", "click", "vault"} <= loaded


@pytest.mark.parametrize("path", PURE_MODULES)
def test_pure_layers_touch_no_file(path: str) -> None:
    found = [f"{path}:{line} imports {name}" for name, line in imported(path) if name in FILE_MODULES]
    for owner, name, line in calls(path):
        if owner == "" and name == "open":
            found.append(f"{path}:{line} {name}()")
        elif owner and name in FILE_CALLS and (path, name) not in PACKAGE_DATA:
            found.append(f"{path}:{line} {owner}.{name}()")
    assert found == []


@pytest.mark.parametrize("path", PURE_MODULES)
def test_pure_layers_read_no_clock(path: str) -> None:
    found = [f"{path}:{line} {owner}.{name}()" for owner, name, line in calls(path) if name in CLOCK_CALLS]
    assert found == []


def reaches_for_environment(path: str) -> bool:
    wanted = {"environ", "environb", "getenv", "getenvb"}
    nodes = list(ast.walk(tree(path)))
    read = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    taken = [node.names for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "os"]
    return bool(read & {f"os.{name}" for name in wanted} or wanted & {a.name for names in taken for a in names})


def test_environment_is_read_in_one_place() -> None:
    assert {path for path in modules("vault", "cli") if reaches_for_environment(path)} == {"cli/context.py"}


def test_printing_is_done_in_one_place() -> None:
    printing = {("", "print"), ("", "echo"), ("", "secho"), ("click", "echo"), ("click", "secho")}
    printing |= {("sys.stdout", "write"), ("sys.stderr", "write"), ("sys.stdout.buffer", "write")}
    found = {path for path in modules("vault", "cli") for owner, name, _ in calls(path) if (owner, name) in printing}
    assert found == {"cli/output.py"}


# -- SQL

#: The one package that knows a database: its classes answer with values.
STORE = "vault/store/"
SQL = re.compile(
    r"\A\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|REPLACE|DROP|PRAGMA|BEGIN)\s"  # a statement
    r"|\sFROM\s.*\sWHERE\s|\bJOIN\s|\b(ORDER|GROUP) BY\s|\bjson_each\(|\s(=|<>|IN|LIKE|GLOB) \(?\?",  # a part of one
    re.DOTALL,
)


def database_words(path: str, source: ast.Module) -> list[str]:
    """Where a module writes SQL, names sqlite3, or reaches for a connection."""
    found = []
    for node in ast.walk(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value):
            found.append(f"{path}:{node.lineno} {node.value.strip()[:40]!r}")
        elif isinstance(node, ast.Attribute) and node.attr in {"db", "_db"}:
            found.append(f"{path}:{node.lineno} {ast.unparse(node)}")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [*(alias.name for alias in node.names), getattr(node, "module", None)]
            found += [f"{path}:{node.lineno} {ast.unparse(node)}"] if "sqlite3" in names else []
        elif isinstance(node, ast.Name) and node.id == "sqlite3":
            found.append(f"{path}:{node.lineno} sqlite3")
    return found


def test_sql_is_in_the_store_alone() -> None:
    paths = [path for path in modules("vault", "cli") if not path.startswith(STORE)]
    assert [place for path in paths for place in database_words(path, tree(path))] == []


@pytest.mark.parametrize(
    "line",
    [
        'rows = catalog.db.execute("DELETE FROM entries")',
        "catalog._db.close()",
        "import sqlite3",
        "from sqlite3 import connect",
        'query = " SELECT key FROM entries"',
        'query = f"SELECT {column} FROM entries"',
        'query = "key, path FROM entries WHERE scope > 1"',
        'condition = "e.scope = ?"',
        'tail = "ORDER BY e.path"',
    ],
)
def test_sql_elsewhere_is_named_by_file_and_line(line: str) -> None:
    found = database_words("vault/query/run.py", ast.parse(f"\n{line}"))
    assert {place.split(" ")[0] for place in found} == {"vault/query/run.py:2"}


def test_the_store_writes_sql() -> None:
    assert len(database_words("vault/store/catalog.py", tree("vault/store/catalog.py"))) > 20


# -- circles


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports that only types need count, and those inside functions: each would make two modules one."""
    uses = {module: imported_by(module, file) for module, file in MODULES.items()}
    while leaves := {module for module, used in uses.items() if not used & uses.keys()}:
        uses = {module: used for module, used in uses.items() if module not in leaves}
    assert uses == {}, "what is left here imports itself in a circle, or such a module"


MODULES = {
    ".".join(file.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__"): file
    for package in ("vault", "cli")
    for file in (TOP / package).rglob("*.py")
}


def imported_by(module: str, file: Path) -> set[str]:
    """The modules of ours that one imports anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in names}
    return found & MODULES.keys() - {module}


def test_error_codes_have_one_spelling() -> None:
    """Lower case with hyphens, on every surface."""
    texts = [file.read_text("utf-8") for file in MODULES.values()]
    codes = [code for text in texts for code in re.findall(r'^    code = "([^"]+)"$', text, re.MULTILINE)]
    assert len(codes) > 50
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def test_no_conditional_expression_is_inside_another() -> None:
    found = [
        f"{path}:{node.lineno}"
        for path in modules("vault", "cli")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.IfExp) and any(isinstance(part, ast.IfExp) for part in (node.body, node.orelse))
    ]
    assert found == []
