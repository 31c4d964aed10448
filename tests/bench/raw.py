"""What the libraries alone take: `python -m tests.bench.raw lark GRAMMAR VAULT` or `… tantivy FOLDER VAULT`."""

import sys
from collections.abc import Iterator
from pathlib import Path


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


if __name__ == "__main__":
    {"lark": parse, "tantivy": index}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
