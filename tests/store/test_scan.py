"""The stat scan: which files there are, and when a stamp can be trusted."""

import os
from pathlib import Path

from vault.store.bundled import schema_texts
from vault.store.exclusions import Exclusions
from vault.store.scan import ABSENT, Stamp, is_fresh, scan, stamp_of


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_scan_finds_files_below_folders_and_passes_over_git(tmp_path: Path) -> None:
    make(tmp_path, "global/a.firm", "global/deep/er/b.firm", "other/c.firm", "global/.vault/x", "global/.x.tmp~")
    found = scan(tmp_path, ("global", "missing"), None)
    assert set(found.files) == {"global/a.firm", "global/deep/er/b.firm"}
    assert set(scan(tmp_path, ("",), None).files) == {"global/a.firm", "global/deep/er/b.firm", "other/c.firm"}


def test_scan_asks_what_is_ignored(tmp_path: Path) -> None:
    make(tmp_path, "global/a.firm", "global/out/b.firm", "global/c.tmp")
    (tmp_path / "global" / ".gitignore").write_text("*.tmp\nout/\n")
    found = scan(tmp_path, ("global",), Exclusions(tmp_path))
    assert set(found.files) == {"global/a.firm", "global/.gitignore"}


def test_scan_follows_no_link(tmp_path: Path) -> None:
    make(tmp_path, "global/real/a.firm", "real/b.firm")
    for name, target in {"again": "real", "up": ".", "loop": "loop", "file.firm": "real/a.firm", "no": "x"}.items():
        (tmp_path / "global" / name).symlink_to(target)
    (tmp_path / "schema").symlink_to("real")
    found = scan(tmp_path, ("global", "schema"), None)
    assert set(found.links) == {*(f"global/{name}" for name in ("again", "file.firm", "loop", "no", "up")), "schema"}
    assert set(found.files) == {"global/real/a.firm"}


def test_scan_passes_over_other_repositories(tmp_path: Path) -> None:
    make(tmp_path, ".git/x", "a.firm", "global/a.firm", "global/sub/.git", "global/sub/b.firm")
    assert set(scan(tmp_path, ("",), None).files) == {"a.firm", "global/a.firm"}


def test_scan_leaves_out_names_that_are_not_text(tmp_path: Path) -> None:
    make(tmp_path, "global/a.firm")
    folder = os.fsencode(tmp_path) + b"/global/"
    for name in (b"\xff.firm", b"\xe9.png"):
        (Path(os.fsdecode(folder + name))).write_text("x")
    Path(os.fsdecode(folder + b"d\xff")).mkdir()
    found = scan(tmp_path, ("global",), Exclusions(tmp_path))
    assert set(found.files) == {"global/a.firm"}
    assert found.misnamed == ["global/d\\xff", "global/\\xe9.png", "global/\\xff.firm"]


def test_a_stamp_is_trusted_once_the_clock_has_ticked(tmp_path: Path) -> None:
    make(tmp_path, "a")
    assert stamp_of(tmp_path / "a").size == 1
    assert stamp_of(tmp_path / "b") == ABSENT == stamp_of(tmp_path / "a\0b")
    just = Stamp(1, 10**18 + 5, 10**18 + 5, 1)
    assert not is_fresh(just, 10**18 + 10_000_000)
    assert is_fresh(just, 10**18 + 100_000_000)
    whole = Stamp(1, 10**18, 10**18, 1)
    assert not is_fresh(whole, 10**18 + 1_000_000_000)
    assert is_fresh(whole, 10**18 + 3_000_000_000)


def test_the_shipped_schemas_are_there() -> None:
    assert set(schema_texts()) == {"actor", "thing", "fact", "output", "note"}
    assert set(schema_texts("internal")) == {"source", "proposal", "turn"}
