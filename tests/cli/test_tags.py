"""`vault tags`."""

from tests.cli.conftest import Run


def test_tags_are_counted_once_per_entry_and_the_most_used_come_first(run: Run) -> None:
    run("add", "note", "a", "-f", "text=x", "-f", "tags=red", "-f", "tags=blue")
    run("add", "note", "b", "-f", "text=x", "-f", "tags=#Red", "-f", "tags=red")
    run("add", "actor", "c", "-f", "name=C", "-f", "kind=person", "-f", "tags=green")
    run("--space", "diary", "add", "note", "d", "-f", "text=x", "-f", "tags=secret")
    told = run("tags")
    assert [line.split() for line in told.out.splitlines()] == [["red", "2"], ["blue", "1"], ["green", "1"]]
    assert told.err == "3 tags\n"
    assert run("tags", "actor", "--json").json()["items"] == [{"tag": "green", "entries": 1}]
    assert "secret" in run("--space", "diary", "tags").out


def test_a_type_that_is_unknown_is_refused(run: Run) -> None:
    refused = run("tags", "nope")
    assert refused.code == 2
    assert "unknown-type" in refused.err


def test_a_vault_without_tags_has_none(run: Run) -> None:
    assert run("tags").out == ""
    assert run("tags", "--json").json()["total"] == 0
