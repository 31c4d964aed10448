"""The stat scan: which files there are, and when a stamp can be trusted."""

from pathlib import Path

from vault.store.bundled import schema_texts
from vault.store.ignore import Ignored
from vault.store.scan import ABSENT, Stamp, is_fresh, scan, stamp_of


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_scan_finds_files_below_folders_and_passes_over_git(tmp_path: Path) -> None:
    make(tmp_path, "global/a.firm", "global/deep/er/b.firm", "other/c.firm", "global/.git/x", "global/.x.tmp~")
    found = scan(tmp_path, ("global", "missing"), None)
    assert set(found.files) == {"global/a.firm", "global/deep/er/b.firm"}
    assert set(scan(tmp_path, ("",), None).files) == {"global/a.firm", "global/deep/er/b.firm", "other/c.firm"}


def test_scan_asks_what_is_ignored(tmp_path: Path) -> None:
    make(tmp_path, "global/a.firm", "global/out/b.firm", "global/c.tmp")
    (tmp_path / "global" / ".gitignore").write_text("*.tmp\nout/\n")
    found = scan(tmp_path, ("global",), Ignored(tmp_path))
    assert set(found.files) == {"global/a.firm", "global/.gitignore"}


def test_scan_follows_links_inside_once_and_none_that_leave(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    make(root, "global/real/a.firm")
    make(tmp_path, "outside/b.firm")
    (root / "global" / "again").symlink_to(root / "global" / "real")
    (root / "global" / "loop").symlink_to(root / "global")
    (root / "global" / "away").symlink_to(tmp_path / "outside")
    (root / "global" / "dangling").symlink_to(root / "nothing")
    (root / "global" / "file.firm").symlink_to(root / "global" / "real" / "a.firm")
    found = scan(root, ("global",), None)
    assert found.leaving == ["global/away"]
    assert "global/file.firm" in found.files
    assert len([path for path in found.files if path.endswith("/a.firm")]) <= 2


def test_a_stamp_is_trusted_once_the_clock_has_ticked(tmp_path: Path) -> None:
    make(tmp_path, "a")
    assert stamp_of(tmp_path / "a").size == 1
    assert stamp_of(tmp_path / "b") == ABSENT
    just = Stamp(1, 10**18 + 5, 10**18 + 5, 1)
    assert not is_fresh(just, 10**18 + 10_000_000)
    assert is_fresh(just, 10**18 + 100_000_000)
    whole = Stamp(1, 10**18, 10**18, 1)
    assert not is_fresh(whole, 10**18 + 1_000_000_000)
    assert is_fresh(whole, 10**18 + 3_000_000_000)


def test_the_shipped_schemas_are_there() -> None:
    assert set(schema_texts()) == {"actor", "thing", "fact", "output", "note"}
    assert set(schema_texts("internal")) == {"source", "proposal", "turn"}
