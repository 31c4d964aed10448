"""The text of the hook: shell that any `sh` reads, and that is read back as it was written."""

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.store.files import StaleWrite, WriteFailed
from vault.store.git.installed import (
    BEFORE,
    NAME,
    Guarded,
    Standing,
    answers,
    read_script,
    restore_hook,
    script,
    stands_at,
    write_hook,
)

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
GUARDED = st.builds(Guarded, NAMES, NAMES, st.just("") | NAMES)


@given(st.lists(GUARDED, max_size=4))
def test_script_is_read_as_it_was_written(guarded: list[Guarded]) -> None:
    found = read_script(script(guarded))
    assert (found.guarded, found.changed) == (tuple(guarded), False)


@given(st.lists(GUARDED, min_size=1, max_size=2), st.data())
def test_any_edit_is_noticed(guarded: list[Guarded], data: st.DataObject) -> None:
    text = script(guarded)
    place = data.draw(st.integers(0, len(text)))
    found = read_script(text[:place] + b"~" + text[place:])
    assert found.guarded is None


def test_bytes_that_are_not_utf8_survive() -> None:
    guarded = (Guarded("caf\udce9", "/bin/vault"),)
    assert read_script(script(guarded)).guarded == guarded


def test_a_hook_of_another_version_is_ours_and_that_of_others_is_not() -> None:
    ours = b"#!/bin/sh\nolder text\n\n# the vaults of this hook: repository, folder, program\ncheck '' kb /bin/vault\n"
    mark = b"# firm-vault-hook %s\n" % sha256(ours).hexdigest().encode()
    older = ours.replace(b"older text", mark + b"older text")
    assert read_script(older).guarded == (Guarded("kb", "/bin/vault"),)
    assert read_script(b"#!/bin/sh\nexit 0\n") == Standing(there=True, data=b"#!/bin/sh\nexit 0\n")


def test_script_is_posix_shell(tmp_path: Path) -> None:
    hook = tmp_path / "pre-commit"
    hook.write_bytes(script([Guarded('it\'s $HOME\n`x` "ä"', "/opt/a b/vault", "/r")]))
    done = subprocess.run(["sh", "-n", str(hook)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_answers_only_for_a_program_that_says_what_it_is(tmp_path: Path) -> None:
    program = tmp_path / "vault"
    assert not answers(str(program), {})
    program.write_text("#!/bin/sh\necho Vault v1.15.0\n")
    program.chmod(0o755)
    assert not answers(str(program), {})
    program.write_text("#!/bin/sh\necho vault, version 9\n")
    assert answers(str(program), {})
    program.write_text("#!/bin/sh\necho vault, version 9\nexit 3\n")
    assert not answers(str(program), {})


def test_hook_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    hook = tmp_path / NAME
    now = stands_at(hook)
    hook.write_text("mine")
    with pytest.raises(StaleWrite):
        write_hook(tmp_path, now, [])
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
    assert hook.read_text() == "mine"


def test_hook_that_cannot_be_put_back_is_reported(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / BEFORE).write_text("mine")
    with pytest.raises(WriteFailed):
        restore_hook(tmp_path)
    assert (tmp_path / BEFORE).read_text() == "mine"
