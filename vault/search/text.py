"""The text index: BM25 over passages, in tantivy."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from typing import Any

import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzerBuilder, Tokenizer

from vault.errors import VaultError
from vault.search.words import QUESTION_WORDS, fold, pairs
from vault.store.files import make_derived_dir

#: How much a field counts. Chosen on three collections (a handbook's pages, abstracts with titles, chat
#: turns): names and labels are short, so BM25 already makes much of a word in them; an unstemmed word
#: beside a stemmed one prefers the exact form.
WEIGHTS = {
    "name": 0.5,
    "name_stem": 0.5,
    "label": 0.8,
    "label_stem": 1.0,
    "body": 0.7,
    "body_stem": 1.0,
    "pairs": 1.0,
}
WORD_FIELDS = ("name", "label", "body")
STEM_FIELDS = ("name_stem", "label_stem", "body_stem")
RAW_FIELDS = ("path", "scope", "type", "tag")
FIELDS = (*RAW_FIELDS, *WORD_FIELDS, *STEM_FIELDS, "pairs")

#: tantivy refuses a smaller heap; one thread makes one segment a commit.
HEAP_BYTES = 15_000_000
#: Words of one query that are looked up: of a longer text the rarest that the index knows.
TERM_LIMIT = 64
#: What a word found by its beginning or with one letter wrong counts, beside one found exactly.
FUZZY_WEIGHT = 0.35
FUZZY_TERMS = 12

_WORDS = r"\p{L}[+#]{1,2}|[\p{L}\p{M}\p{N}]+|\p{So}"


@dataclass(frozen=True, slots=True)
class PassageDocument:
    """What the index takes of one passage."""

    path: str
    scope: str
    type: str
    row: int
    ordinal: int
    name: str
    labels: str
    body: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found, by its entry's catalog row."""

    row: int
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be: in these scopes, of this type, with this folded tag, and none of these rows."""

    scopes: Sequence[str]
    type: str | None = None
    tag: str | None = None
    without: Collection[int] = ()


def _analyzer(*filters: Any) -> Any:
    builder = TextAnalyzerBuilder(Tokenizer.regex(_WORDS)).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    for extra in filters:
        builder = builder.filter(extra)
    return builder.build()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in RAW_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("row", stored=True, indexed=True)
    builder.add_unsigned_field("ordinal", stored=True)
    for name in WORD_FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="freq")
    for name in STEM_FIELDS:
        builder.add_text_field(name, tokenizer_name="stems", index_option="freq")
    builder.add_text_field("pairs", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


class DamagedTextIndex(VaultError):
    """An index that cannot be opened; whoever owns the folder makes it anew."""

    code = "damaged-index"

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(
            f"the text index in {folder} cannot be opened: {reason}",
            hint="free some space if the disk is full; `vault index --rebuild` makes it anew",
        )


class IndexWriteFailed(VaultError):
    """The system refused to write the index."""

    code = "index-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the text index could not be written: {reason}",
            hint="free some space, then repeat the command; no entry is affected",
        )


class TextIndex:
    """One index on disk. Its folder can be deleted at any time. Raises `DamagedTextIndex`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.schema = _schema()
        self.words = _analyzer()
        self.stems = _analyzer(Filter.stemmer("english"))
        self._stop = _analyzer(Filter.stopword("english"), Filter.custom_stopword(list(QUESTION_WORDS)))
        try:
            self.index = self._opened()
            self.count()
        except (ValueError, OSError) as error:
            raise DamagedTextIndex(folder, str(error)) from error

    def _opened(self) -> Any:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        make_derived_dir(self.folder)
        index = tantivy.Index(self.schema, str(self.folder))
        index.register_tokenizer("words", self.words)
        index.register_tokenizer("stems", self.stems)
        return index

    def write(self, documents: Iterable[PassageDocument], without_paths: Iterable[str]) -> None:
        """Take out the passages of some files and put in others, in one commit.

        Raises `IndexWriteFailed`; the index then holds what it held.
        """
        try:
            writer = self.index.writer(heap_size=HEAP_BYTES, num_threads=1)
            for path in without_paths:
                writer.delete_documents_by_term("path", path)
            for document in documents:
                writer.add_document(_document(document))
            writer.commit()
            writer.wait_merging_threads()
            self.index.reload()
        except (ValueError, OSError) as error:
            raise IndexWriteFailed(str(error)) from error

    def count(self) -> int:
        """The number of passages in the index."""
        return int(self.index.searcher().num_docs)

    def terms(self, query: str) -> list[str]:
        """The words of a query that are looked up; stop words only if it has no others."""
        folded = fold(query)
        words = self._stop.analyze(folded) or self.words.analyze(folded)
        return self._rarest(list(dict.fromkeys(words)), WORD_FIELDS, TERM_LIMIT)

    def _rarest(self, terms: list[str], fields: Sequence[str], limit: int) -> list[str]:
        """The terms in fewest passages, in their order; those in none come last."""
        if len(terms) <= limit:
            return terms
        searcher = self.index.searcher()
        passages = {term: sum(searcher.doc_freq(field, term) for field in fields) for term in terms}
        kept = set(sorted(terms, key=lambda term: passages[term] or inf)[:limit])
        return [term for term in terms if term in kept]

    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """All content in a form that two indexes of the same passages share, however they came about."""
        searcher, every = self.index.searcher(), Query.all_query()
        terms = {name: searcher.terms_with_prefix(name, "", filter_query=every) for name in FIELDS}
        hits = searcher.search(every, max(1, self.count()), count=False).hits
        documents = [searcher.doc(address) for _, address in hits]
        passages = [(document.get_first("row"), document.get_first("ordinal")) for document in documents]
        return {**terms, "passages": sorted(passages)}

    def search(self, query: str, filters: Filters, limit: int) -> list[Hit]:
        """Find the passages that fit a query best; any text is a legal query."""
        searcher = self.index.searcher()
        parts = [self._term(term) for term in self.terms(query)]
        parts += [part for term in self.terms(query) for part in self._near(searcher, term)]
        grams = self._rarest(list(dict.fromkeys(pairs(fold(query)))), ("pairs",), TERM_LIMIT * 2)
        parts += [self._weighted("pairs", gram) for gram in grams]
        if not parts:
            return []
        wanted = Query.boolean_query([(Occur.Should, part) for part in parts])
        found = searcher.search(self._filtered(wanted, filters), limit, count=False).hits
        addresses = [address for _, address in found]
        documents = [searcher.doc(address) for address in addresses]
        return [
            Hit(document.get_first("row"), document.get_first("ordinal"), score)
            for (score, _), document in zip(found, documents, strict=True)
        ]

    def _filtered(self, wanted: Any, filters: Filters) -> Any:
        clauses = [(Occur.Must, wanted), (Occur.Must, self._silent("scope", list(filters.scopes)))]
        if filters.type is not None:
            clauses.append((Occur.Must, self._silent("type", [filters.type])))
        if filters.tag is not None:
            clauses.append((Occur.Must, self._silent("tag", [filters.tag])))
        if filters.without:
            clauses.append((Occur.MustNot, Query.term_set_query(self.schema, "row", sorted(filters.without))))
        return Query.boolean_query(clauses)

    def _silent(self, field: str, values: list[str]) -> Any:
        """A condition that adds nothing to the score."""
        return Query.const_score_query(Query.term_set_query(self.schema, field, values), 0.0)

    def _weighted(self, field: str, term: str, factor: float = 1.0) -> Any:
        return Query.boost_query(Query.term_query(self.schema, field, term, "freq"), WEIGHTS[field] * factor)

    def _term(self, term: str) -> Any:
        """A word in every field, in its own form and stemmed."""
        stems = self.stems.analyze(term)
        queries = [self._weighted(field, term) for field in WORD_FIELDS]
        queries += [self._weighted(field, stem) for field in STEM_FIELDS for stem in stems]
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    def _near(self, searcher: Any, term: str) -> list[Any]:
        """Words with the same beginning ("privacy" finds "private") or with one letter wrong."""
        if len(term) < 4:  # noqa: PLR2004  shorter words begin like too many others
            return []
        beginning = term[: max(4, ceil(len(term) * 0.7))]
        near: list[Any] = []
        for field in WORD_FIELDS:
            known = searcher.terms_with_prefix(field, beginning, limit=FUZZY_TERMS * 4)
            close = sorted(
                (word for word, _ in known if word != term and _alike(word, term) >= 0.6),  # noqa: PLR2004
                key=lambda word: -_alike(word, term),
            )
            near += [self._weighted(field, word, FUZZY_WEIGHT * _alike(word, term)) for word in close[:FUZZY_TERMS]]
            if len(term) >= 5 and searcher.doc_freq(field, term) == 0:  # noqa: PLR2004
                fuzzy = Query.fuzzy_term_query(self.schema, field, term, distance=1)
                near.append(Query.boost_query(fuzzy, WEIGHTS[field]))
        return near


def _alike(left: str, right: str) -> float:
    """The share of the longer word that both begin with."""
    common = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return common / max(len(left), len(right))


def _document(passage: PassageDocument) -> Any:
    name, labels, body = fold(passage.name), fold(passage.labels), fold(passage.body)
    document = tantivy.Document()
    document.add_text("path", passage.path)
    document.add_text("scope", passage.scope)
    document.add_text("type", passage.type)
    for tag in passage.tags:
        document.add_text("tag", tag)
    document.add_unsigned("row", passage.row)
    document.add_unsigned("ordinal", passage.ordinal)
    document.add_text("name", name)
    document.add_text("name_stem", name)
    document.add_text("label", labels)
    document.add_text("label_stem", labels)
    document.add_text("body", body)
    document.add_text("body_stem", body)
    if not (name.isascii() and body.isascii()):
        document.add_text("pairs", " ".join(pairs(f"{name} {body}")))
    return document
