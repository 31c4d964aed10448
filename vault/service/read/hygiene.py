"""Looking a vault's knowledge over. A report and nothing else: nothing is written."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from vault.diagnostics import SEVERITY_ORDER
from vault.knowledge.hygiene.finding import Report, Scene
from vault.knowledge.hygiene.rules import RULES
from vault.knowledge.navigate.visibility import Sight, sight
from vault.model.keys import fold_name
from vault.workspace.versions import versions

if TYPE_CHECKING:
    from vault.model.access import Reader
    from vault.service.runtime.handle import VaultHandle
    from vault.store.records import Stored


def hygiene(
    vault: "VaultHandle", *, everything: bool = False, agent_id: str | None = None, reader: "Reader | None" = None
) -> Report:
    """Report what to tidy up in what the reader sees, or in all scopes (`everything`, which is its owner's to ask).

    With `everything` the names of private spaces are looked for in texts outside them, too.
    """
    asked = reader or vault.reader
    snapshot = vault.snapshot(replace(asked, owner=True) if everything else asked)
    seen = sight(snapshot, agent_id or None, vault.clock())
    scene = _scene(vault, seen, everything=everything)
    found = [finding for rule in RULES for finding in rule(scene)]
    found.sort(key=lambda finding: SEVERITY_ORDER[finding.severity])
    return Report(found, len(scene.entries))


def _scene(vault: "VaultHandle", seen: Sight, *, everything: bool) -> Scene:
    snapshot = seen.snapshot
    settings = snapshot.layout.settings
    entries = list(snapshot.catalog.visible_entries(seen.visible()))
    private = {scope for scope in snapshot.scopes if settings.is_private(scope)} if everything else set()
    return Scene(
        entries,
        seen.reachable(),
        snapshot.schemas,
        vault.clock(),
        settings.local,
        frozenset(map(fold_name, settings.allowed_names)),
        frozenset(private),
        scoped=len(snapshot.scopes) > 1 or bool(settings.spaces),
        in_git=vault.repository is not None,
        spoken=_spoken(vault),
        texts=vault.text_of,
    )


def _spoken(vault: "VaultHandle") -> "Callable[[Stored], datetime | None]":
    """What tells when a fact came to say what it says; None for one that is not committed."""

    def spoken(fact: "Stored") -> datetime | None:
        if vault.repository is None:
            return None
        own = [one for one in versions(vault.ledger, [fact.entry.key]) if one.scope == fact.scope and not one.ended]
        return own[0].began.moment if own else None

    return spoken
