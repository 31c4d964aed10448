"""Whatever is done to a vault, its files, its catalog, its ledger and both made from nothing say one thing."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.endurance import amount, is_long
from tests.service.conftest import ENVIRON
from vault.errors import VaultError
from vault.knowledge.payload import payload_of
from vault.lang.lower import read
from vault.model.access import BUNDLED
from vault.model.values import Reference, Value
from vault.service.admin import reindex
from vault.service.admin.init import init
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create, facts, restore, update
from vault.service.write.apply_payload import remember
from vault.service.write.commits import commit
from vault.store.ledger import Ledger
from vault.workspace.ledger_sync import Chronicle

Step = tuple[Callable[..., object], str | None, int]
CLAIMS = ("role", "place")
SPACES = (None, "work", "diary")


class Life:
    """A vault, and what can be done to it; refusals are as good as any outcome."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = 0
        init(root, ENVIRON, space={"work": False, "diary": True})
        self.done(lambda vault, _: create.add(vault, "actor", "bob", {"name": "Bob"}, CommitOptions()), None, 0)

    @property
    def environ(self) -> dict[str, str]:
        """Where git finds who commits, and when: now and then the clock goes backwards."""
        day = self.clock - 3 * (self.clock % 5 == 4)
        return {**os.environ, **ENVIRON, "GIT_COMMITTER_DATE": f"{1_600_000_000 + day * 86_400} +0000"}

    def git(self, *words: str) -> bool:
        """Run git; says whether it went well."""
        self.clock += 1
        ended = subprocess.run(["git", *words], cwd=self.root, env=self.environ, capture_output=True, check=False)
        return ended.returncode == 0

    def done(self, what: Callable[[Vault, int], object], space: str | None, number: int) -> None:
        """Do something with the product."""
        self.clock += 1
        with Vault.open(self.root, space=space, environ=self.environ, max_age=0) as vault, suppress(VaultError):
            what(vault, number)

    def file(self, number: int) -> Path | None:
        """One of the files of facts."""
        files = sorted(self.root.rglob("fact/*.firm"))
        return files[number % len(files)] if files else None

    # -- by an editor and git

    def edit(self, number: int) -> None:
        """Change a statement in an editor."""
        if file := self.file(number):
            lines = file.read_text().splitlines()
            edited = [f'    statement = "Edit {number}"' if "statement" in line else line for line in lines]
            file.write_text("\n".join(edited) + "\n")

    def touch(self, number: int) -> None:
        """Change what makes no version."""
        if file := self.file(number):
            file.write_text(f"// {number}\n" + file.read_text())

    def move(self, number: int) -> None:
        """Move a file to another folder, perhaps of another space."""
        if file := self.file(number):
            target = self.root / ("global/fact", "spaces/work/fact", "global/moved/fact")[number % 3] / file.name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                file.replace(target)

    def drop(self, number: int) -> None:
        """Delete a file."""
        if file := self.file(number):
            file.unlink()

    def commit_all(self, _: int) -> None:
        """Commit by plain git, whatever it is."""
        self.git("add", "-A")
        self.git("commit", "-qm", "Edit")

    def branch(self, number: int) -> None:
        """Go to another branch, perhaps a new one."""
        self.commit_all(0)
        name = f"b{number % 2}"
        if not self.git("switch", "-q", name):
            self.git("switch", "-qc", name)

    def merge(self, number: int) -> None:
        """Merge another branch; what conflicts is settled for one side."""
        self.commit_all(0)
        side = ("ours", "theirs")[number % 2]
        if not self.git("merge", "-q", "--no-edit", f"-X{side}", f"b{number % 2}"):
            self.git("add", "-A")
            if not self.git("commit", "-qm", "Merge"):
                self.git("merge", "--abort")

    def revert(self, number: int) -> None:
        """Take back a commit, but the one that made the vault."""
        self.commit_all(0)
        commit = f"HEAD~{number % 3}"
        if self.git("rev-parse", "-q", "--verify", f"{commit}^") and not self.git("revert", "--no-edit", commit):
            self.git("revert", "--abort")

    def amend(self, number: int) -> None:
        """Make the last commit another one."""
        self.git("commit", "-q", "--amend", "--allow-empty", "-m", f"Amended {number}")

    # -- what has to be so

    def check(self) -> None:
        """Compare the files, the catalog and the ledger with each other and with ones made anew."""
        with Vault.open(self.root, all_spaces=True, environ=self.environ, max_age=0) as vault:
            assert reindex.differences(vault) == []
            in_files = {
                (entry.key, path)
                for path in vault.firm_paths()
                if vault.layout.kind(path) == "firm"
                for entry in read((self.root / path).read_text(), path).entries
            }
            own = (stored for stored in vault.catalog.entries() if stored.scope != BUNDLED)
            assert {(stored.entry.key, stored.entry.path) for stored in own} == in_files
            fresh = Ledger.open(None)
            Chronicle(vault.layout, vault.git(), fresh).run()
            assert vault.ledger.content() == fresh.content()
            fresh.close()
            self.known(vault)

    def known(self, vault: Vault) -> None:
        """The ledger's last state is what the tree of HEAD holds."""
        repository = vault.git()
        tree = repository.tree_at(repository.head())
        in_tree = {
            (entry.key, path)
            for path, blob in tree.items()
            if vault.layout.kind(path) == "firm"
            for entry in read(repository.read_blob(blob).decode(), path).entries
        }
        past = vault.ledger.as_of(vault.ledger.tip())
        assert {(stored.entry.key, stored.entry.path) for stored in past.entries()} == in_tree
        past.close()


def say(vault: Vault, number: int) -> object:
    return facts.record(vault, "bob", f"work/{CLAIMS[number % 2]}", f"Bob is {number % 5}", {"value": str(number % 5)})


def add(vault: Vault, number: int) -> object:
    told: dict[str, Value] = {
        "statement": f"Bob was {number}",
        "subject": Reference("actor", "bob"),
        "claim": CLAIMS[number % 2],
    }
    return create.add(vault, "fact", None, {**told, "aspect": "work"}, CommitOptions() if number % 2 else None)


def change(vault: Vault, number: int) -> object:
    known = vault.entries(kind="fact")
    changes = {"statement": f"Set {number}"} if number % 3 else {"tags": (f"t{number}",)}
    return update.change(vault, known[number % len(known)].entry.key, changes) if known else None


def retract(vault: Vault, number: int) -> object:
    known = vault.entries(kind="fact")
    return facts.retract(vault, known[number % len(known)].entry.key) if known else None


def bring_back(vault: Vault, number: int) -> object:
    return restore.restore(vault, f"fact.bob_{CLAIMS[number % 2]}@HEAD~{number % 4}")


def remembered(vault: Vault, number: int) -> object:
    said = [{"claimKey": CLAIMS[0], "content": f"It is {number}"}, {"claimKey": CLAIMS[1], "retract": True}]
    about = {"entityName": "Bob", "aspect": "work", "attributes": said[: 1 + number % 2]}
    return remember(vault, payload_of({"structured": {"aspects": [about]}}))


def keep(vault: Vault, _: int) -> object:
    return commit(vault)


BY_PRODUCT = (say, add, change, retract, bring_back, remembered, keep)
BY_EDITOR = (Life.edit, Life.touch, Life.move, Life.drop)
BY_GIT = (Life.commit_all, Life.branch, Life.merge, Life.revert, Life.amend)
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(BY_PRODUCT), st.sampled_from(SPACES), st.integers(0, 11)),
        st.tuples(st.sampled_from((*BY_EDITOR, *BY_GIT)), st.none(), st.integers(0, 11)),
    ),
    min_size=4,
    max_size=12,
)


@pytest.mark.endurance
@settings(
    max_examples=amount(5, 200),
    derandomize=not is_long(),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps)
def test_files_catalog_ledger_and_a_rebuild_agree_after_anything(sequence: list[Step]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="life-")).resolve()
    try:
        life = Life(folder / "vault")
        for what, space, number in sequence:
            if what in BY_PRODUCT:
                life.done(what, space, number)
            else:
                what(life, number)
            life.check()
    finally:
        shutil.rmtree(folder)
