"""The text index: BM25 over passages, in tantivy."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from math import ceil, inf, log1p
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzerBuilder, Tokenizer

from vault.errors import DamagedData, VaultError
from vault.model.words import QUESTION_WORDS, fold, pairs, runs
from vault.store.files import WriteFailed, make_derived_dir, remove

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

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
#: Passages whose share of a query is told at the most: those of a few hundred long texts.
COVERED_PASSAGES = 20_000
#: What such a word counts where it is asked how much of a query a passage holds.
NEAR_SHARE = 0.3

#: Bytes of the longest word that is looked up. To find one with a letter wrong takes 25 KB a letter.
WORD_LENGTH = 250

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
    """What a hit must be: in these scopes, of this type, with this folded tag, none of these rows, one of those."""

    scopes: Sequence[str]
    type: str | None = None
    tag: str | None = None
    without: Collection[int] = ()
    only: Collection[int] | None = None


class Words(Protocol):
    """What answers a question by words: an index, or what stood in one at some time."""

    @property
    def words(self) -> Any:
        """What cuts a text into words."""

    @property
    def stems(self) -> Any:
        """What cuts a text into stems."""

    def terms(self, query: str) -> list[str]:
        """The words of a query that are looked up."""

    def search(self, query: str, filters: Filters, limit: int) -> list["Hit"]:
        """The passages that fit a query best."""

    def coverage(self, query: str, filters: Filters, rows: Collection[int]) -> list["Hit"]:
        """How much of a query passages of some entries hold, 0 to 1."""


def _analyzer(*stops: Any, stem: Any = None) -> Any:
    """What cuts a text into words: stop words are left out as they are spelt, before accents are."""
    long = Filter.remove_long(WORD_LENGTH)
    filters = [long, Filter.lowercase(), *stops, Filter.ascii_fold(), *([stem] if stem else [])]
    builder = TextAnalyzerBuilder(Tokenizer.regex(_WORDS))
    for each in filters:
        builder = builder.filter(each)
    return builder.build()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in RAW_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_unsigned_field("ordinal", fast=True)
    for name in WORD_FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="freq")
    for name in STEM_FIELDS:
        builder.add_text_field(name, tokenizer_name="stems", index_option="freq")
    builder.add_text_field("pairs", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


class DamagedTextIndex(DamagedData):
    """An index that cannot be opened or read; it is made again."""

    code = "damaged-index"

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"the text index in {folder}: {reason}")


class IndexWriteFailed(VaultError):
    """The system refused to write the index."""

    code = "index-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the text index could not be written: {reason}",
            hint="free some space, then repeat the command; no entry is affected",
        )


def _guarded(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Report what the library says of a damaged index, which may be a panic, and have the index made again."""

    @wraps(method)
    def guarded(*arguments: Arguments.args, **options: Arguments.kwargs) -> Answer:
        try:
            return method(*arguments, **options)
        except BaseException as error:
            index = arguments[0]
            if not isinstance(index, TextIndex) or not _is_damage(error):
                raise
            index.forget()
            raise DamagedTextIndex(index.folder, str(error)) from error

    return guarded


def _is_damage(error: BaseException) -> bool:
    return isinstance(error, (ValueError, OSError)) or type(error).__name__ == "PanicException"


class TextIndex:
    """One index on disk, of texts in one of the languages that settings know. Its folder can be deleted at any time.

    Raises `DamagedTextIndex`.
    """

    def __init__(self, folder: Path, language: str = "english") -> None:
        self.folder = folder
        self.schema = _schema()
        self.words = _analyzer()
        known = language != "none"
        self.stems = _analyzer(stem=Filter.stemmer(language) if known else None)
        questions = Filter.custom_stopword(list(QUESTION_WORDS.get(language, ())))
        self._stop = _analyzer(*([Filter.stopword(language), questions] if known else []))
        self.index = self._opened()
        self.count()

    def forget(self) -> None:
        """Remove the record of the index (the file of its name), so that it is made again."""
        with suppress(WriteFailed):
            remove(self.folder.with_suffix(".json"))

    @_guarded
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

    @_guarded
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

    @_guarded
    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """All content in a form that two indexes of the same passages share, however they came about."""
        searcher, every = self.index.searcher(), Query.all_query()
        terms = {name: searcher.terms_with_prefix(name, "", filter_query=every) for name in FIELDS}
        hits = searcher.search(every, max(1, self.count()), count=False).hits
        passages = [(hit.row, hit.ordinal) for hit in _hits(searcher, hits)]
        return {**terms, "passages": sorted(passages)}

    @_guarded
    def search(self, query: str, filters: Filters, limit: int) -> list[Hit]:
        """Find the passages that fit a query best; any text is a legal query."""
        searcher = self.index.searcher()
        terms = self.terms(query)
        parts = [self._term(term) for term in terms]
        for term in terms:
            parts += [Query.boost_query(near, FUZZY_WEIGHT * share) for near, share in self._near(searcher, term)]
        grams = self._rarest(list(dict.fromkeys(pairs(fold(query)))), ("pairs",), TERM_LIMIT * 2)
        parts += [self._weighted("pairs", gram) for gram in grams]
        if not parts or limit < 1:  # the library panics where nothing is asked for
            return []
        wanted = Query.boolean_query([(Occur.Should, part) for part in parts])
        number = min(limit, max(1, self.count()))
        return _hits(searcher, searcher.search(self._filtered(wanted, filters), number, count=False).hits)

    @_guarded
    def coverage(self, query: str, filters: Filters, rows: Collection[int]) -> list[Hit]:
        """How much of a query passages of some entries hold, 0 to 1, best first.

        The share of its words, each counted by its rarity: ln(1 + (N - n + 0.5) / (n + 0.5)) for n of N
        passages (Robertson and Sparck Jones), once, however often a passage has it. Unlike a BM25 score,
        which is only higher or lower than another, it says by itself whether a passage fits.
        """
        searcher = self.index.searcher()
        asked = [self._asked(searcher, term) for term in self.terms(query) if not runs(term)]
        asked += [self._asked_pair(searcher, gram) for gram in dict.fromkeys(pairs(fold(query)))]
        total = sum(weight for weight, _ in asked)
        if not rows or not total or not self.count():  # as in `search`
            return []
        wanted = Query.boolean_query([(Occur.Should, part) for _, part in asked])
        some = Query.const_score_query(Query.term_set_query(self.schema, "row", sorted(rows)), 0.0)
        chosen = Query.boolean_query([(Occur.Must, some), (Occur.Must, self._filtered(wanted, filters))])
        found = searcher.search(chosen, max(1, min(self.count(), COVERED_PASSAGES)), count=False).hits
        return [Hit(hit.row, hit.ordinal, min(1.0, hit.score / total)) for hit in _hits(searcher, found)]

    def _asked(self, searcher: Any, term: str) -> tuple[float, Any]:
        """A word's weight, and the query that gives it to each passage that has the word or one near to it."""
        stems = [(field, stem) for field in STEM_FIELDS for stem in self.stems.analyze(term)]
        weight = _rarity(searcher, stems)
        exact = [Query.const_score_query(Query.term_query(self.schema, *stem, "basic"), weight) for stem in stems]
        near = [
            Query.const_score_query(part, weight * share * NEAR_SHARE) for part, share in self._near(searcher, term)
        ]
        return weight, Query.disjunction_max_query([*exact, *near])

    def _asked_pair(self, searcher: Any, gram: str) -> tuple[float, Any]:
        weight = _rarity(searcher, [("pairs", gram)])
        return weight, Query.const_score_query(Query.term_query(self.schema, "pairs", gram, "basic"), weight)

    def _filtered(self, wanted: Any, filters: Filters) -> Any:
        clauses = [(Occur.Must, wanted), (Occur.Must, self._silent("scope", list(filters.scopes)))]
        if filters.type is not None:
            clauses.append((Occur.Must, self._silent("type", [filters.type])))
        if filters.tag is not None:
            clauses.append((Occur.Must, self._silent("tag", [filters.tag])))
        if filters.without:
            clauses.append((Occur.MustNot, Query.term_set_query(self.schema, "row", sorted(filters.without))))
        if filters.only is not None:
            chosen = Query.term_set_query(self.schema, "row", sorted(filters.only))
            clauses.append((Occur.Must, Query.const_score_query(chosen, 0.0)))
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

    def _near(self, searcher: Any, term: str) -> list[tuple[Any, float]]:
        """Words with the same beginning ("privacy" finds "private") or with one letter wrong.

        Each as a query weighted by its field, with how much of the word it is (0 to 1).
        """
        if len(term) < 4:  # noqa: PLR2004  shorter words begin like too many others
            return []
        beginning = term[: max(4, ceil(len(term) * 0.7))]
        near: list[tuple[Any, float]] = []
        for field in WORD_FIELDS:
            known = searcher.terms_with_prefix(field, beginning, limit=FUZZY_TERMS * 4)
            close = sorted(
                ((_alike(word, term), word) for word, _ in known if word != term),
                key=lambda found: -found[0],
            )
            near += [
                (self._weighted(field, word), share)
                for share, word in close[:FUZZY_TERMS]
                if share >= 0.6  # noqa: PLR2004
            ]
            if len(term) >= 5 and searcher.doc_freq(field, term) == 0:  # noqa: PLR2004
                fuzzy = Query.fuzzy_term_query(self.schema, field, term, distance=1)
                near.append((Query.boost_query(fuzzy, WEIGHTS[field]), 1.0))
        return near


def _hits(searcher: Any, found: Sequence[tuple[float, Any]]) -> list[Hit]:
    """The passages behind what the library found."""
    addresses = [address for _, address in found]
    columns = (searcher.fast_field_values(name, addresses) for name in ("row", "ordinal"))
    return [Hit(row, ordinal, score) for (score, _), row, ordinal in zip(found, *columns, strict=True)]


def _rarity(searcher: Any, terms: Iterable[tuple[str, str]]) -> float:
    """What a word in few passages weighs beside one in many."""
    counted = max((searcher.doc_freq(field, term) for field, term in terms), default=0)
    passages = min(counted, searcher.num_docs)  # the former counts what was taken out as well, until segments merge
    return log1p((searcher.num_docs - passages + 0.5) / (passages + 0.5))


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
