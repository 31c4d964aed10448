"""Text indexes that follow a catalog."""

import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from tests.search.conftest import Shelf
from vault.search.sync import LABELS_LENGTH, Part, Sync, document, parts
from vault.search.text import Filters, TextIndex

PUBLIC = Part("public", ("global", "home", "work"))
DIARY = Part("private/diary", ("diary",))


def rows(index: TextIndex, word: str) -> int:
    """How many entries of any scope have a word."""
    scopes = ["global", "home", "work", "diary"]
    return len({hit.row for hit in index.search(word, Filters(scopes), 10)})


def index(shelf: Shelf, part: Part = PUBLIC) -> TextIndex:
    shelf.kept.refresh()
    return shelf.sync.index(part)


def another(shelf: Shelf, language: str = "english") -> Sync:
    """The same indexes, as another process knows them."""
    return Sync(shelf.sync.folder, shelf.kept.catalog, nullcontext, language=language)


def test_each_private_space_has_an_index_of_its_own() -> None:
    assert parts(["work", "diary", "global", "home"], ["diary"]) == [PUBLIC, DIARY]
    assert parts(["global"], []) == [Part("public", ("global",))]


def test_a_scope_whose_name_is_no_folder_has_a_digest_for_one() -> None:
    odd = "No Space/Name"
    digest = hashlib.sha256(odd.encode()).hexdigest()[:32]
    assert parts(["global", odd], [odd])[1] == Part(f"private/{digest}", (odd,))


def test_an_index_holds_its_scopes_alone(shelf: Shelf) -> None:
    for scope in ("global", "work", "diary"):
        shelf.put(f"in_{scope}", "garden", scope=scope)
    assert (rows(index(shelf), "garden"), rows(index(shelf, DIARY), "garden")) == (2, 1)


def test_an_index_catches_up_with_what_is_new_changed_and_gone(shelf: Shelf) -> None:
    for ident in ("stays", "changes", "goes"):
        shelf.put(ident, "garden")
    assert rows(index(shelf), "garden") == 3
    shelf.put("changes", "harbour")
    shelf.put("comes", "garden")
    (shelf.kept.root / "global/t/goes.firm").unlink()
    followed = index(shelf)
    assert (rows(followed, "garden"), rows(followed, "harbour"), followed.count()) == (2, 1, 3)
    assert followed.content() == Sync(shelf.derived / "anew", shelf.kept.catalog, nullcontext).index(PUBLIC).content()


def test_an_index_that_is_up_to_date_is_not_written(shelf: Shelf) -> None:
    shelf.put("a", "garden")
    index(shelf)
    seen: list[tuple[int, int]] = []
    again = another(shelf)
    again.progress = lambda done, total: seen.append((done, total))
    assert rows(again.index(PUBLIC), "garden") == 1
    assert seen == []
    shelf.put("b", "garden")
    shelf.kept.refresh()
    assert rows(again.index(PUBLIC), "garden") == 2
    assert seen == [(1, 1)]


def forget_state(shelf: Shelf) -> None:
    (shelf.sync.folder / "public.json").unlink()


def spoil_state(shelf: Shelf) -> None:
    (shelf.sync.folder / "public.json").write_text("[not json")


def state_of_another_kind(shelf: Shelf) -> None:
    (shelf.sync.folder / "public.json").write_text("[]")


def count_wrong(shelf: Shelf) -> None:
    file = shelf.sync.folder / "public.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "passages": 7}))


def empty_index(shelf: Shelf) -> None:
    shutil.rmtree(shelf.sync.folder / "public")


def spoil_index(shelf: Shelf) -> None:
    (shelf.sync.folder / "public" / "meta.json").write_text("{")


DAMAGES = [forget_state, spoil_state, state_of_another_kind, count_wrong, empty_index, spoil_index]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_cannot_be_trusted_is_made_anew(shelf: Shelf, damage: Callable[[Shelf], None]) -> None:
    shelf.put("a", "garden")
    index(shelf)
    damage(shelf)
    again = another(shelf).index(PUBLIC)
    assert (rows(again, "garden"), again.count()) == (1, 1)


def test_an_index_in_another_language_or_of_other_scopes_is_made_anew(shelf: Shelf) -> None:
    shelf.put("a", "gardens")
    shelf.put("b", "gardens", scope="work")
    assert rows(index(shelf), "garden") == 2
    assert another(shelf, "german").index(PUBLIC).stems.analyze("gardens") == ["gard"]
    fewer = another(shelf).index(Part("public", ("global",)))
    assert (rows(fewer, "gardens"), fewer.count()) == (1, 1)


def test_long_names_and_labels_are_not_searched_in_full_with_each_passage() -> None:
    labels = [("name", "n", "n" * 50_000), *[("tag", f"t{number}", f"t{number}") for number in range(5_000)]]
    made = document(("p", "global", "note", 1, 0), "x", labels, "h" * 50_000, "text")
    assert (len(made.name), len(made.labels), len(made.tags)) == (LABELS_LENGTH, LABELS_LENGTH, 5_000)
