"""Which files belong to a folder: the answer is git's own, on any tree of rules, tracked and forced paths."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.endurance import amount, is_long
from tests.store.conftest import Work
from vault.store.exclusions import Exclusions
from vault.store.scan import scan

FOLDERS = ("", "a/", "b/", "a/deep/", "B/")
NAMES = ("x.firm", "y.firm", "X.firm", "z.tmp", "a")
PATTERNS = (
    "*.firm", "!x.firm", "a/", "/b", "!b/", "deep", "**/z.tmp", "x.*", "a/**", "!a/deep/", "B/", "*", "!*/", "#",
)  # fmt: skip
RULE_FILES = (".gitignore", "a/.gitignore", "b/.gitignore", "info/exclude", "personal")

rules = st.dictionaries(
    st.sampled_from(RULE_FILES), st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4), max_size=4
)
paths = st.sets(st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES)), min_size=1, max_size=10)


def git(root: Path, *words: str) -> str:
    home = {"HOME": str(root.parent / "home"), "XDG_CONFIG_HOME": str(root.parent / "home")}
    ended = subprocess.run(
        ["git", *words], cwd=root, env={**os.environ, **home}, capture_output=True, text=True, check=True
    )
    return ended.stdout


def write(place: Path, text: str) -> None:
    """Write a file, unless a file stands where a folder is needed or the other way round."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        pass


def build(root: Path, found: dict[str, list[str]], files: set[str], forced: set[str], *, ignore_case: bool) -> None:
    """Make a repository whose `forced` files are tracked whatever the rules say."""
    root.mkdir()
    git(root, "init", "--quiet")
    git(root, "config", "core.ignoreCase", "true" if ignore_case else "false")
    for path in sorted(files | forced):
        write(root / path, path)
    for path in sorted(forced):
        if (root / path).is_file():
            git(root, "add", "--force", path)
    for name, lines in found.items():
        place = {"info/exclude": root / ".git/info/exclude", "personal": root.parent / "home/git/ignore"}
        write(place.get(name, root / name), "\n".join(lines) + "\n")


@pytest.mark.endurance
@settings(max_examples=amount(40, 3000), derandomize=not is_long())
@given(rules, paths, paths, st.booleans())
def test_scan_sees_what_git_sees(
    found: dict[str, list[str]], files: set[str], forced: set[str], ignore_case: bool
) -> None:
    if ignore_case:  # on such a file system two names never differ by case alone
        files, forced = ({path.lower() for path in some} for some in (files, forced))
    folder = Path(tempfile.mkdtemp(prefix="exclusions-")).resolve()
    try:
        root = folder / "tree"
        build(root, found, files, forced, ignore_case=ignore_case)
        listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        expected = {path for path in listed if path and (root / path).is_file()}
        exclusions = Exclusions(root, environ={"XDG_CONFIG_HOME": str(folder / "home")})
        assert set(scan(root, [""], exclusions).files) == expected
    finally:
        shutil.rmtree(folder)


class Memory:
    """Remembers as the catalog does."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def meta(self, name: str) -> str:
        """Return what was remembered."""
        return self.texts.get(name, "")


def test_tracked_paths_are_read_again_only_when_the_index_changed(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    begun.write("global/x.firm", "x\n")
    begun.git("add", "--force", "global/x.firm")
    begun.write(".gitignore", "*.firm\n")
    memory = Memory()
    first = Exclusions(begun.root, memory=memory)
    assert not first.matches("global/x.firm", is_dir=False)
    assert first.matches("global/y.firm", is_dir=False)
    memory.texts |= first.learned
    again = Exclusions(begun.root, memory=memory)
    assert not again.matches("global/x.firm", is_dir=False)
    assert again.learned == {}
    begun.git("rm", "--cached", "--quiet", "global/x.firm")
    later = Exclusions(begun.root, memory=memory)
    assert later.matches("global/x.firm", is_dir=False)
    assert later.learned


def test_the_rule_that_excludes_a_file_is_named(begun: Work) -> None:
    personal = begun.root.parent / "rules"
    personal.write_text("# mine\n*.own\n")
    begun.git("config", "core.excludesFile", str(personal))
    begun.write(".gitignore", "\n*.tmp\n")
    exclusions = Exclusions(begun.root)
    own, shared = exclusions.pattern("global/x.own"), exclusions.pattern("global/x.tmp")
    assert own
    assert shared
    assert (own.file, own.number, exclusions.is_outside(own)) == (personal, 2, True)
    assert (shared.file, shared.number, exclusions.is_outside(shared)) == (begun.root / ".gitignore", 2, False)
    assert exclusions.pattern("global/x.firm") is None


def test_a_linked_worktree_has_the_rules_of_its_repository(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    exclude = begun.top / ".git/info/exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("*.tmp\n")
    assert Exclusions(tmp_path / "side").matches("x.tmp", is_dir=False)


def test_a_tracked_file_of_a_sparse_checkout_may_be_absent(begun: Work) -> None:
    begun.write("global/hidden.firm", "x\n")
    begun.git("add", ".")
    begun.git("commit", "--quiet", "--message=More")
    begun.git("update-index", "--skip-worktree", "global/hidden.firm")
    (begun.root / "global/hidden.firm").unlink()
    assert begun.open().status() == []


def test_other_repositories_are_named_and_not_entered(tmp_path: Path) -> None:
    for path in ("global/a.firm", "global/sub/.git/HEAD", "global/sub/b.firm"):
        write(tmp_path / path, "x")
    found = scan(tmp_path, [""], Exclusions(tmp_path))
    assert set(found.files) == {"global/a.firm"}
    assert found.repositories == ["global/sub"]
