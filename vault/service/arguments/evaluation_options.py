"""How search is to be evaluated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from vault.model.settings import Fusion

if TYPE_CHECKING:
    from vault.search.rank import Mode

Question = TypeVar("Question")

#: What may be evaluated: the search mode, and how its rankings are combined.
MODES: Mapping[str, tuple["Mode", Fusion | None]] = {
    "keyword": ("keyword", None),
    "semantic": ("semantic", None),
    "rrf": ("hybrid", "rrf"),
    "convex": ("hybrid", "convex"),
    "hybrid": ("hybrid", None),
}


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """What is measured: the modes (all if none is named), at most how many queries."""

    modes: Sequence[str] = ()
    limit: int | None = None

    @property
    def chosen(self) -> list[str]:
        """The modes in the order they are shown."""
        return [mode for mode in MODES if not self.modes or mode in self.modes]

    def sample(self, questions: Sequence[Question]) -> Sequence[Question]:
        """The questions that are asked, evenly spread over all."""
        count = len(questions)
        if self.limit is None or self.limit >= count:
            return questions
        return [questions[number * count // self.limit] for number in range(self.limit)]
