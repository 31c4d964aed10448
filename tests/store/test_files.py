"""Files are written whole or not at all, inside the vault, by one writer."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.conftest import Run
from vault.store.files import (
    ForeignVaultDir,
    OutsideVault,
    StaleWrite,
    Unreadable,
    VaultLocked,
    WriteFailed,
    check_unchanged,
    ensure_private_dir,
    file_lock,
    is_file,
    make_derived_dir,
    passes_link,
    read_bytes,
    remove,
    remove_unless_file,
    safe_join,
    vault_lock,
    write_atomic,
)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_read_bytes_returns_content(tmp_path: Path) -> None:
    (tmp_path / "a.firm").write_bytes(b"\xef\xbb\xbfx\r\n")
    assert read_bytes(tmp_path, "a.firm") == b"\xef\xbb\xbfx\r\n"


@pytest.mark.parametrize("path", ["missing.firm", "folder"])
def test_read_bytes_of_no_file_is_unreadable(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unreadable, match=path):
        read_bytes(tmp_path, path)


@pytest.mark.parametrize("path", ["", ".", "/etc/passwd", "../x", "a/../../x", "a\0b", "out/x"])
def test_safe_join_refuses_what_leads_out(tmp_path: Path, path: str) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(OutsideVault):
        safe_join(root, path)


def test_safe_join_follows_a_link_that_stays_inside(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert safe_join(tmp_path, "link/a.firm") == tmp_path / "link" / "a.firm"


def test_write_atomic_keeps_the_mode_of_a_file(tmp_path: Path) -> None:
    target = tmp_path / "a.firm"
    target.write_text("old")
    target.chmod(0o755)
    write_atomic(target, b"new")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    assert names(tmp_path) == ["a.firm"]


def test_write_atomic_gives_a_new_file_the_umask_s_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a.firm", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.firm").stat().st_mode) == 0o640


def test_write_atomic_writes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.firm").write_text("old")
    (tmp_path / "a.firm").symlink_to("real.firm")
    write_atomic(tmp_path / "a.firm", b"new", root=tmp_path)
    assert (tmp_path / "real.firm").read_bytes() == b"new"
    assert (tmp_path / "a.firm").is_symlink()


def test_write_atomic_refuses_a_link_that_leaves_the_vault(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (tmp_path / "secret").write_text("old")
    (root / "a.firm").symlink_to(tmp_path / "secret")
    with pytest.raises(OutsideVault):
        write_atomic(root / "a.firm", b"new", root=root)
    assert (tmp_path / "secret").read_text() == "old"


def test_write_atomic_into_no_folder_fails(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed):
        write_atomic(tmp_path / "none" / "a.firm", b"new")


def test_write_atomic_that_does_not_fit_leaves_the_old_content(tmp_path: Path, run_child: Run) -> None:
    target = tmp_path / "a.firm"
    target.write_text("old")
    script = """
import resource, signal, sys
from pathlib import Path
from vault.store.files import WriteFailed, write_atomic
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomic(Path(sys.argv[1]), b"x" * 5000)
except WriteFailed as error:
    print(error.code)
"""
    assert run_child(script, str(target)).stdout == "write-failed\n"
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.firm"]


def test_check_unchanged_compares_content(tmp_path: Path) -> None:
    target = tmp_path / "a.firm"
    check_unchanged(target, None)
    target.write_text("old")
    check_unchanged(target, b"old")
    for expected in (b"other", None):
        with pytest.raises(StaleWrite, match=r"a\.firm"):
            check_unchanged(target, expected, "a.firm")


def test_private_dir_ignores_itself(tmp_path: Path) -> None:
    private = ensure_private_dir(tmp_path)
    assert (private / ".gitignore").read_text() == "*\n"
    (private / ".gitignore").write_text("*\n!kept\n")
    ensure_private_dir(tmp_path)
    assert (private / ".gitignore").read_text() == "*\n!kept\n"


def test_private_dir_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".vault").write_text("mine")
    with pytest.raises(ForeignVaultDir):
        ensure_private_dir(tmp_path)
    assert (tmp_path / ".vault").read_text() == "mine"


def test_private_dir_that_leads_out_is_refused(tmp_path: Path) -> None:
    root, other = tmp_path / "vault", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / ".vault").symlink_to(other)
    with pytest.raises(ForeignVaultDir):
        ensure_private_dir(root)
    assert names(other) == []


HOLD = """
import sys
from pathlib import Path
from vault.store.files import vault_lock
with vault_lock(Path(sys.argv[1]), timeout=5, token=None) as token:
    print(token, flush=True)
    sys.stdin.read()
"""


def test_lock_names_the_process_that_holds_it(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        token = holder.stdout.readline().strip()
        with pytest.raises(VaultLocked) as refused, vault_lock(tmp_path, timeout=0, token=None):
            pass
        assert refused.value.pid == holder.pid
        with pytest.raises(VaultLocked), vault_lock(tmp_path, timeout=0, token="another"):  # noqa: S106
            pass
        with vault_lock(tmp_path, timeout=0, token=token) as inherited:
            assert inherited == token
        assert json.loads((tmp_path / ".vault" / "lock.json").read_text())["token"] == token
        holder.communicate("")
    with vault_lock(tmp_path, timeout=5, token=None) as fresh:
        assert fresh != token


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        token = holder.stdout.readline().strip()
        holder.kill()
    with vault_lock(tmp_path, timeout=5, token=token) as own:
        assert own != token


def test_what_is_in_the_way_is_removed(tmp_path: Path) -> None:
    for name in ("file", "folder", "link"):
        remove_unless_file(tmp_path / name)
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("folder")
    remove_unless_file(tmp_path / "file")
    assert (tmp_path / "file").exists()
    make_derived_dir(tmp_path / "link")
    assert (tmp_path / "link").is_dir()
    assert not (tmp_path / "link").is_symlink()
    for name in ("file", "folder", "link", "none", "file/below"):
        remove(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_cannot_be_made_is_a_failed_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "none" / "deep" / "lock", tmp_path / "file" / "deep" / "lock", Path("/proc/self/lock")):
        with pytest.raises(WriteFailed), file_lock(place, timeout=0):
            pass


def test_a_path_through_a_link_is_told(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert passes_link(tmp_path, "link/a")
    assert not passes_link(tmp_path, "real/a")
    assert is_file(tmp_path / "link" / "a")
    assert not is_file(Path(f"{tmp_path}/a\0b"))
