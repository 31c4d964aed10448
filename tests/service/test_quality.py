"""How well search finds, on a small set of our own: half the questions use the texts' words, half other ones."""

import json
from pathlib import Path

import pytest

from vault.service.admin.evaluation import evaluate_corpus
from vault.service.arguments.evaluation_options import EvaluationOptions

DOCUMENTS = {
    "leave": "Parents may stay at home for twelve weeks after a birth, with full pay.",
    "vacation": "Unused holidays expire in March; ask your lead before you book them.",
    "sick": "If you fall ill, write to the office before nine and see a doctor on the third day.",
    "badge": "The entrance opens with a card. A lost card is blocked by the front desk.",
    "parking": "Bicycles stand in the cellar, cars in the yard behind the house.",
    "train": "The company pays for a monthly ticket on buses and the underground.",
    "travel": "Book hotels and flights with the agency, and keep every receipt.",
    "laptop": "Each colleague gets a notebook computer and a telephone on the first day.",
    "password": "A passphrase has at least sixteen characters and is changed when it leaks.",
    "signing": "Commits are signed with an SSH key that the keyring holds.",
    "review": "Two people read each change before it is merged into the main branch.",
    "deploy": "A release goes out on Tuesday, and is rolled back if errors rise.",
    "incident": "Whoever sees an outage calls the engineer on duty and opens a channel.",
    "backup": "Databases are copied every night to a second data centre and restored as a drill each quarter.",
    "invoice": "Bills go to accounting with the number of the order on them.",
    "salary": "Wages arrive on the twenty-fifth; a pay rise is talked about in autumn.",
    "hiring": "A candidate meets the team, solves a small task and hears from us within a week.",
    "leaving": "Who resigns hands over their projects and returns all equipment.",
    "training": "Everyone may spend a thousand a year on courses and books.",
    "mentor": "For the first three months somebody experienced answers your questions.",
    "accessibility": "Pages must work with a screen reader and without a mouse.",
    "licence": "Our libraries are published as open source under the Apache licence.",
    "meeting": "Meetings have an agenda, end on time, and nobody must attend without one.",
    "lunch": "The canteen serves a warm meal between noon and two; the kitchen has coffee.",
}
QUESTIONS = {
    "parents stay at home after birth": "leave",
    "paternity and maternity time off": "leave",
    "when do unused holidays expire": "vacation",
    "what to do when I have a cold": "sick",
    "lost card for the entrance": "badge",
    "where can I put my bike": "parking",
    "commuting costs": "train",
    "book hotels and flights": "travel",
    "what hardware will I receive as a newcomer": "laptop",
    "how long must a passphrase be": "password",
    "SSH key for commits": "signing",
    "who has to approve my pull request": "review",
    "shipping a new version to production": "deploy",
    "call the engineer on duty": "incident",
    "the site is down": "incident",
    "are databases copied every night": "backup",
    "disaster recovery": "backup",
    "number of the order on bills": "invoice",
    "getting more money": "salary",
    "job interview": "hiring",
    "I am quitting": "leaving",
    "budget for courses and books": "training",
    "blind users": "accessibility",
    "open source Apache licence": "licence",
    "agenda of meetings": "meeting",
    "where to eat": "lunch",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The set as a folder of a judged corpus."""
    folder = tmp_path / "office"
    folder.mkdir()
    documents = (json.dumps({"id": name, "title": "", "text": text}) for name, text in DOCUMENTS.items())
    (folder / "corpus.jsonl").write_text("\n".join(documents))
    questions = (json.dumps({"id": f"q{number}", "text": text}) for number, text in enumerate(QUESTIONS))
    (folder / "queries.jsonl").write_text("\n".join(questions))
    judged = (f"q{number}\t{name}\t1" for number, name in enumerate(QUESTIONS.values()))
    (folder / "qrels.tsv").write_text("\n".join(judged))
    return folder


def test_questions_in_other_words_are_answered(corpus: Path, tmp_path: Path) -> None:
    report = evaluate_corpus(corpus, tmp_path / "cache", EvaluationOptions())
    gained = {name: figures["ndcg@10"] for name, figures in report.modes.items()}
    assert gained["hybrid"] == gained["convex"] >= 0.85
    assert gained["rrf"] >= 0.85
    assert gained["keyword"] < 0.5  # half of the questions use other words
    assert report.modes["hybrid"]["success@3"] >= 0.9
