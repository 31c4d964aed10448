"""A private space's wall: every answer outside is the same to the byte, whether the space is there or not."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from tests.endurance import amount
from tests.service.conftest import ENVIRON, Git, Write
from tests.service.test_embedding import note
from tests.service.test_meaning import real_model
from vault import wire
from vault.errors import VaultError
from vault.model.access import Reader
from vault.model.settings import Settings, Space, write_settings
from vault.search.rank import Mode
from vault.service.admin import reindex
from vault.service.runtime.embed_job import READ_BUDGET
from vault.service.vault import Vault

SUBJECTS = ["garden", "harbour", "violin", "bakery", "glacier"]
QUESTIONS = [
    "garden",
    "rumour about the harbour",
    "Ada Example",
    "the countess",
    "actor.secret note.n1",
    "gardn",
    "privat",
    "园丁",
    "something nobody wrote of",
    "!?",
    "",
]
WORDS = ["note.n1", "note.rumou", "actor.secrt", "the countess", "ada example", "rumour", "secret", "note.d3"]
TYPES = ["note", "actor", "rumour", "secret_type"]
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")
READERS: list[dict[str, object]] = [{}, {"all_spaces": True}, {"space": "work"}]


@pytest.fixture
def public(root: Path, write: Write, git: Git) -> Path:
    """A vault with committed entries, seen from nowhere yet: no derived data is there."""
    for number in range(READ_BUDGET):
        subject = SUBJECTS[number % len(SUBJECTS)]
        more = {"relates_to": f"[note.n{number - 1}]"} if number else {}
        created = f"2020-01-{number + 1:02} at 10:00 UTC"
        text = f"The {subject} was seen on day {number}"
        write(f"global/note/n{number}.firm", note(f"n{number}", text, created_at=created, **more))
    write("global/actor/ada.firm", 'actor ada { name = "Ada Example" relates_to = [actor.secret, note.n3] }\n')
    write("spaces/work/note/w.firm", note("w", "The garden at work", relates_to="[note.n1, note.rumour]"))
    write("spaces/work/note/n2.firm", note("n2", "The violin at work"))
    git("add", "-A")
    git("commit", "-m", "public")
    shutil.rmtree(root / ".vault", ignore_errors=True)
    return root


@pytest.fixture
def pair(public: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The vault with a private space, and one that has none."""
    without = tmp_path / "without"
    shutil.copytree(public, without)
    (without / "vault.yaml").write_text(write_settings(Settings(spaces={"work": Space("work")})))
    fill_diary(public)
    return public, without


def fill_diary(root: Path) -> None:
    """Write what is like the public entries, the same as they are, named alike, and tied to them both ways."""
    files = {f"note/d{number}": note(f"d{number}", f"The rumour {number}", tags='["privat"]') for number in range(40)}
    files |= {f"note/n{number}": note(f"n{number}", f"The garden {number}") for number in range(3)}  # shadows
    files |= {
        f"note/same{number}": note(f"same{number}", f"The {subject} was seen on day {number}")
        for number, subject in enumerate(SUBJECTS)
    }
    files["note/rumour"] = note("rumour", "garden " * 50, relates_to="[note.n5, actor.ada, note.w]")
    files["actor/secret"] = (
        'actor secret { name = "Ada Example" aliases = ["the countess"] relates_to = [actor.ada] }\n'
    )
    files["actor/ada"] = 'actor ada { name = "Ada Example" aliases = ["the countess"] }\n'
    files["note/chinese"] = note("chinese", "园丁在花园里")
    files["other/typed"] = 'secret_type typed { text = "garden" }\n'
    for path, text in files.items():
        target = root / "spaces" / "diary" / f"{path}.firm"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def opened(root: Path, **how: object) -> Vault:
    vault = Vault.open(root, environ={**os.environ, **ENVIRON}, max_age=0, **how)  # type: ignore[arg-type]
    vault.meanings._embedder = real_model()
    return vault


def told(call: Callable[[], object]) -> object:
    """What a call answers, or the error it ends in."""
    try:
        return call()
    except VaultError as error:
        return wire.error(error)


def answers(vault: Vault) -> Iterator[object]:
    """All that a reader is told: results, scores, shares, overviews, hints and errors."""
    for query in QUESTIONS:
        for mode in MODES:
            found = vault.search(query, mode=mode)
            yield wire.found(query, found, vault.cited([result.path for result in found]))
        yield [(each.stored.entry.key, each.score) for each in vault.search(query, fusion="rrf", limit=2)]
    for words in WORDS:
        yield told(lambda words=words: wire.heading(vault.get(words)))  # type: ignore[misc]
        yield [key for key, _ in vault.snapshot().referrers(words)]
    for kind in TYPES:
        yield told(lambda kind=kind: len(vault.search("garden", kind=kind)))  # type: ignore[misc]
        yield told(lambda kind=kind: wire.overview(vault.overview(kind=kind)))  # type: ignore[misc]
    for tag in ("privat", "none"):
        yield [each.stored.entry.key for each in vault.search("garden", tag=tag)]
    yield wire.overview(vault.overview())
    yield share_of(vault)
    yield [wire.heading(stored) for stored in vault.entries()]


def share_of(vault: Vault) -> tuple[int, int]:
    share = vault.meanings.share(vault.snapshot())
    return (share.passages, share.of)


def text_of(root: Path, how: dict[str, object]) -> list[str]:
    with opened(root, **how) as vault:
        return [json.dumps(answer, sort_keys=True, ensure_ascii=False) for answer in answers(vault)]


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("how", "indexed"),
    amount([*zip(READERS, (True, False, True), strict=True)], [*product(READERS, (True, False))]),
    ids=str,
)
def test_every_answer_is_the_same_with_and_without_a_private_space(
    pair: tuple[Path, Path], how: dict[str, object], indexed: bool
) -> None:
    if indexed:
        for root in pair:
            with opened(root) as owner:
                assert reindex.index(owner).share.missing == 0
    with_it, without = (text_of(root, how) for root in pair)
    assert with_it == without


def test_work_inside_a_private_space_changes_no_answer_outside(public: Path) -> None:
    with opened(public) as owner:
        reindex.index(owner)
    before = text_of(public, {})
    fill_diary(public)
    with opened(public, space="diary") as inside:
        for query in QUESTIONS:
            inside.search(query)
    assert text_of(public, {}) == before
    shutil.rmtree(public / "spaces" / "diary")
    assert text_of(public, {}) == before


def test_many_equal_entries_are_chosen_alike_with_and_without_a_private_space(public: Path, tmp_path: Path) -> None:
    """Catalog rows count entries of all scopes, so nothing may depend on them."""
    (public / "global" / "same.firm").write_text("".join(note(f"same{number:03}", "quiet") for number in range(100)))
    without = tmp_path / "without"
    shutil.copytree(public, without)
    many = "".join(note(f"d{number}", "quiet") for number in range(490))
    diary = public / "spaces" / "diary" / "d.firm"
    diary.parent.mkdir(parents=True, exist_ok=True)
    held = (public / "global" / "same.firm").rename(tmp_path / "same.firm")
    diary.write_text(many)
    with opened(public, space="diary") as inside:
        inside.snapshot()
    held.rename(public / "global" / "same.firm")
    found = []
    for root in (public, without):
        with opened(root) as vault:
            asked = [vault.search("quiet", limit=limit, mode=mode) for limit in (3, 10) for mode in MODES]
            found.append([[(each.stored.entry.key, each.score) for each in answer] for answer in asked])
    assert found[0] == found[1]


def test_inside_a_private_space_its_own_and_the_global_are_found(pair: tuple[Path, Path]) -> None:
    root, _ = pair
    with opened(root) as owner:
        reindex.index(owner)
    with opened(root, space="diary") as inside:
        seen = {each.stored.scope for query in QUESTIONS for each in inside.search(query)}
        assert seen == {"global", "diary"}
        assert inside.search("rumour")[0].stored.scope == "diary"
        assert inside.search("The garden 1").embedded == inside.meanings.share(inside.snapshot())
        assert inside.get("actor.secret").scope == "diary"
    with closing(opened(root, all_spaces=True)) as vault:
        seen = {each.stored.scope for query in QUESTIONS for each in vault.search(query)}
        assert seen == {"global", "work"}


def test_a_private_space_has_its_vectors_in_a_folder_of_its_own(pair: tuple[Path, Path]) -> None:
    root, _ = pair
    with opened(root) as owner:
        reindex.index(owner)
        public, private = owner.meanings.tables(owner.snapshot(Reader(owner=True)))
        assert private.store.folder == public.store.folder.parent / "private" / "diary"
        hidden = {digest for digest in private.digests if digest} - {digest for digest in public.digests if digest}
        assert hidden
        assert not any(digest in public.store for digest in hidden)
