"""What the product takes inside one process: `python -m tests.bench.inside fill|search|embed|… VAULT`."""

import random
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from vault import Vault
from vault.model.access import Reader

QUESTIONS, TEXTS = 100, 256


def fill(root: Path) -> None:
    """Give every passage a vector, at random."""
    chance = np.random.default_rng(1)
    with Vault.open(root) as vault:
        for table in vault.meanings.tables(vault.snapshot(Reader(owner=True))):
            keys = [table.digests[place] for place in table.missing()]
            vectors = chance.standard_normal((len(keys), 384)).astype("<f4")
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            table.store.append([(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)])


def texts(root: Path) -> Iterator[str]:
    """What a model is given of entries: their words, in lengths that differ."""
    for number, file in enumerate(sorted((root / "spaces").rglob("*.firm"))):
        words = re.findall(r"[a-z]{2,}", file.read_text("utf-8"))
        yield " ".join(words[: 10 + number * 7 % 90])


def questions(root: Path) -> list[str]:
    """Words of entries, three or four together."""
    chance = random.Random(7)
    words = sorted({word for text in islice(texts(root), 500) for word in text.split() if len(word) > 3})
    return [" ".join(chance.sample(words, chance.choice((3, 4)))) for _ in range(QUESTIONS)]


def search(root: Path) -> float:
    """The median time of a hybrid search."""
    asked = questions(root)
    taken = []
    with Vault.open(root, all_spaces=True) as vault:
        vault.search("warm up")
        for question in asked:
            started = perf_counter()
            vault.search(question)
            taken.append(perf_counter() - started)
    return median(taken)


def embed(root: Path) -> float:
    """The time that some texts take, model loaded, shortest first."""
    from vault.model.settings import DEFAULT_MODEL
    from vault.search.embedding import load

    model = load(DEFAULT_MODEL, cache=root, download=False)
    chosen = sorted(islice(texts(root), TEXTS), key=len)
    started = perf_counter()
    for start in range(0, len(chosen), 32):
        assert all(model.passages(chosen[start : start + 32]))
    return perf_counter() - started


def tree(root: Path) -> float:
    """The median time of the tree of an entity, but for the look at the files and at HEAD."""
    from vault.service.read.navigate import entities, tree

    taken = []
    with Vault.open(root, space=min(place.name for place in (root / "spaces").iterdir()), max_age=1e9) as vault:
        for one in entities(vault, limit=QUESTIONS).items:
            vault.ledger  # noqa: B018  brought to HEAD
            started = perf_counter()
            assert tree(vault, one.key).entity.key == one.key
            taken.append(perf_counter() - started)
    return median(taken)


def hydrate(root: Path) -> float:
    """The median time of what a message brings by name, but for the look at the files."""
    from vault.service.read.hydrate import hydrate

    chance, taken = random.Random(7), []
    words = questions(root)
    with Vault.open(root, all_spaces=True, max_age=1e9) as vault:
        names = [stored.entry.name for stored in vault.entries(kind="actor")]
        for question in words:
            one, other = chance.sample(names, 2)
            started = perf_counter()
            assert hydrate(vault, f"What did {one} say of {question}, and was {other} there when it was said?").block
            taken.append(perf_counter() - started)
    return median(taken)


def ledger(root: Path) -> float:
    """The time that the ledger takes from nothing."""
    from vault.store.ledger import Ledger
    from vault.workspace.ledger_sync import Chronicle

    with Vault.open(root) as vault, tempfile.TemporaryDirectory() as folder:
        repository = vault.git()
        started = perf_counter()
        held = Ledger.open(Path(folder) / "ledger.db")
        assert Chronicle(vault.layout, repository, held).run() > 1
        held.close()
    return perf_counter() - started


def size(root: Path) -> float:
    """The bytes that the vectors of a passage take on disk."""
    with Vault.open(root) as vault:
        number = sum(table.store.count for table in vault.meanings.tables(vault.snapshot(Reader(owner=True))))
    return sum(file.stat().st_size for file in (root / ".vault/vectors").rglob("*") if file.is_file()) / number


if __name__ == "__main__":
    programs = {
        "fill": fill,
        "search": search,
        "embed": embed,
        "size": size,
        "tree": tree,
        "ledger": ledger,
        "hydrate": hydrate,
    }
    print(programs[sys.argv[1]](Path(sys.argv[2])))
