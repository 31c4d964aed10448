"""A letter with an accent is one letter, however a program composes it."""

import unicodedata
from pathlib import Path

import pytest

from tests.cli.conftest import Run

NAME = "Café"
FORMS = [unicodedata.normalize(form, NAME) for form in ("NFC", "NFD")]


@pytest.mark.parametrize("typed", FORMS, ids=["composed", "decomposed"])
@pytest.mark.parametrize("written", FORMS, ids=["in-composed", "in-decomposed"])
def test_both_forms_mean_the_same(run: Run, written: str, typed: str) -> None:
    place = Path(f"global/thing/{written}.firm")
    place.parent.mkdir(parents=True)
    place.write_text(f'thing cafe {{\n    name = "{written}"\n    tags = ["{written}"]\n}}\n')
    for condition in (f'name == "{typed}"', f'name startswith "{typed}"', f'name contains "{typed[2:]}"',
                      f'tags contains "{typed}"', f'name in ["{typed}"]'):  # fmt: skip
        assert "thing.cafe" in run("query", f"from thing | where {condition}").out, condition
    assert "thing.cafe" not in run("query", f'from thing | where name != "{typed}"').out
    for words in (["get", typed], ["get", f"global/thing/{typed}.firm"], ["list", "--tag", typed],
                  ["file", "show", f"global/thing/{typed}.firm"], ["file", "grep", typed],
                  ["check", f"global/thing/{typed}.firm"], ["search", typed, "--mode", "keyword"]):  # fmt: skip
        assert run(*words).code == 0, words
    assert run("set", "cafe", f"tags+={typed}").code == 0
    assert place.read_text().count('"Caf') == 2
    assert run("set", "cafe", f"tags-={typed}").code == 0
    assert run("commit", f"global/thing/{typed}.firm").code == 0
