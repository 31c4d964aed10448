"""The benchmark runs, and its table has its shape. How fast it is, is no test's business."""

from pathlib import Path

import pytest

from tests.bench import generate, place
from tests.bench.figures import FIGURES
from tests.bench.measuring import HEADINGS, Result, measure, table
from tests.bench.place import Place
from tests.endurance import amount


@pytest.mark.endurance
def test_every_figure_stands_beside_its_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "SHARED", tmp_path / "none")
    monkeypatch.setattr(place, "COMMITS", 20)
    figures = amount(FIGURES[:: len(FIGURES) // 3], FIGURES)
    results = measure(Place.made(tmp_path, 50), figures, rounds=1)
    head, *rows = table(results)
    assert [word for word in HEADINGS if word] == head.split()
    assert len(rows) == len(figures)
    for row, result in zip(rows, results, strict=True):
        assert row.startswith(result.figure.name)
        assert result.figure.beside in row
        assert min(*result.ours, *result.reference) > 0
        assert set(result.as_data()) >= {"name", "ours", "reference", "ratio", "goal", "ok"}


@pytest.mark.parametrize(("ours", "ok"), [((1.0, 9.0, 4.9), True), ((1.0, 5.1, 9.0), False)])
def test_relative_goal_compares_medians(ours: tuple[float, ...], ok: bool) -> None:
    result = Result(FIGURES[0], ours, (2.0, 2.0, 2.0))
    assert result.figure.relative
    assert result.ok is ok


def test_generated_vault_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        generate.main(40, tmp_path / name, seed=7)
    first, second = (
        {file.relative_to(tmp_path / name): file.read_bytes() for file in (tmp_path / name).rglob("*.firm")}
        for name in ("one", "two")
    )
    assert first == second
    assert len(first) == 40
