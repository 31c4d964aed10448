"""The ledger follows history, whatever is done to it, and is the same as one made from nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import sql
from vault.model.settings import Settings
from vault.store.git import Repository
from vault.store.ledger import Ledger
from vault.workspace.layout import Layout
from vault.workspace.ledger_sync import Chronicle


class History:
    """A repository, its ledger, and a clock that goes on by a day at each commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.ledger = Ledger.open(None)

    def git(self, *words: str) -> str:
        """Run git, at the time the clock shows."""
        environ = {**os.environ, "GIT_COMMITTER_DATE": f"{1_600_000_000 + self.day * 86_400} +0000"}
        ended = subprocess.run(["git", *words], cwd=self.root, env=environ, capture_output=True, text=True, check=True)
        return ended.stdout.strip()

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, message: str = "Change") -> str:
        """Commit all there is, a day later; returns the commit."""
        self.day += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def update(self, ledger: Ledger | None = None) -> int:
        """Bring a ledger to HEAD."""
        repository = Repository.discover(self.root)
        assert repository is not None
        return Chronicle(Layout(self.root, Settings()), repository, ledger or self.ledger).run()

    def equal_to_a_rebuild(self) -> None:
        """Assert that the ledger is what one made from nothing is."""
        fresh = Ledger.open(None)
        self.update(fresh)
        assert self.ledger.content() == fresh.content()
        fresh.close()

    def events(self) -> list[tuple[str, str | None, str | None]]:
        """Each event's key with the names before and after, in order."""
        return sql(
            self.ledger,
            "SELECT e.key, o.name, w.name FROM events e LEFT JOIN contents o ON o.id = e.old"
            " LEFT JOIN contents w ON w.id = e.new ORDER BY e.n, e.k, e.key",
        )

    def held(self, number: int) -> list[tuple[str, str]]:
        """What the vault held at a commit of the chain."""
        return sql(
            self.ledger,
            "SELECT c.key, c.name FROM states s JOIN contents c ON c.id = s.content"
            " WHERE s.since <= ?1 AND (s.until IS NULL OR s.until > ?1) ORDER BY c.key",
            [number],
        )


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "repo")
    yield made
    made.ledger.close()


def entry(ident: str, name: str) -> str:
    return f'thing {ident} {{\n    name = "{name}"\n}}\n'


def test_an_empty_repository_has_an_empty_ledger(history: History) -> None:
    assert history.update() == 0
    assert history.ledger.tip() == -1


def test_versions_follow_each_other(history: History) -> None:
    history.write("global/thing/a.firm", entry("a", "One"))
    history.commit()
    assert history.update() == 1
    history.write("global/thing/a.firm", entry("a", "Two"))
    history.write("README", "not an entry")
    history.commit()
    (history.root / "global/thing/a.firm").unlink()
    history.commit()
    assert history.update() == 2
    assert history.events() == [("thing.a", None, "One"), ("thing.a", "One", "Two"), ("thing.a", "Two", None)]
    assert [history.held(number) for number in range(3)] == [[("thing.a", "One")], [("thing.a", "Two")], []]
    history.equal_to_a_rebuild()


def test_a_move_keeps_the_entry(history: History) -> None:
    history.write("global/thing/a.firm", entry("a", "One") + entry("b", "B"))
    history.commit()
    history.write("global/thing/a.firm", entry("b", "B"))
    history.write("global/other.firm", entry("a", "One"))
    history.commit()
    history.update()
    rows = sql(history.ledger, "SELECT key, path, old_path FROM events WHERE n = 1")
    assert rows == [("thing.a", "global/other.firm", "global/thing/a.firm")]
    assert history.held(1) == [("thing.a", "One"), ("thing.b", "B")]
    history.equal_to_a_rebuild()


def texts(history: History) -> list[tuple[str, bool, str | None, str | None]]:
    """Each event's key, whether its content is the same, and the texts beside it before and after."""
    rows = sql(history.ledger, "SELECT key, old IS new, old_text, new_text FROM events ORDER BY n, k, key")
    return [
        (key, bool(alike), old and history.git("cat-file", "-p", old), new and history.git("cat-file", "-p", new))
        for key, alike, old, new in rows
    ]


def test_a_text_beside_an_entry_is_the_entrys(history: History) -> None:
    history.write("global/thing/a.firm", 'thing a { text_file = path"a.md" }\n')
    history.write("global/thing/a.md", "One")
    history.commit()
    history.write("global/thing/a.md", "Two")
    history.write("global/thing/free.md", "of nobody")
    history.commit()
    history.write("global/thing/a.firm", 'thing a { name = "A" text_file = path"a.md" }\n')
    history.commit()
    (history.root / "global/thing/a.md").unlink()
    history.commit()
    history.update()
    assert texts(history) == [
        ("thing.a", False, None, "One"),
        ("thing.a", True, "One", "Two"),
        ("thing.a", False, "Two", "Two"),
        ("thing.a", True, "Two", None),
    ]
    assert len(history.ledger.history("thing.a")) == 4
    history.equal_to_a_rebuild()


def test_a_text_that_a_branch_changed_is_the_entrys_there(history: History) -> None:
    history.write("global/thing/a.firm", 'thing a { text_file = path"t.md" }\n')
    history.write("global/thing/t.md", "One")
    history.commit()
    history.git("switch", "-q", "-c", "topic")
    history.write("global/thing/b.firm", 'thing b { text_file = path"t.md" }\n')
    history.write("global/thing/a.firm", "thing a { }\n")
    history.commit()
    history.write("global/thing/t.md", "Two")
    history.commit()
    history.git("switch", "-q", "main")
    history.day += 1
    history.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    history.update()
    assert texts(history) == [
        ("thing.a", False, None, "One"),
        ("thing.a", False, "One", None),
        ("thing.b", False, None, "One"),
        ("thing.b", True, "One", "Two"),
    ]
    history.equal_to_a_rebuild()


def test_a_comment_touches_the_entries_of_its_file_and_makes_nothing_of_them(history: History) -> None:
    history.write("global/both.firm", entry("a", "A") + entry("b", "B"))
    history.commit()
    history.write("global/both.firm", "// two things\n" + entry("a", "A") + entry("b", "B"))
    history.commit()
    history.write("global/both.firm", entry("a", "A") + entry("b", "Other"))
    history.commit()
    history.update()
    rows = sql(history.ledger, "SELECT n, key FROM events ORDER BY n, key")
    assert rows == [(0, "thing.a"), (0, "thing.b"), (1, "thing.a"), (1, "thing.b"), (2, "thing.b")]
    assert [change.told.subject for change in history.ledger.history("thing.a")] == ["Change"]
    history.equal_to_a_rebuild()


def test_a_merge_brings_in_the_commits_of_its_branch(history: History) -> None:
    history.write("global/thing/a.firm", entry("a", "One"))
    history.commit("base")
    history.git("switch", "-q", "-c", "topic")
    history.write("global/thing/b.firm", entry("b", "B1"))
    history.commit("b1")
    history.write("global/thing/b.firm", entry("b", "B2"))
    history.commit("b2")
    history.git("switch", "-q", "main")
    history.write("global/thing/a.firm", entry("a", "Two"))
    history.commit("a2")
    history.update()
    history.day += 1
    history.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    history.update()
    rows = sql(history.ledger, "SELECT subject, n, k FROM commits ORDER BY n, k")
    assert rows == [("base", 0, 0), ("a2", 1, 0), ("b1", 2, 0), ("b2", 2, 1), ("merge", 2, 2)]
    assert history.held(2) == [("thing.a", "Two"), ("thing.b", "B2")]
    assert history.events()[-2:] == [("thing.b", None, "B1"), ("thing.b", "B1", "B2")]
    history.equal_to_a_rebuild()


def test_a_rewritten_branch_is_followed_from_the_fork(history: History) -> None:
    for name in ("One", "Two", "Three"):
        history.write("global/thing/a.firm", entry("a", name))
        history.commit()
    history.update()
    history.git("reset", "-q", "--hard", "HEAD~2")
    history.write("global/thing/a.firm", entry("a", "Other"))
    history.commit()
    assert history.update() == 1
    assert history.held(1) == [("thing.a", "Other")]
    history.equal_to_a_rebuild()
    history.git("commit", "-q", "--amend", "-m", "amended")
    history.update()
    history.equal_to_a_rebuild()


def test_a_shallow_clone_begins_where_it_ends(history: History, tmp_path: Path) -> None:
    for name in ("One", "Two", "Three"):
        history.write("global/thing/a.firm", entry("a", name))
        history.commit()
    clone = tmp_path / "clone"
    history.git("clone", "-q", "--depth", "2", f"file://{history.root}", str(clone))
    whole = history.root
    history.root = clone
    assert history.update() == 2
    assert history.events() == [("thing.a", None, "Two"), ("thing.a", "Two", "Three")]
    history.git("fetch", "-q", "--unshallow")
    assert history.update() == 3
    history.equal_to_a_rebuild()
    history.root = whole


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "write",
                "write",
                "beside",
                "text",
                "comment",
                "delete",
                "move",
                "branch",
                "switch",
                "merge",
                "amend",
                "update",
            ]
        ),
        st.integers(0, 2),
        st.integers(0, 9),
    ),
    max_size=14,
)


@settings(max_examples=25)
@given(steps=STEPS)
def test_after_any_steps_the_ledger_equals_a_rebuild(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    history = History(tmp_path_factory.mktemp("any") / "repo")
    history.write("global/thing/e0.firm", entry("e0", "first"))
    history.commit()
    for action, which, number in steps:
        _do(history, action, which, number)
    history.update()
    history.equal_to_a_rebuild()
    history.ledger.close()


def _do(history: History, action: str, which: int, number: int) -> None:
    place = f"global/thing/e{which}.firm"
    written = {
        "write": (place, entry(f"e{which}", f"n{number}")),
        "beside": (place, f'thing e{which} {{ text_file = path"t{number % 2}.md" }}\n'),
        "text": (f"global/thing/t{which % 2}.md", f"text {number}"),
    }
    if action in written:
        history.write(*written[action])
        history.commit()
    elif action in ("delete", "move", "comment"):
        if (history.root / place).exists():
            _change(history, action, place, number)
    else:
        _branch(history, action, which, number)


def _change(history: History, action: str, place: str, number: int) -> None:
    there = history.root / place
    if action == "delete":
        there.unlink()
    elif action == "move":
        there.rename(there.with_stem(f"{there.stem}_{number}"))
    else:
        there.write_text(f"{there.read_text()}// {number}\n")
    history.commit()


def _branch(history: History, action: str, which: int, number: int) -> None:
    if action == "branch":
        history.git("switch", "-q", "-C", f"b{which}")
    elif action == "switch":
        names = history.git("branch", "--format=%(refname:short)").split()
        history.git("switch", "-q", names[number % len(names)])
    elif action == "merge":
        names = history.git("branch", "--format=%(refname:short)").split()
        history.day += 1
        try:
            history.git("merge", "-q", "--no-ff", "-m", "merge", names[number % len(names)])
        except subprocess.CalledProcessError:
            history.git("reset", "-q", "--hard")
    elif action == "amend":
        history.git("commit", "-q", "--allow-empty", "--amend", "-m", f"amended {number}")
    elif action == "update":
        history.update()


def test_two_processes_bring_one_ledger_to_head(history: History, tmp_path: Path) -> None:
    for number in range(40):
        history.write("global/thing/a.firm", entry("a", f"N{number}"))
        history.commit()
    program = (
        "import sys; from pathlib import Path; from vault.model.settings import Settings\n"
        "from vault.store.git import Repository; from vault.store.ledger import Ledger\n"
        "from vault.workspace import ledger_sync; from vault.workspace.layout import Layout\n"
        "ledger_sync.BATCH = 3; root = Path(sys.argv[1])\n"
        "ledger = Ledger.open(Path(sys.argv[2]))\n"
        "ledger_sync.Chronicle(Layout(root, Settings()), Repository.discover(root), ledger).run()\n"
    )
    words = [sys.executable, "-c", program, str(history.root), str(tmp_path / "ledger.db")]
    running = [subprocess.Popen(words) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    history.ledger.close()
    history.ledger = Ledger.open(tmp_path / "ledger.db")
    assert history.ledger.tip() == 39
    history.equal_to_a_rebuild()
