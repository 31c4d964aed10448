"""After any sequence of edits the derived data equals what making it anew gives."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.endurance import amount, is_long
from vault.model.settings import Settings, Space, write_settings
from vault.service.admin import reindex
from vault.service.vault import Vault
from vault.store import bundled

NAMES = ("a", "b", "c")
PLACES = tuple(f"{scope}/note/{name}.firm" for scope in ("global", "spaces/work", "spaces/diary") for name in NAMES)
TEXTS = (
    'note {id} {{ text = "garden {n}" }}\n',
    'note {id} {{ text = "gate {n}" tags = ["t{n}"] relates_to = [note.b] }}\nnote extra{n} {{ text = "x" }}\n',
    'note {id} {{ text_file = path"./side.md" }}\n',
    'note {id} {{ text = "broken {n}\n',
    'thing {id} {{ name = "Thing {n}" }}\n',
    "",
)
SCHEMA = 'schema thing {{ field {{ name = "name" type = "{kind}" required = true }} }}\n'

Edit = tuple[str, str, int]
edits = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(PLACES), st.integers(0, 4 * len(TEXTS) - 1)),
        st.tuples(st.just("delete"), st.sampled_from(PLACES), st.just(0)),
        st.tuples(st.just("move"), st.sampled_from(PLACES), st.integers(0, len(PLACES) - 1)),
        st.tuples(st.just("sidecar"), st.sampled_from(("global", "spaces/work")), st.integers(0, 3)),
        st.tuples(st.just("schema"), st.just(""), st.integers(0, 2)),
        st.tuples(st.just("private"), st.just(""), st.integers(0, 1)),
    ),
    max_size=8,
)


def apply(root: Path, edit: Edit) -> None:
    """Do one edit as an editor or a file manager would."""
    kind, path, number = edit
    actions: dict[str, Callable[[], None]] = {
        "write": lambda: write(root / path, TEXTS[number % len(TEXTS)].format(id=Path(path).stem, n=number)),
        "delete": lambda: (root / path).unlink(missing_ok=True),
        "move": lambda: move(root / path, root / PLACES[number]),
        "sidecar": lambda: write(root / path / "note" / "side.md", f"# Side\n\nwords {number}\n") if number else None,
        "schema": lambda: write(
            root / "schema" / "thing.firm", SCHEMA.format(kind=("string", "integer", "list")[number])
        ),
        "private": lambda: declare(root, work_is_private=bool(number)),
    }
    actions[kind]()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def move(source: Path, target: Path) -> None:
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)


def declare(root: Path, *, work_is_private: bool) -> None:
    spaces = {"work": Space("work", work_is_private), "diary": Space("diary", private=True)}
    (root / "vault.yaml").write_text(write_settings(Settings(spaces)))


@pytest.mark.endurance
@settings(max_examples=amount(6, 100), derandomize=not is_long(), suppress_health_check=[HealthCheck.too_slow])
@given(edits)
def test_derived_data_equals_a_rebuild_after_any_edits(sequence: list[Edit]) -> None:
    root = Path(tempfile.mkdtemp(prefix="sequence-")).resolve()
    try:
        declare(root, work_is_private=False)
        write(root / "schema" / "note.firm", bundled.schema_texts()["note"])
        for edit in sequence:
            apply(root, edit)
            with Vault.open(root) as vault:
                assert reindex.differences(vault) == []
    finally:
        shutil.rmtree(root)
