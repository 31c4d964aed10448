"""Writes of several files land together, whatever kills the process or fills the disk."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.store.conftest import Run, Work
from vault.store.files import StaleWrite, WriteFailed
from vault.store.git import publish_record
from vault.store.journal import (
    FileWrite,
    Journal,
    JournalBusy,
    JournalDamaged,
    Recovery,
    journal_dir,
    pending,
    recover,
)

CHANGED, MADE, GONE = "global/changed.firm", "spaces/s/note/made.firm", "global/note/gone.firm"
WRITES = (
    FileWrite(CHANGED, b"old", b"new"),
    FileWrite(MADE, None, b"made"),
    FileWrite(GONE, b"gone", None),
)
BEFORE = {CHANGED: b"old", GONE: b"gone"}
AFTER = {CHANGED: b"new", MADE: b"made"}


def never(record: Mapping[str, object]) -> None:
    raise AssertionError(record)


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not {".vault", ".git"} & set(path.relative_to(root).parts)
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault with the files the write changes."""
    for path, data in BEFORE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path


def test_journal_applies_all_writes(root: Path) -> None:
    journal = Journal.begin(root, WRITES)
    assert files(root) == BEFORE
    assert pending(root)
    journal.apply()
    journal.finish()
    assert files(root) == AFTER
    assert not pending(root)
    assert not (root / GONE).parent.exists()


def test_journal_refuses_a_file_that_changed(root: Path) -> None:
    (root / GONE).write_bytes(b"other")
    with pytest.raises(StaleWrite, match="gone"):
        Journal.begin(root, WRITES)
    assert not (root / ".vault").exists()


def test_journal_refuses_a_second_write(root: Path) -> None:
    Journal.begin(root, WRITES)
    with pytest.raises(JournalBusy):
        Journal.begin(root, WRITES)


def test_undo_restores_everything_but_a_third_content(root: Path) -> None:
    (root / GONE).chmod(0o600)
    journal = Journal.begin(root, WRITES)
    journal.apply()
    (root / CHANGED).write_bytes(b"third")
    assert journal.undo() == (CHANGED,)
    assert files(root) == {**BEFORE, CHANGED: b"third"}
    assert stat.S_IMODE((root / GONE).stat().st_mode) == 0o600
    assert not pending(root)


def test_undo_removes_the_folders_a_write_made(root: Path) -> None:
    journal = Journal.begin(root, WRITES)
    journal.apply()
    journal.undo()
    assert not (root / "spaces/s/note").exists()


def test_recover_without_a_journal_is_nothing(root: Path) -> None:
    assert recover(root, never) is None
    assert not (root / ".vault").exists()


def test_recover_undoes_a_write_without_a_commit(root: Path) -> None:
    Journal.begin(root, WRITES).apply()
    assert recover(root, never) == Recovery("undone", tuple(write.path for write in WRITES))
    assert files(root) == BEFORE


def test_recover_finishes_a_write_with_a_commit(root: Path) -> None:
    journal = Journal.begin(root, WRITES)
    journal.committing({"commit": "c0ffee"})
    seen: list[Mapping[str, object]] = []
    assert recover(root, seen.append) == Recovery("finished", tuple(write.path for write in WRITES))
    assert seen == [{"commit": "c0ffee"}]
    assert files(root) == AFTER


def test_recover_keeps_the_journal_while_publishing_fails(root: Path) -> None:
    journal = Journal.begin(root, WRITES)
    journal.apply()
    journal.committing({})
    with pytest.raises(AssertionError):
        recover(root, never)
    assert pending(root)


def test_what_was_staged_and_never_counted_is_no_journal(root: Path) -> None:
    Journal.begin(root, WRITES)
    journal_dir(root).rename(journal_dir(root).with_name("journal.new"))
    assert recover(root, never) is None
    assert files(root) == BEFORE
    Journal.begin(root, WRITES).finish()
    assert [place.name for place in (root / ".vault").glob("journal*")] == []


@pytest.mark.parametrize("damage", ["journal.json", "0.before"])
@pytest.mark.parametrize("content", [b"{", b"", None])
def test_a_damaged_journal_is_neither_applied_nor_deleted(root: Path, damage: str, content: bytes | None) -> None:
    Journal.begin(root, WRITES).apply()
    spoil(journal_dir(root) / damage, content)
    with pytest.raises(JournalDamaged) as caught:
        recover(root, never)
    assert files(root) == AFTER
    assert (journal_dir(root) / "2.before").read_bytes() == b"gone"
    named = [] if damage == "journal.json" else [write.path for write in WRITES]
    assert caught.value.details["files"] == named
    with pytest.raises(JournalBusy):
        Journal.begin(root, [])


def test_a_changed_path_in_a_journal_is_damage(root: Path) -> None:
    Journal.begin(root, WRITES)
    declared = journal_dir(root) / "journal.json"
    declared.write_bytes(declared.read_bytes().replace(b"made.firm", b"Made.firm"))
    with pytest.raises(JournalDamaged, match=r"journal\.json has changed"):
        recover(root, never)
    assert files(root) == BEFORE


def spoil(place: Path, content: bytes | None) -> None:
    if content is None:
        place.unlink()
    else:
        place.write_bytes(content)


KILLED = """
import os, signal, sys
from pathlib import Path
from vault.store import files, journal

root, stage, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def dying(function):
    calls = iter(range(count))
    def call(*args, **kwargs):
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return call

os.replace = dying(os.replace) if stage == "replace" else os.replace
os.fsync = dying(os.fsync) if stage == "fsync" else os.fsync
os.unlink = dying(os.unlink) if stage == "unlink" else os.unlink
made = journal.Journal.begin(root, [
    journal.FileWrite("global/changed.firm", b"old", b"new"),
    journal.FileWrite("spaces/s/note/made.firm", None, b"made"),
    journal.FileWrite("global/note/gone.firm", b"gone", None),
])
made.apply()
made.committing({"commit": "c0ffee"})
made.finish()
print("done")
"""


@pytest.mark.parametrize("stage", ["fsync", "unlink", "replace"])
@pytest.mark.parametrize("count", range(0, 20, 2))
def test_a_killed_write_leaves_all_or_nothing(root: Path, run_child: Run, stage: str, count: int) -> None:
    run_child(KILLED, str(root), stage, str(count))
    published: list[Mapping[str, object]] = []
    done = recover(root, published.append)
    assert files(root) in (BEFORE, AFTER)
    if done is not None:
        assert files(root) == (AFTER if published else BEFORE)
    assert not pending(root)
    assert recover(root, never) is None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB; without the right to mount one, a limit on what a file may hold."""
    place = tmp_path / "small"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(words, check=False, capture_output=True).returncode:
        former = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, hard))
        yield place
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, former)
        return
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_changes_nothing(small_disk: Path) -> None:
    target = small_disk / "global" / "a.firm"
    target.parent.mkdir()
    target.write_bytes(b"old")
    writes = [
        FileWrite("global/a.firm", b"old", b"x" * 100_000),
        FileWrite("global/b.firm", None, b"y" * 400_000),
    ]
    with pytest.raises(WriteFailed):
        Journal.begin(small_disk, writes)
    assert files(small_disk) == {"global/a.firm": b"old"}
    assert not pending(small_disk)


def test_a_file_too_large_changes_nothing(root: Path, run_child: Run) -> None:
    script = """
import resource, signal, sys
from pathlib import Path
from vault.store.files import WriteFailed
from vault.store.journal import FileWrite, Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
try:
    Journal.begin(Path(sys.argv[1]), [
        FileWrite("global/changed.firm", b"old", b"new"),
        FileWrite("global/big.firm", None, b"y" * 9000),
    ])
except WriteFailed as error:
    print(error.code)
"""
    assert run_child(script, str(root)).stdout == "write-failed\n"
    assert files(root) == BEFORE
    assert not pending(root)


COMMIT_KILLED = """
import os, signal, sys
from pathlib import Path
from vault.store import journal
from vault.store.git import Repository, hooks, publish, refs

root, stage = Path(sys.argv[1]), sys.argv[2]
repo = Repository.discover(root)

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

if stage == "index":
    publish.write_index = die
if stage == "ref":
    publish.set_ref = die
if stage == "reflog":
    publish.append_reflog = die
contents = {"global/a.firm": b"changed\\n", "global/b.firm": None, "global/c.firm": b"c\\n"}
writes = [journal.FileWrite("global/a.firm", b"a\\n", b"changed\\n"),
          journal.FileWrite("global/b.firm", b"b\\n", None),
          journal.FileWrite("global/c.firm", None, b"c\\n")]
with repo.transaction(contents, os.environ, lock_token="dead") as made:
    if stage == "begin":
        die()
    written = journal.Journal.begin(root, writes)
    if stage == "journal":
        die()
    written.apply()
    if stage == "files":
        die()
    made.pre_commit()
    commit = made.write("Change three files")
    if stage == "commit":
        die()
    written.committing(made.record())
    if stage == "record":
        die()
    made.publish()
    if stage == "publish":
        die()
    written.finish()
    if stage == "finish":
        die()
"""


@pytest.mark.parametrize("stage", ["begin", "journal", "files", "commit"])
def test_a_commit_killed_early_is_undone(begun: Work, run_child: Run, stage: str) -> None:
    head = begun.git("rev-parse", "HEAD")
    assert run_child(COMMIT_KILLED, str(begun.root), stage).returncode == -9
    repo = begun.open()
    recover(begun.root, lambda record: publish_record(repo, record))
    assert repo.release_stale_lock("alive")
    assert begun.git("rev-parse", "HEAD") == head
    assert begun.porcelain() == ""
    begun.assert_sound()
    begun.commit({"global/a.firm": b"later\n"})
    assert begun.porcelain() == ""


@pytest.mark.parametrize("stage", ["record", "index", "ref", "reflog", "publish"])
def test_a_commit_killed_late_is_finished(begun: Work, run_child: Run, stage: str) -> None:
    assert run_child(COMMIT_KILLED, str(begun.root), stage).returncode == -9
    repo = begun.open()
    done = recover(begun.root, lambda record: publish_record(repo, record))
    assert done is not None
    assert done.action == "finished"
    assert begun.git("log", "--format=%s") == "Change three files\nBegin\n"
    assert len(begun.git("reflog", "main").splitlines()) == 2
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_a_commit_killed_after_all_leaves_only_the_lock(begun: Work, run_child: Run) -> None:
    assert run_child(COMMIT_KILLED, str(begun.root), "finish").returncode == -9
    assert not pending(begun.root)
    begun.commit({"global/a.firm": b"later\n"})
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_recovery_twice_is_recovery_once(begun: Work, run_child: Run) -> None:
    run_child(COMMIT_KILLED, str(begun.root), "record")
    record = json.loads((journal_dir(begun.root) / "journal.json").read_text())["publish"]
    repo = begun.open()
    recover(begun.root, lambda record: publish_record(repo, record))
    assert publish_record(repo, record)
    begun.commit({"global/a.firm": b"later\n"})
    assert publish_record(repo, record)
    assert begun.git("rev-list", "--count", "HEAD") == "3\n"
    assert begun.porcelain() == ""


def test_recovery_leaves_a_branch_that_moved_on(begun: Work, run_child: Run) -> None:
    run_child(COMMIT_KILLED, str(begun.root), "record")
    (begun.top / ".git" / "index.lock").unlink()
    begun.git("commit", "--quiet", "--allow-empty", "--message=By hand")
    repo = begun.open()
    results = []
    recover(begun.root, lambda record: results.append(publish_record(repo, record)))
    assert results == [False]
    assert begun.git("log", "--format=%s", "-1") == "By hand\n"
    assert (begun.root / "global/a.firm").read_bytes() == b"changed\n"
    begun.assert_sound()


def test_the_environment_of_children_is_the_test_s(run_child: Run) -> None:
    assert run_child("import os; print(os.environ['HOME'])").stdout.strip() == os.environ["HOME"]
