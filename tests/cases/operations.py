"""Operations of cases on a folder of files: what is asked, how it ends, and what the files hold then."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from vault.errors import VaultError
from vault.model.schema import FieldSpec, Schema
from vault.model.values import KINDS, Value, plain_text
from vault.service.arguments.choices import UnknownType
from vault.service.arguments.cli_values import read_changes, read_fields
from vault.service.read.entry_detail import detail
from vault.service.read.links import related
from vault.service.read.query import query
from vault.service.runtime.discovery import NotAVault
from vault.service.vault import Vault
from vault.service.write import files
from vault.service.write.create import add
from vault.service.write.update import change, remove
from vault.store.records import Stored

Case = dict[str, Any]

#: How the cases tell an empty result; the wording is not ours to repeat.
NOTHING = ("", "No entities found matching the query.", "No matches found", "No related entities")

WORLDS: dict[str, Case] = json.loads(Path(__file__).with_name("worlds.json").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation answers with: lines, or the file it wrote with whether it was there and what was replaced."""

    lines: tuple[str, ...] = ()
    file: str = ""
    existed: bool = True
    count: int = 0


def check_operation(given: Case, expect: Case, folder: Path) -> None:
    """Carry out the operation of a case, and see that it ends as expected.

    A case names the files it begins with, or one of `worlds.json`, or both.
    """
    given = {**given, "files": {**WORLDS.get(given.get("world", ""), {}), **given.get("files", {})}}
    if not expect.get("error"):
        _check_done(given, expect, folder)
        return
    _check_refused(given, expect, folder)
    if expect.get("code") != NotAVault.code and not any(path.endswith(".firm") for path in given["files"]):
        # without a `.firm` file all is refused alike, so it is tried beside one too
        _check_refused(given, {"not": NotAVault.code, **expect}, folder / "beside", {"base.firm": "schema base { }"})


def _lay(given: Case, folder: Path, beside: dict[str, str]) -> dict[str, str]:
    files = {**given["files"], **beside}
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    return files


def _check_refused(given: Case, expect: Case, folder: Path, beside: dict[str, str] | None = None) -> None:
    files = _lay(given, folder, beside or {})
    with pytest.raises(VaultError) as caught, Vault.open(folder, max_age=0) as vault:
        OPERATIONS[given["tool"]](vault, given["args"])
    assert caught.value.code == expect.get("code", caught.value.code), caught.value
    assert caught.value.code != expect.get("not")
    assert expect.get("names", "") in f"{caught.value.message} {caught.value.hint}"
    left = {place.relative_to(folder).as_posix(): place for place in folder.rglob("*.*") if place.is_file()}
    assert {path: left[path].read_bytes().decode() for path in files} == files  # nothing is half done
    assert [path for path in left if path not in files and not path.startswith((".vault/", "beside/"))] == []


def _check_done(given: Case, expect: Case, folder: Path) -> None:
    _lay(given, folder, {})
    with Vault.open(folder, max_age=0) as vault:
        assert vault.layout.workspace
        outcome = OPERATIONS[given["tool"]](vault, given["args"])
    assert set(expect) & {"text", "lines", "contains", "written", "file", "file_exists", "replaced", "not_contains"}, (
        "nothing is asked"
    )
    told = "\n".join(outcome.lines)
    if outcome.file:
        _check_file(outcome, expect, folder)
        place = folder / outcome.file
        told = place.read_bytes().decode() if place.exists() else ""
    if "text" in expect:
        assert told == ("" if expect["text"] in NOTHING else expect["text"])
    if "lines" in expect:
        assert list(outcome.lines) == expect["lines"]
    for words in expect.get("contains", []):
        assert (told == "") if words in NOTHING else (words in told), words
    assert not [words for words in expect.get("not_contains", []) if words in told]


def _check_file(outcome: Outcome, expect: Case, folder: Path) -> None:
    place = folder / outcome.file
    assert expect.get("file", outcome.file) == outcome.file
    assert expect.get("file_exists", place.exists()) == place.exists()
    assert expect.get("file_existed", outcome.existed) == outcome.existed
    assert expect.get("created_new_file", not outcome.existed) != outcome.existed
    assert expect.get("replaced", outcome.count) == outcome.count
    if "written" in expect:
        assert place.read_bytes().decode() == expect["written"]


# -- entries


def _value(name: str, data: object, schema: Schema | None, item: str | None) -> Value:
    """A value of JSON as a field of an entry takes it; the items of a list are as they are, or of a named kind."""
    if isinstance(data, list):
        kind = next((kind for kind in KINDS if kind == item), None)
        named = Schema("", (FieldSpec(name, kind),)) if kind else None
        return tuple(each if named is None else _value(name, each, named, None) for each in data)
    text = str(data).lower() if isinstance(data, bool) else str(data)
    return read_fields(schema, [(name, text)])[name]


def _add(vault: Vault, args: Case) -> Outcome:
    vault.refresh()
    schema = vault.schemas().get(args["type"])
    items = args.get("list_item_types", {})
    fields = {name: _value(name, data, schema, items.get(name)) for name, data in args["fields"].items()}
    before = {place.as_posix() for place in vault.root.rglob("*.firm")}
    written = add(vault, args["type"], args["id"], fields)
    return Outcome(file=written.path, existed=(vault.root / written.path).as_posix() in before)


def _set(vault: Vault, args: Case) -> Outcome:
    words = [(name, "", text) for name, text in args["fields"].items()]
    written = change(
        vault, f"{args['type']}.{args['id']}", lambda entry, schema: read_changes(entry, schema, words, ())
    )
    return Outcome(file=written.path)


def _remove(vault: Vault, args: Case) -> Outcome:
    return Outcome(file=remove(vault, f"{args['type']}.{args['id']}").path)


def _get(vault: Vault, args: Case) -> Outcome:
    if args["type"] != "schema":
        return Outcome((_shown(detail(vault, f"{args['type']}.{args['id']}").stored),))
    vault.refresh()
    schema = vault.schemas().get(args["id"])
    if schema is None:
        raise UnknownType(args["id"], vault.schemas())
    return Outcome((schema.structure(),))


def _shown(stored: Stored) -> str:
    return " ".join([stored.entry.key, *(f"{name}={plain_text(v)}" for name, v in stored.entry.fields.items())])


def _list(vault: Vault, args: Case) -> Outcome:
    if args["type"] != "schema":
        return Outcome(tuple(stored.entry.key for stored in vault.entries(kind=args["type"])))
    vault.refresh()
    # the product's own records have schemas too, which stand in no file
    return Outcome(tuple(sorted(name for name, schema in vault.schemas().items() if schema.path)))


def _query(vault: Vault, args: Case) -> Outcome:
    return Outcome(tuple(_shown(stored) for stored in query(vault, args["query"]).entries))


def _related(vault: Vault, args: Case) -> Outcome:
    _, found = related(vault, f"{args['type']}.{args['id']}", direction=args.get("direction"))
    return Outcome(tuple(one.stored.entry.key for one in found))


# -- files


def _find(vault: Vault, args: Case) -> Outcome:
    found = files.find(vault, f"{args['type']} {args['id']}")
    return Outcome((f"{found.path}:{found.line}" if args.get("line") else found.path,))


def _tree(vault: Vault, _args: Case) -> Outcome:
    lines: list[str] = []
    for path in map(PurePosixPath, files.tree(vault)):
        folder = "" if path.parent.name == "" else f"{path.parent}/"
        if folder and folder not in lines:
            lines.append(folder)
        lines.append(f"  {path.name}" if folder else path.name)
    return Outcome(tuple(lines))


def _search(vault: Vault, args: Case) -> Outcome:
    found = files.grep(vault, args["query"], case=args.get("case_sensitive", False))
    return Outcome(tuple(f"{match.path}:{match.line}: {match.text}" for match in found))


def _read(vault: Vault, args: Case) -> Outcome:
    return Outcome((files.read(vault, args["path"])[1].decode(),))


def _written(result: files.Rewritten) -> Outcome:
    return Outcome((), result.path, result.existed, result.count)


def _write(vault: Vault, args: Case) -> Outcome:
    return _written(files.write(vault, args["path"], args["content"], force=args.get("force", False)))


def _replace(vault: Vault, args: Case) -> Outcome:
    every, force = args.get("replace_all", False), args.get("force", False)
    return _written(
        files.replace(vault, args["path"], args["old_string"], args["new_string"], every=every, force=force)
    )


def _delete(vault: Vault, args: Case) -> Outcome:
    return _written(files.delete(vault, args["path"], force=args.get("force", False)))


OPERATIONS: dict[str, Callable[[Vault, Case], Outcome]] = {
    "add_entity": _add,
    "set_fields": _set,
    "remove_entity": _remove,
    "get": _get,
    "list": _list,
    "query": _query,
    "related": _related,
    "find_source": _find,
    "read_source": _read,
    "write_source": _write,
    "replace_source": _replace,
    "delete_source": _delete,
    "search_source": _search,
    "source_tree": _tree,
}
