"""The text of the hook: shell that any `sh` reads, and that is read back as it was written."""

import os
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.store.files import StaleWrite, WriteFailed
from vault.store.git.installed import (
    NAMES,
    Guarded,
    Standing,
    answers,
    kept_from,
    read_script,
    restore_hook,
    script,
    stands_at,
    write_hook,
)

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
GUARDED = st.builds(Guarded, WORDS, WORDS, st.just("") | WORDS)


@given(st.lists(GUARDED, max_size=4))
def test_script_is_read_as_it_was_written(guarded: list[Guarded]) -> None:
    found = read_script(script(NAMES[0], guarded))
    assert (found.guarded, found.changed) == (tuple(guarded), False)


@given(st.lists(GUARDED, min_size=1, max_size=2), st.data())
def test_any_edit_is_noticed(guarded: list[Guarded], data: st.DataObject) -> None:
    text = script(NAMES[0], guarded)
    place = data.draw(st.integers(0, len(text)))
    found = read_script(text[:place] + b"~" + text[place:])
    assert found.guarded is None


def test_bytes_that_are_not_utf8_survive() -> None:
    guarded = (Guarded("caf\udce9", "/bin/vault"),)
    assert read_script(script(NAMES[0], guarded)).guarded == guarded


def test_a_hook_of_another_version_is_ours_and_that_of_others_is_not() -> None:
    ours = b"#!/bin/sh\nolder text\n\n# the vaults of this hook: repository, folder, program\ncheck '' kb /bin/vault\n"
    mark = b"# firm-vault-hook %s\n" % sha256(ours).hexdigest().encode()
    older = ours.replace(b"older text", mark + b"older text")
    assert read_script(older).guarded == (Guarded("kb", "/bin/vault"),)
    assert read_script(b"#!/bin/sh\nexit 0\n") == Standing(there=True, data=b"#!/bin/sh\nexit 0\n")


def test_script_is_posix_shell(tmp_path: Path) -> None:
    hook = tmp_path / "pre-commit"
    hook.write_bytes(script(NAMES[1], [Guarded('it\'s $HOME\n`x` "ä"', "/opt/a b/vault", "/r")]))
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
    hook = tmp_path / NAMES[0]
    now = stands_at(hook)
    hook.write_text("mine")
    with pytest.raises(StaleWrite):
        write_hook(hook, now, [])
    assert [file.name for file in tmp_path.iterdir()] == [hook.name]
    assert hook.read_text() == "mine"


def test_hook_that_cannot_be_put_back_is_reported(tmp_path: Path) -> None:
    hook = tmp_path / NAMES[0]
    hook.mkdir()
    kept_from(hook).write_text("mine")
    with pytest.raises(WriteFailed):
        restore_hook(hook)
    assert kept_from(hook).read_text() == "mine"


@pytest.mark.parametrize("shell", [["sh"], ["bash", "--posix"]])
@pytest.mark.parametrize(
    ("files", "checks"),
    [
        (["a.firmware", "vault.yaml.txt", "firm"], False),
        (["a.firm"], True),
        (["x", "größe.firm", "z"], True),
        (["sub/vault.yaml", "z"], True),
        (['"vault.yaml'], True),
    ],
)
def test_files_that_make_a_vault(tmp_path: Path, shell: list[str], files: list[str], checks: bool) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    for name in files:
        file = tmp_path / "kb" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "hook").write_bytes(script("hook", [Guarded("kb", "/no/such/vault")]))
    environ = {**os.environ, "PATH": "/usr/bin:/bin"}
    done = subprocess.run([*shell, "./hook"], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == checks
    assert ("is gone: /no/such/vault" in done.stderr) == checks
