"""A sample vault for what the bundled entries show, made once and copied for each use."""

import json
import shutil
from pathlib import Path

import pytest

from cli.sample import ENTRIES
from tests.serve.conftest import ask, desk
from tests.service.conftest import ENVIRON, git, open_vault, root, vault, write
from vault.service.admin.init import init
from vault.service.admin.reindex import index
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create
from vault.service.write.facts import record

__all__ = ["ask", "desk", "git", "open_vault", "root", "vault", "write"]  # fixtures of other tests

#: Questions and words that are about no product.
OTHERS = """
who runs engineering
privacy
git
commit
agent
meeting notes
work history
last week
what did Bob say about the sensor
who is the CTO
what do we know about Bob
list of people
status of the project
an early software developer
how to cook rice
who brings the cake
when did Mira found the company
time off for a new baby
shopping list
how long does the battery last
""".split("\n")[1:-1]

#: Files that examples name.
BESIDE = {
    "draft.firm": 'note draft { text = "A second distributor would help" }\n',
    "questions.tsv": "who runs engineering\tactor.bob\n",
    "notes/kyoto.md": "---\ntags: [travel]\n---\n# Kyoto\n\nSee [[Gion]] at dusk.\n",
    "notes/Gion.md": "The old quarter of [[Kyoto]].\n",
    "turns.jsonl": "".join(
        json.dumps({"role": role, "content": said}) + "\n"
        for role, said in (("user", "Is the charge controller back?"), ("assistant", "Yes, the B batch is not."))
    ),
    "payload.json": json.dumps(
        {
            "structured": {
                "entities": [
                    {
                        "source": "Bob Ferreira",
                        "sourceType": "person",
                        "relationship": "uses",
                        "target": "Drill press",
                        "targetType": "tool",
                    }
                ]
            },
            "idempotencyKey": "drill-1",
        }
    ),
}


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vault of the tour with two spaces, some history and all vectors; it is not to be changed."""
    root = tmp_path_factory.mktemp("sample") / "vault"
    init(root, ENVIRON, space={"work": False, "diary": True})
    with Vault.open(root, environ=ENVIRON, max_age=0) as opened:
        create.add_text(opened, ENTRIES, "samples.firm", CommitOptions("What we know about Halcyon"))
        record(opened, "bob", "work/role", "Bob is the CEO of Halcyon.", {"value": "CEO"})
        index(opened)
    for name, text in BESIDE.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


@pytest.fixture
def copied(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample vault, and the current folder."""
    folder = tmp_path / "vault"
    shutil.copytree(sample, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def root_permits(root: Path) -> None:
    """Let agents delete without a question."""
    with (root / "vault.yaml").open("a", encoding="utf-8") as settings:
        settings.write("permissions: {delete_knowledge: always}\n")
