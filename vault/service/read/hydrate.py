"""Hydration: for a message, what the vault knows of what it names or means, as one block for an agent's context."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from vault.errors import UsageError
from vault.knowledge.hydrate.block import block_of, tokens
from vault.knowledge.hydrate.candidates import Candidate, meant, named
from vault.knowledge.hydrate.common_words import least_cosine
from vault.knowledge.hydrate.memory import MODES, Memory, Mode
from vault.knowledge.hydrate.turn import Brought, Scene, Wanted, woven
from vault.knowledge.navigate.visibility import Sight, sight
from vault.model.settings import NO_MODEL
from vault.service.arguments.choices import checked_choice
from vault.service.runtime.citations import cited
from vault.service.runtime.sessions import Session, forget, remember

if TYPE_CHECKING:
    from vault.model.access import Reader
    from vault.service.runtime.handle import VaultHandle

#: Entries near in meaning that are candidates.
LOOKED_AT = 10
NOT_YET = "no passage is embedded yet; `vault index` does it"
#: Characters of a message that are compared by meaning: the model reads no more.
COMPARED = 1500


class BadBudget(UsageError):
    """A number of tokens or turns that is none."""

    def __init__(self, name: str, value: float) -> None:
        super().__init__(f"`{name}` cannot be {value:g}", hint="give a number from 0 on; the floor is at most 1")


@dataclass(frozen=True, slots=True)
class Hydrated:
    """What a message brings: the block ("" where that is nothing), its lines, and why each candidate is in or out.

    `tokens` is an estimate; `wanted` is what was asked for, with the settings for the rest; `turn` counts the turns of
    the session from 1, and is 0 without one. `problem` says why meaning could not be asked.
    """

    block: str
    brought: Sequence[Brought]
    candidates: Sequence[Candidate]
    tokens: int
    wanted: Wanted
    turn: int = 0
    enabled: bool = True
    problem: str = ""


def hydrate(
    vault: "VaultHandle",
    text: str,
    *,
    session: str | None = None,
    mode: Mode = "turn",
    meaning: bool = False,
    budget: int | None = None,
    floor: float | None = None,
    turns: int | None = None,
    fresh: bool = False,
    agent_id: str | None = None,
    reader: "Reader | None" = None,
) -> Hydrated:
    """Find what a message names, and with `meaning` what says much the same, and make one block of it.

    A `session` remembers: in the mode turn what was matched stays for some `turns`, in the mode transcript nothing is
    said again that is in view; `fresh` begins it anew. `budget` is in tokens, `floor` a cosine; both, and `turns`,
    are the settings' unless given. The embedding model is loaded only for `meaning`. Raises `BadChoice`, `BadBudget`
    and `BadSession`.
    """
    settings = vault.layout.settings.hydration
    checked_choice("mode", mode, MODES)
    wanted = Wanted(mode, _checked("budget", budget, settings.budget), _checked("turns", turns, settings.turns))
    least = _checked("floor", floor, settings.floor, most=1)
    if not settings.enabled:
        return Hydrated("", (), (), 0, wanted, enabled=False)
    reads = reader or vault.reader
    text = text.encode(errors="replace").decode()
    seen = sight(vault.snapshot(reads), agent_id or None, vault.clock())
    whole = replace(seen, snapshot=seen.snapshot.whole())
    scene = Scene(text, whole, vault.clock(), vault.text_of)
    # what ships with the product is named beside what the vault has, and never instead of it
    roots, problem = [*named(seen, text), *named(Sight(seen.snapshot.shipped()), text)], ""
    if meaning:
        near, problem = _near(vault, seen, text, least)
        roots += near
    if session is None:
        return replace(_turn(vault, scene, roots, wanted, Memory())[0], turn=0, problem=problem)
    held = Session(session, mode, reads, agent_id or None)
    if fresh:
        forget(vault, held)
    made: list[Hydrated] = []

    def turn(memory: Memory) -> Memory:
        found, after = _turn(vault, scene, roots, wanted, memory)
        made.append(replace(found, problem=problem))
        return after

    remember(vault, held, turn)
    return made[0]


def _checked(name: str, given: float | None, default: float, most: float = inf) -> float:
    value = default if given is None else given
    if not 0 <= value <= most:
        raise BadBudget(name, value)
    return value


def _near(vault: "VaultHandle", seen: Sight, text: str, floor: float) -> tuple[list[Candidate], str]:
    """The entries nearest in meaning to a message that says something, and why there are none to ask."""
    from vault.search.embedding import ModelUnavailable
    from vault.search.vectors.near import by_entry
    from vault.service.read.search import meaning_of

    least = least_cosine(text, floor)
    if least is None:
        return [], ""
    if vault.meanings.model == NO_MODEL:
        return [], "the settings choose to do without an embedding model"
    try:
        asked, share = meaning_of(vault, seen.snapshot, text[:COMPARED])
    except ModelUnavailable as error:
        return [], f"{error.message}; {error.hint}"
    if asked is None:
        return [], NOT_YET if share and share.of and not share.passages else ""
    shadowed = {*seen.snapshot.hidden(), *seen.shadowed}
    near = [
        found
        for table in asked.tables
        for found in table.compared(asked.vector, table.visible(seen.snapshot.scopes, shadowed, None)).nearest(
            LOOKED_AT * 4
        )
    ]
    found = meant(seen, {row: one.score for row, one in by_entry(near).items()}, least)
    return found[:LOOKED_AT], ""


def _turn(
    vault: "VaultHandle", scene: Scene, roots: Sequence[Candidate], wanted: Wanted, memory: Memory
) -> tuple[Hydrated, Memory]:
    """Hydrate, given what is remembered; and what is remembered then."""
    turn = woven(scene, roots, memory, wanted)
    commits = cited(vault, [one.line.path for one in turn.brought if one.line.path])
    brought = [replace(one, line=replace(one.line, commit=commits.get(one.line.path, ""))) for one in turn.brought]
    block = block_of([one.line for one in brought])
    made = Hydrated(block, brought, turn.candidates, tokens(block), wanted, turn.memory.turn)
    return made, turn.memory
