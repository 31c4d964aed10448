"""The gate that every served call passes: one decision for tools, resources, prompts and completion."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vault.errors import VaultError
from vault.model.access import READING, Need, Permission, strictest
from vault.service.write.consents import Call, Consent, ask, given, using
from vault.service.write.effects import Effects, effects

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.journal import FileWrite

#: Characters of each text that a question shows.
SHOWN = 4_000


class NotPermitted(VaultError):
    """A call that needs a tool which the vault's settings or the caller's token do not allow."""

    code = "not-permitted"

    def __init__(self, name: str, tool: str) -> None:
        effect = "" if name == tool else f": it needs `{tool}`"
        super().__init__(
            f"`{name}` is not permitted here{effect}",
            hint="the vault's owner decides, by `permissions:` in vault.yaml and by the tools of a token",
            details={"tool": tool},
        )


class OtherAgent(VaultError):
    """A write that would give an entry to another agent than the caller."""

    code = "other-agent"

    def __init__(self, key: str, agent: str, own: str) -> None:
        allowed = f"leave `agent` empty, or give `{own}`" if own else "leave `agent` empty: you are bound to no agent"
        super().__init__(
            f"`{key}` cannot be given to the agent `{agent}`", hint=allowed, details={"key": key, "agent": agent}
        )


class ConsentRequired(VaultError):
    """A call that a person has to agree to first. `consent` is the question, for whoever asks that person."""

    code = "consent-required"

    def __init__(self, name: str, consent: Consent, *, may_read: bool) -> None:
        place = f" --space {consent.call.space}" if consent.call.space else ""
        command = f"vault{place} consent {consent.number[:12]}"
        about = consent.about if may_read else ""
        super().__init__(
            f"`{name}` needs a person's consent here",
            hint=f"a person runs `{command}`; then repeat the call exactly",
            details={"consent": consent.number, "command": command, "about": about},
        )
        self.consent = consent


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the agent, the token ("" without one), and the tools that the token allows (None: all)."""

    agent: str = ""
    token: str = ""
    tools: frozenset[str] | None = None


@dataclass(slots=True)
class Gate:
    """Decides what one call may do. `needs` are the tools whose permissions it needs whatever it does."""

    vault: "VaultHandle"
    caller: Caller
    name: str
    needs: tuple[Need, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def may_read(self) -> bool:
        """Whether the caller may read the text of entries without being asked about."""
        return self._decision([READING])[0] == "always"

    def enter(self) -> None:
        """Raise `NotPermitted` for a call that is refused whatever it does."""
        permission, tool = self._decision(self.needs)
        if permission == "never":
            raise NotPermitted(self.name, tool)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let a call read. Raises `NotPermitted` and `ConsentRequired`."""
        self.enter()
        with self._agreed(self._decision(self.needs)[0], Effects()):
            yield

    def check(self, writes: "Sequence[FileWrite]") -> None:
        """Raise what `passing` would, and leave the consent for it."""
        effect = effects(self.vault, writes)
        if self._permission(effect) == "ask" and given(self.vault, self._call(effect)) is None:
            raise self._question(effect)

    @contextmanager
    def passing(self, writes: "Sequence[FileWrite]") -> Iterator[None]:
        """Let a call write, under the writer lock. Raises `NotPermitted`, `OtherAgent` and `ConsentRequired`."""
        effect = effects(self.vault, writes)
        with self._agreed(self._permission(effect), effect):
            yield

    def _permission(self, effect: Effects) -> Permission:
        if not effect.versions:
            return "always"  # nothing changes
        self._check_agents(effect)
        permission, tool = self._decision([*self.needs, *((tool,) for tool, _ in sorted(effect.tools))])
        if permission == "never":
            raise NotPermitted(self.name, tool)
        return permission

    def _check_agents(self, effect: Effects) -> None:
        """Raise `OtherAgent` where the write makes an entry that of an agent which is not the caller."""
        before = {(block.entry.key, block.entry.fields.get("agent", "")) for block in effect.before}
        for block in effect.after:
            agent = block.entry.fields.get("agent", "")
            if agent not in ("", self.caller.agent) and (block.entry.key, agent) not in before:
                raise OtherAgent(block.entry.key, str(agent), self.caller.agent)

    def _decision(self, needs: Iterable[Need]) -> tuple[Permission, str]:
        settings, scope = self.vault.layout.settings, self.vault.scope
        return strictest(needs, lambda tool: settings.permission(tool, scope), self.caller.tools)

    @contextmanager
    def _agreed(self, permission: Permission, effect: Effects) -> Iterator[None]:
        if permission == "always":
            yield
            return
        consent = given(self.vault, self._call(effect))
        if consent is None:
            raise self._question(effect)
        with using(self.vault, consent) as first:
            if not first:
                raise self._question(effect)
            yield

    def _question(self, effect: Effects) -> ConsentRequired:
        consent = ask(self.vault, self._call(effect), self._about(effect))
        return ConsentRequired(self.name, consent, may_read=self.may_read)

    def _call(self, effect: Effects) -> Call:
        space = self.vault.reader.space
        return Call(self.name, dict(self.arguments), space, self.caller.agent, self.caller.token, dict(effect.versions))

    def _about(self, effect: Effects) -> str:
        """The texts that the call replaces, removes or hides, as far as the caller may see them."""
        covered = [stored.entry for stored in effect.covered]
        hidden = [entry for entry in covered if entry.fields.get("agent", "") in ("", self.caller.agent)]
        texts = [
            *(f"{block.entry.path}:\n{_shown(block.text)}" for block in effect.before),
            *(f"{path}:\n{_shown(text)}" for path, text in effect.texts),
            *(f"{entry.path}:{entry.place.line}: {entry.key}, which it hides or replaces" for entry in hidden),
        ]
        return "\n".join(texts)


def _shown(text: str) -> str:
    rest = len(text) - SHOWN
    return f"{text[:SHOWN]}\n… and {rest} characters more" if rest > 0 else text
