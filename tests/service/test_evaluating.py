"""Measuring search: judged corpora as cached vaults, and a person's own questions."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.commands.eval import MODES as CLI_MODES
from cli.context import Context
from tests.service.conftest import Open, Write
from vault import wire
from vault.errors import VaultError
from vault.lang.lower import read
from vault.lang.write import write_entry
from vault.model.access import Reader
from vault.model.values import PathValue
from vault.service.admin import evaluation_corpus
from vault.service.admin.evaluation import Judged, Report, evaluate_corpus, evaluate_vault
from vault.service.admin.evaluation_corpus import Built, distinct, fields_of, moment_in
from vault.service.arguments.evaluation_options import MODES, EvaluationOptions
from vault.service.vault import Vault
from vault.service.write.sidecars import with_sidecar
from vault.store.files import WriteFailed

ROOT = Path(__file__).resolve().parents[2]
KEYWORD = EvaluationOptions(["keyword"])
PLANTS = "anise basil chervil dill elder fennel garlic hyssop iris juniper kale lovage mint nettle oregano".split()
PLACES = ["garden", "kitchen", "market", "meadow"]
#: Three conversations: the first two want the same space name.
CONVERSATIONS = ["Talk One", "talk-one", "第三"]
QUOTED = 'She said """never again""" about the mulberry tree.\r\n\r\n  Then she left.'
CHINESE = "我们的工程师每天在办公室喝绿茶"

Corpus = Callable[..., Path]


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def documents() -> list[dict[str, Any]]:
    """Sixty documents: each conversation says each plant of one place; some with a title, odd texts, a date."""
    made: list[dict[str, Any]] = []
    for conversation in CONVERSATIONS:
        for number, plant in enumerate([*PLANTS, "parsley", "quince", "rue"]):
            title = f"On {plant}" if number % 2 else ""
            text = f"The {plant} grows in the {PLACES[number % 4]}."
            ident = f"{conversation}:{number}"
            made.append({"id": ident, "title": title, "text": text, "conversation": conversation})
    made += [
        {"id": "quoted", "title": 'A """tree"""\nof old', "text": QUOTED, "date": "2023-05-08"},
        {"id": "chinese", "text": CHINESE, "conversation": CONVERSATIONS[2], "date": "1:56 pm on 8 May, 2023"},
        {"id": "::", "title": "Nothing", "text": "", "date": "2023-05-08T13:56:10+02:00"},
        {"id": "con", "text": "half \ud800 and \0 nothing"},
        {"id": 12, "text": "a number"},
        {"id": "_12", "text": "another number", "conversation": 7},
    ]
    return made


QUERIES = [
    {"id": "q1", "text": "where does fennel grow", "conversation": CONVERSATIONS[0]},
    {"id": "q2", "text": "where does fennel grow", "conversation": CONVERSATIONS[1]},
    {"id": "q3", "text": "mulberry tree"},
    {"id": "q4", "text": "绿茶", "conversation": CONVERSATIONS[2]},
    {"id": "q5", "text": "who sings?", "conversation": CONVERSATIONS[0]},
    {"id": "q6", "text": "not judged"},
    {"id": "q7", "text": "judged, and nothing answers"},
]
QRELS = "q1\tTalk One:5\t1\nq2\ttalk-one:5\t1\nq3\tquoted\t2\nq4\tchinese\t1\nq5\tTalk One:0\t1\nq7\tquoted\t0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small judged corpus."""
    place = tmp_path / "plants"
    place.mkdir()
    (place / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in documents()), "utf-8")
    (place / "queries.jsonl").write_text(lines(QUERIES), "utf-8")
    (place / "qrels.tsv").write_text(QRELS, "utf-8")
    return place


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache folder that is not there yet."""
    return tmp_path / "cache" / "firm-vault"


def built_in(cache: Path) -> list[Path]:
    return sorted(place for place in (cache / "eval").glob("*") if place.is_dir())


def build(folder: Path, cache: Path) -> Built:
    with evaluation_corpus.using(folder, cache, watch=lambda _: None, say=print) as built:
        return built


# -- a corpus


def test_corpus_is_measured_each_conversation_by_itself(folder: Path, cache: Path) -> None:
    report = evaluate_corpus(folder, cache, KEYWORD)
    figures = report.modes["keyword"]
    assert (report.corpus, report.documents, report.queries) == ("plants", len(documents()), 5)
    assert figures["recall@10"] == figures["recall@5"] == figures["success@3"] == pytest.approx(0.8)
    assert figures["mrr"] == figures["ndcg@10"] == pytest.approx(0.8)
    assert figures["p95_ms"] >= figures["p50_ms"] > 0
    assert [question.id for question in report.misses["keyword"]] == ["q5"]
    assert report.notes == []


def test_report_as_json_has_the_agreed_names(folder: Path, cache: Path) -> None:
    report = evaluate_corpus(folder, cache, KEYWORD)
    shape = wire.evaluation(report)
    assert list(shape) == ["modes", "queries", "documents", "corpus", "notes"]
    assert {"recall@5", "recall@10", "ndcg@10", "mrr", "p50_ms"} <= shape["modes"]["keyword"].keys()
    missed = wire.evaluation(report, misses=True)["misses"]
    assert missed == {"keyword": [{"query": "q5", "text": "who sings?", "wanted": ["Talk One:0"]}]}
    told = wire.evaluation(Report("c", 1, 1, {}, {}, unavailable="no model"))
    assert told["unavailable"] == "no model"


def test_corpus_becomes_a_vault_without_findings(folder: Path, cache: Path) -> None:
    built = build(folder, cache)
    assert built.spaces == {
        CONVERSATIONS[0]: "talk_one",
        CONVERSATIONS[1]: built.spaces[CONVERSATIONS[1]],
        CONVERSATIONS[2]: built.spaces[CONVERSATIONS[2]],
        "7": "7",
    }
    assert len(set(built.spaces.values())) == 4
    with Vault.open(built.root) as vault:
        held = {str(stored.entry.fields["origin"]): stored for stored in vault.snapshot(Reader(owner=True)).entries()}
        assert held.keys() == built.documents
        assert len({stored.entry.id for stored in held.values()}) == len(documents())
        assert [item for item in vault.check() if item.severity == "error"] == []
        assert vault.text_of(held["quoted"]) == f"{QUOTED}\n"
        assert held["quoted"].entry.name == "A 'tree' of old"
        assert [held[name].created for name in ("quoted", "chinese", "::")] == [
            "2023-05-08",
            "",
            "2023-05-08T11:56:00Z",
        ]
        assert held["chinese"].entry.fields["text"] == CHINESE
        assert held["con"].entry.fields["text"] == "half ? and \N{REPLACEMENT CHARACTER} nothing"
        assert held["con"].entry.id == "con_"
        assert "text" not in held["::"].entry.fields
    assert not (built.root / ".git").exists()


def test_second_run_builds_nothing_and_fresh_builds_all(folder: Path, cache: Path) -> None:
    evaluate_corpus(folder, cache, KEYWORD)
    (place,) = built_in(cache)
    (place / "kept").touch()
    labels: list[str] = []

    def watch(label: str) -> None:
        labels.append(label)

    evaluate_corpus(folder, cache, KEYWORD, watch=watch)
    assert "building" not in labels
    assert (place / "kept").exists()
    evaluate_corpus(folder, cache, KEYWORD, fresh=True, watch=watch)
    assert "building" in labels
    assert built_in(cache) == [place]
    assert not (place / "kept").exists()


def test_another_corpus_gets_a_vault_of_its_own_and_all_can_be_cleared(folder: Path, cache: Path) -> None:
    assert evaluation_corpus.clear(cache, say=print) == (0, 0)
    evaluate_corpus(folder, cache, KEYWORD)
    with (folder / "corpus.jsonl").open("a") as stream:
        stream.write('{"id": "more", "text": "more"}\n')
    assert evaluate_corpus(folder, cache, KEYWORD).documents == len(documents()) + 1
    assert len(built_in(cache)) == 2
    corpora, size = evaluation_corpus.clear(cache, say=print)
    assert (corpora, built_in(cache)) == (2, [])
    assert size > 10_000


def test_judgements_alone_build_nothing(folder: Path, cache: Path) -> None:
    evaluate_corpus(folder, cache, KEYWORD)
    (folder / "qrels.tsv").write_text("q3\tquoted\t1\n")
    assert evaluate_corpus(folder, cache, KEYWORD).queries == 1
    assert len(built_in(cache)) == 1


def test_beir_layout_is_read(folder: Path, cache: Path) -> None:
    rows = [{"_id": "d1", "title": "", "text": "red apple"}, {"_id": "d2", "title": "Pear", "text": "green pear"}]
    (folder / "corpus.jsonl").write_text("\ufeff" + lines(rows), "utf-8")
    (folder / "queries.jsonl").write_text(lines([{"_id": "q", "text": "apple"}, {"_id": "r", "text": "pear"}]))
    (folder / "qrels.tsv").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_bytes(b"query-id\tcorpus-id\tscore\r\nq\td1\t1\r\n\r\nr\td2\t2\r\n")
    report = evaluate_corpus(folder, cache, KEYWORD)
    assert (report.queries, report.modes["keyword"]["mrr"]) == (2, 1.0)


@pytest.mark.parametrize("text", ["q3 0 quoted 1\n", "q3 quoted 1", "q3\t0\tquoted\t1", "q3\tquoted\t1\nq3\tcon\t0\n"])
def test_judgements_have_three_columns_or_four(folder: Path, text: str) -> None:
    (folder / "qrels.tsv").write_text(text)
    assert evaluation_corpus.judgements(folder / "qrels.tsv")["q3"]["quoted"] == 1


def test_judgements_of_what_is_not_there_are_said_and_count(folder: Path, cache: Path) -> None:
    (folder / "qrels.tsv").write_text("q3\tquoted\t1\nq3\tgone\t1\nq3\tlost\t0\nnobody\tquoted\t1\n")
    report = evaluate_corpus(folder, cache, KEYWORD)
    assert report.modes["keyword"]["recall@10"] == 0.5
    assert [told.split(": ", 1)[1] for told in report.notes] == [
        "answers that are not in the corpus, counted as never found: 1",
        "judged queries that are not in queries.jsonl, not asked: 1",
    ]


def test_query_of_a_conversation_nothing_is_of_sees_what_is_global(folder: Path, cache: Path) -> None:
    (folder / "queries.jsonl").write_text(
        lines([{"id": "q3", "text": "mulberry tree", "conversation": "x"}, {"id": "q1", "text": "fennel"}])
    )
    report = evaluate_corpus(folder, cache, KEYWORD)
    assert report.modes["keyword"]["recall@10"] == 1.0


def test_every_mode_is_measured_and_the_vault_brought_up_to_date(folder: Path, cache: Path) -> None:
    report = evaluate_corpus(folder, cache, EvaluationOptions())
    assert list(report.modes) == list(MODES)
    assert report.unavailable == ""
    assert all(figures["recall@10"] >= 0.6 for figures in report.modes.values())


def test_limit_spreads_over_all_queries() -> None:
    questions = [Judged(str(number), "", {}) for number in range(10)]
    assert [question.id for question in EvaluationOptions(limit=4).sample(questions)] == ["0", "2", "5", "7"]
    assert [question.id for question in EvaluationOptions(limit=1).sample(questions)] == ["0"]
    assert EvaluationOptions(limit=99).sample(questions) == questions
    assert EvaluationOptions().sample(questions) == questions


def test_modes_are_shown_in_their_order() -> None:
    assert EvaluationOptions(["hybrid", "keyword"]).chosen == ["keyword", "hybrid"]
    assert EvaluationOptions().chosen == list(MODES) == list(CLI_MODES)


def test_progress_is_reported(folder: Path, cache: Path) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}

    def watch(label: str) -> Callable[[int, int], None]:
        return lambda done, total: seen.setdefault(label, []).append((done, total))

    evaluate_corpus(folder, cache, KEYWORD, watch=watch)
    for label in ("building", "asking keyword"):
        done, total = seen[label][-1]
        assert done == total
    assert seen["asking keyword"] == [(number, 5) for number in range(1, 6)]


# -- what is wrong with a corpus


@pytest.mark.parametrize(
    ("name", "content", "code", "place"),
    [
        ("corpus.jsonl", b'{"id": "a", "text": "x"}\n{"id": "b"', "bad-line", "corpus.jsonl:2: the line is not JSON"),
        ("corpus.jsonl", b"[" * 100_000, "bad-line", "corpus.jsonl:1: the line is not JSON"),
        ("corpus.jsonl", b"\n\n[1]\n", "bad-line", "corpus.jsonl:3: the line is not a JSON object"),
        ("corpus.jsonl", b'{"id": "\xff"}\n', "bad-line", "corpus.jsonl:1: the line is not UTF-8"),
        ("corpus.jsonl", b'{"text": "x"}\n', "bad-line", "corpus.jsonl:1: the line has no id"),
        ("corpus.jsonl", b'{"id": true}\n', "bad-line", "corpus.jsonl:1: the line has no id"),
        ("corpus.jsonl", b'{"id": " "}\n', "bad-line", "corpus.jsonl:1: the line has no id"),
        ("corpus.jsonl", b'{"id": "a\\u0000"}\n', "bad-line", "corpus.jsonl:1: no entry can name this id"),
        ("corpus.jsonl", b'{"id": 1}\n{"id": "1"}', "bad-line", "corpus.jsonl:2: the id `1` is also that of line 1"),
        ("corpus.jsonl", b'{"id": "a", "text": 5}\n', "bad-line", "corpus.jsonl:1: `text` is not a text"),
        ("queries.jsonl", b'{"id": "q3"}\n', "bad-line", "queries.jsonl:1: the query `q3` has no text"),
        ("queries.jsonl", b"", "nothing-judged", "names no answer"),
        ("qrels.tsv", b"", "nothing-judged", "names no answer"),
        ("qrels.tsv", b"q3\tquoted\t0\n", "nothing-judged", "names no answer"),
        ("qrels.tsv", b"q3\tquoted\n", "bad-line", "qrels.tsv:1: the line is not a judgement"),
        ("qrels.tsv", b"q3\tquoted\t1\nq3\t\t1\n", "bad-line", "qrels.tsv:2: the line is not a judgement"),
        ("qrels.tsv", b"q3\tquoted\t-1\n", "bad-line", "qrels.tsv:1: `-1` is not a grade"),
        ("qrels.tsv", b"q3\tquoted\t1\nq3\tcon\thigh\n", "bad-line", "qrels.tsv:2: `high` is not a grade"),
        ("qrels.tsv", b"q3\tquoted\t" + b"9" * 5000, "bad-line", "is not a grade"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(
    folder: Path, cache: Path, name: str, content: bytes, code: str, place: str
) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(VaultError) as raised:
        evaluate_corpus(folder, cache, KEYWORD)
    assert raised.value.code == code
    assert place in raised.value.message
    assert raised.value.hint
    assert built_in(cache) == []


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_missing_file_is_named(folder: Path, cache: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(evaluation_corpus.NoCorpus, match=name):
        evaluate_corpus(folder, cache, KEYWORD)


def test_folder_that_is_none(folder: Path, cache: Path) -> None:
    with pytest.raises(VaultError, match="is not a folder"):
        evaluate_corpus(folder / "corpus.jsonl", cache, KEYWORD)


def test_file_that_is_gone_while_it_is_read(tmp_path: Path) -> None:
    for reading in (
        lambda: list(evaluation_corpus.lines_of(tmp_path / "gone")),
        lambda: build(tmp_path, tmp_path / "cache"),
    ):
        with pytest.raises(VaultError) as raised:
            reading()
        assert raised.value.code == "unreadable"


# -- faults


def test_vault_that_lost_entries_is_not_measured(folder: Path, cache: Path) -> None:
    built = build(folder, cache)
    (built.root / "global" / "note" / "quoted.firm").unlink()
    with pytest.raises(VaultError, match="holds 59 of the corpus's 60") as raised:
        evaluate_corpus(folder, cache, KEYWORD)
    assert "--fresh" in raised.value.hint
    assert evaluate_corpus(folder, cache, KEYWORD, fresh=True).documents == len(documents())


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"documents": 1, "spaces": {}}'])
def test_damaged_manifest_is_no_vault(folder: Path, cache: Path, manifest: str) -> None:
    (build(folder, cache).root / "corpus.json").write_text(manifest)
    assert evaluate_corpus(folder, cache, KEYWORD).queries == 5


def test_processes_take_turns(folder: Path, cache: Path) -> None:
    inside, waiting = Event(), Event()
    told: list[str] = []

    def first() -> None:
        with evaluation_corpus.using(folder, cache, watch=lambda _: None, say=print):
            inside.set()
            waiting.wait()

    def say(text: str) -> None:
        told.append(text)
        waiting.set()

    thread = Thread(target=first)
    thread.start()
    inside.wait()
    report = evaluate_corpus(folder, cache, KEYWORD, fresh=True, say=say)
    thread.join()
    assert report.queries == 5
    assert told == ["another process is at work on this corpus; waiting for it"]


PROGRAM = """
import os, signal, sys
from pathlib import Path
from vault.errors import VaultError
from vault.service.arguments.evaluation_options import MODES
from vault.service.admin.evaluation import evaluate_corpus
from vault.service.arguments.evaluation_options import EvaluationOptions
folder, cache, fault = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def report(done, total):
    if fault == "kill" and done == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "interrupt" and done == 20:
        raise KeyboardInterrupt
try:
    evaluate_corpus(folder, cache, EvaluationOptions(["keyword"]), watch=lambda label: report)
except (VaultError, KeyboardInterrupt) as error:
    print(getattr(error, "code", "interrupted"), [place.name for place in (cache / "eval").iterdir() if place.is_dir()])
"""


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [("kill", -signal.SIGKILL, ""), ("interrupt", 0, "interrupted []\n")],
)
def test_build_that_was_cut_short_is_taken_for_nothing(
    folder: Path, cache: Path, fault: str, code: int, said: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(cache), fault],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (code, said), ended.stderr
    assert evaluate_corpus(folder, cache, KEYWORD).documents == len(documents())
    assert len(built_in(cache)) == 1


def test_full_disk_leaves_nothing(folder: Path, cache: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(WriteFailed):
            build(folder, cache)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert built_in(cache) == []
    assert evaluate_corpus(folder, cache, KEYWORD).documents == len(documents())


def test_cache_that_cannot_be_made(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(VaultError) as raised:
        evaluate_corpus(folder, tmp_path / "taken" / "cache", KEYWORD)
    assert raised.value.code == "write-failed"


# -- names and fields


@given(st.lists(st.text(alphabet="ab.é", max_size=6), unique=True))
def test_distinct_gives_no_name_twice(texts: list[str]) -> None:
    taken: set[str] = set()
    for text in texts:
        taken.add(distinct(text.replace(".", "")[:2] or "note", text, taken, 16))
    assert len(taken) == len(texts)
    assert all(len(name) <= 16 for name in taken)


@given(st.text())
def test_any_text_may_stand_as_a_date(text: str) -> None:
    moment_in(text)


@pytest.mark.parametrize("text", ["", "soon", "8 May, 2023", "0001-01-01T00:00:00+14:00", "2023-13-01"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert moment_in(text) is None


@settings(max_examples=60)
@given(title=st.text(), text=st.text())
def test_any_document_reads_back(tmp_path_factory: pytest.TempPathFactory, title: str, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "corpus.jsonl"
    path.write_text(json.dumps({"id": "a", "title": title, "text": text}))
    (document,) = evaluation_corpus.documents(path)
    fields, sidecar = with_sidecar("a", "global/note/a.firm", fields_of(document))
    (entry,) = read(write_entry("note", "a", fields), "a.firm").entries
    assert entry.fields == fields
    if document.text.strip():
        held = sidecar.after if sidecar else None
        assert held == f"{document.text}\n".encode() if held else fields["text"] == document.text
        assert (fields.get("text_file") == PathValue("./a.md")) == (held is not None)


# -- a vault at hand


@pytest.fixture
def herbs(write: Write) -> None:
    """Four imported notes, and one of the space `work`."""
    for name, place in [("mint", "h/tea/mint.md"), ("sage", "h/tea/sage.md"), ("leek", "h/soup/my leek.md")]:
        write(
            f"global/note/{name}.firm", f'note {name} {{\n    text = "About {name}"\n    origin = "{place}@0a1b"\n}}\n'
        )
    write("global/note/mint_soup.firm", 'note mint_soup {\n    text = "Cold soup"\n    origin = "h/soup/mint.md"\n}\n')
    write("spaces/work/note/desk.firm", 'note desk { text = "Where the desk stands" }\n')


def questions(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "questions.tsv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        ("note.mint", ["note.mint"]),
        ("mint sage", ["note.mint", "note.sage"]),
        ("note.mint mint", ["note.mint"]),
        ("global/note/mint.firm", ["note.mint"]),
        ("./global/note/mint.firm", ["note.mint"]),
        ("h/tea/mint.md@0a1b", ["note.mint"]),
        ("h/tea/mint.md", ["note.mint"]),
        ("/tea/mint.md", ["note.mint"]),
        ("mint.md", ["note.mint", "note.mint_soup"]),
        ("my leek.md", ["note.leek"]),
        ("my leek.md\tsage", ["note.leek", "note.sage"]),
        ("nettle sage", ["nettle", "note.sage"]),
        ("desk", ["desk"]),
    ],
)
@pytest.mark.usefixtures("herbs")
def test_answers_are_named_in_many_ways(vault: Vault, tmp_path: Path, cell: str, wanted: list[str]) -> None:
    report = evaluate_vault(vault, questions(tmp_path, f"no such words\t{cell}\n"), KEYWORD)
    (missed,) = report.misses["keyword"]
    assert sorted(missed.wanted) == wanted


@pytest.mark.usefixtures("herbs")
def test_own_questions_are_measured_where_the_reader_stands(open_vault: Open, tmp_path: Path) -> None:
    file = questions(tmp_path, "about mint\ttea/mint.md\n\nthe desk\tdesk\nnothing at all\tnettle\n")
    outside = evaluate_vault(open_vault(), file, KEYWORD)
    assert (outside.documents, outside.queries, outside.corpus) == (4, 3, "vault")
    assert [question.id for question in outside.misses["keyword"]] == ["3", "4"]
    assert [told.split(":", 1)[1] for told in outside.notes] == [
        "3: there is no entry `desk`; it counts as never found",
        "4: there is no entry `nettle`; it counts as never found",
    ]
    inside = evaluate_vault(open_vault("work"), file, KEYWORD)
    assert [question.id for question in inside.misses["keyword"]] == ["4"]
    assert inside.modes["keyword"]["success@3"] == pytest.approx(2 / 3)


@pytest.fixture
def without_model(root: Path, herbs: None) -> Path:
    """A file of one question, on a vault that uses no model."""
    with (root / "vault.yaml").open("a") as stream:
        stream.write("embedding:\n  model: none\n")
    return questions(root.parent, "about mint\tmint\n")


def test_without_a_model_keywords_alone_are_measured(without_model: Path, open_vault: Open) -> None:
    report = evaluate_vault(open_vault(), without_model, EvaluationOptions())
    assert list(report.modes) == ["keyword"]
    assert report.unavailable


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_mode_that_needs_a_model_is_not_measured_without(without_model: Path, open_vault: Open, mode: str) -> None:
    with pytest.raises(VaultError) as raised:
        evaluate_vault(open_vault(), without_model, EvaluationOptions([mode]))
    assert raised.value.code == "model-unavailable"


@pytest.mark.parametrize("text", ["no tab\n", "\tmint\n", "mint\t \n"])
def test_line_without_question_or_answer_is_named(vault: Vault, tmp_path: Path, text: str) -> None:
    with pytest.raises(evaluation_corpus.BadLine, match=r"questions\.tsv:1"):
        evaluate_vault(vault, questions(tmp_path, text), KEYWORD)


def test_file_without_questions(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(VaultError) as raised:
        evaluate_vault(vault, questions(tmp_path, "\n"), KEYWORD)
    assert raised.value.code == "nothing-asked"


# -- where the cache is


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/firm-vault"),
        ({"XDG_CACHE_HOME": "c", "HOME": "/h"}, "/h/.cache/firm-vault"),
        ({"HOME": "/h"}, "/h/.cache/firm-vault"),
    ],
)
def test_cache_folder_follows_the_environment(environ: dict[str, str], place: str) -> None:
    assert Context(environ=environ).cache == Path(place)
    assert Context(environ={}).cache == Path.home() / ".cache" / "firm-vault"
