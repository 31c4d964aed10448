"""One turn: what a message brings, given what its session remembers, and what the session remembers then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vault.knowledge.hydrate.block import Line, fitting, line_of
from vault.knowledge.hydrate.candidates import Candidate, Source, grouped, joined, remembered, retained
from vault.knowledge.hydrate.memory import Memory, Mode, digest_of
from vault.knowledge.navigate.visibility import Sight
from vault.model.slots import validity_of
from vault.store.records import Stored

GONE = "no longer holds, and is not in the vault any more"
OVER = "no longer holds"
IN_VIEW, NO_ROOM = "in view already", "beyond the budget"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a message is hydrated: the mode, the budget in tokens, and for how many turns matches stay."""

    mode: Mode
    budget: float
    turns: float


@dataclass(frozen=True, slots=True)
class Brought:
    """A line that is brought, and why; `stored` is None where a session was shown what is gone since."""

    line: Line
    source: Source
    why: str
    stored: Stored | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn brings, each candidate with why it is left out, and what is remembered after it."""

    brought: Sequence[Brought]
    candidates: Sequence[Candidate]
    memory: Memory


@dataclass(frozen=True, slots=True)
class Scene:
    """A message, what its reader sees, when, and how a text that an entry keeps in a sidecar is read."""

    text: str
    sight: Sight
    now: datetime
    text_of: Callable[[Stored], str | None]

    def line(self, one: Candidate) -> Line:
        """The line of a candidate."""
        return line_of(one.stored.entry, self.text_of(one.stored))


def woven(scene: Scene, roots: Sequence[Candidate], memory: Memory, wanted: Wanted) -> Turn:
    """Fit what is matched, retained or changed since it was shown into a block's budget, in the order of its worth."""
    if wanted.mode == "turn":
        order = joined(
            scene.sight, [*roots, *retained(scene.sight, memory.retained(wanted.turns))], scene.text, scene.now
        )
        gone: list[tuple[str, Brought]] = []
    else:
        changed, gone = _since_shown(scene, memory)
        order = joined(scene.sight, [*changed, *roots], scene.text, scene.now)
    lines = {one.name: scene.line(one) for one in order if not one.out}
    if wanted.mode == "transcript":
        order = [replace(one, out=IN_VIEW) if _is_in_view(one, lines, memory) else one for one in order]
    given = [(name, brought.line) for name, brought in gone]
    given += [(one.name, lines[one.name]) for one in order if not one.out]
    fits = fitting([line for _, line in given], wanted.budget)
    kept = {name for place, (name, _) in enumerate(given) if place in fits}
    order = [replace(one, out=NO_ROOM) if not one.out and one.name not in kept else one for one in order]
    shown = [one for one in order if not one.out]
    brought = [brought for name, brought in gone if name in kept]
    brought += [_brought(one, lines[one.name], under=under) for one, under in grouped(shown)]
    return Turn(brought, order, _after(memory, wanted.mode, order, lines, [name for name, _ in gone]))


def _brought(one: Candidate, line: Line, *, under: bool) -> Brought:
    return Brought(replace(line, under=under), one.source, one.why, one.stored, one.score)


def _is_in_view(one: Candidate, lines: dict[str, Line], memory: Memory) -> bool:
    held = memory.held.get(one.name)
    return not one.out and held is not None and held.digest == digest_of(lines[one.name])


def _since_shown(scene: Scene, memory: Memory) -> tuple[list[Candidate], list[tuple[str, Brought]]]:
    """What a session was shown that says something else now, and, by name, what of it holds no more."""
    held = remembered(scene.sight, memory.held)
    local = scene.sight.snapshot.layout.settings.local
    changed: list[Candidate] = []
    gone: list[tuple[str, Brought]] = []
    for name, shown in memory.held.items():
        stored, why = held.get(name), f"changed since it was shown in turn {shown.turn}"
        if stored is None:
            gone.append((name, Brought(Line(name.partition(" ")[2], GONE), "changed", why)))
            continue
        one = Candidate(stored, "changed", why)
        if not validity_of(stored.entry, local).is_open(scene.now):
            gone.append((name, Brought(replace(scene.line(one), said=OVER), "changed", why, stored)))
        elif digest_of(scene.line(one)) != shown.digest:
            changed.append(one)
    return changed, gone


def _after(
    memory: Memory, mode: Mode, order: Sequence[Candidate], lines: dict[str, Line], gone: Sequence[str]
) -> Memory:
    """In the mode turn what this turn matched is remembered, in the mode transcript what it showed."""
    if mode == "turn":
        matched = [one for one in order if one.source in ("name", "meaning") and (not one.out or one.out == NO_ROOM)]
        return memory.next(dict.fromkeys((one.name for one in matched), ""))
    return memory.next({one.name: digest_of(lines[one.name]) for one in order if not one.out}, gone)
