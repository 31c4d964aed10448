"""A figure: what is measured beside what, and the table of what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tests.bench.child import Run
from tests.bench.place import Place


def seconds(run: Run) -> float:
    """The time on the wall."""
    return run.seconds


def megabytes(run: Run) -> float:
    """The most memory held."""
    return run.megabytes


def printed(run: Run) -> float:
    """The number a program measured by itself."""
    return float(run.said.split()[-1])


def milliseconds(run: Run) -> float:
    """The seconds a program measured by itself, as milliseconds."""
    return 1000 * printed(run)


Measure = Callable[[Place], Run]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; its goal is a number of its unit or, if `relative`, of the reference's."""

    name: str
    ours: Measure
    reference: Measure
    beside: str
    goal: float
    relative: bool = False
    unit: str = "s"
    value: Callable[[Run], float] = seconds


@dataclass(frozen=True, slots=True)
class Result:
    """A figure as it was measured: every run, and the medians."""

    figure: Figure
    ours: tuple[float, ...]
    reference: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """How many times the reference's median ours is."""
        return median(self.ours) / median(self.reference)

    @property
    def ok(self) -> bool:
        """Whether the goal is reached."""
        return (self.ratio if self.figure.relative else median(self.ours)) <= self.figure.goal

    def as_data(self) -> dict[str, object]:
        """The result for JSON."""
        figure = self.figure
        return {
            "name": figure.name,
            "unit": figure.unit,
            "ours": round(median(self.ours), 4),
            "reference": round(median(self.reference), 4),
            "beside": figure.beside,
            "ratio": round(self.ratio, 3),
            "goal": figure.goal,
            "relative": figure.relative,
            "ok": self.ok,
            "runs": {"ours": self.ours, "reference": self.reference},
        }


def measure(place: Place, figures: Sequence[Figure], rounds: int) -> list[Result]:
    """Measure figures, ours and the reference by turns, so that a drift of the machine meets both.

    Figures that read different values of the same two programs share their runs.
    """
    pairs = list(dict.fromkeys((figure.ours, figure.reference) for figure in figures))
    runs: Mapping[Measure, list[Run]] = {program: [] for pair in pairs for program in pair}
    for number in range(rounds):
        for pair in pairs:
            for program in pair if number % 2 == 0 else reversed(pair):
                runs[program].append(program(place))
    return [
        Result(
            figure,
            tuple(figure.value(run) for run in runs[figure.ours]),
            tuple(figure.value(run) for run in runs[figure.reference]),
        )
        for figure in figures
    ]


HEADINGS = ("figure", "ours", "reference", "ratio", "goal", "", "beside")


def table(results: Sequence[Result]) -> list[str]:
    """Lay results out, one figure a row."""
    rows = [HEADINGS]
    for result in results:
        figure = result.figure
        digits = 3 if figure.unit == "s" else 1 if figure.unit == "ms" else 0
        rows.append(
            (
                figure.name,
                f"{median(result.ours):.{digits}f} {figure.unit}",
                f"{median(result.reference):.{digits}f} {figure.unit}",
                f"{result.ratio:.2f}x",
                f"{figure.goal:.3g}{'x' if figure.relative else f' {figure.unit}'}",
                "ok" if result.ok else "over",
                figure.beside,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    aligned = ["<", ">", ">", ">", ">", "<", "<"]
    return [
        "  ".join(f"{cell:{align}{width}}" for cell, align, width in zip(row, aligned, widths, strict=True)).rstrip()
        for row in rows
    ]
