"""Consents: what a person says yes to before a tool does it. One covers one call's exact content, once."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault.errors import VaultError
from vault.service.changing import make_sure_own
from vault.service.reading import block, detail
from vault.store.files import ensure_private_dir, write_atomic

if TYPE_CHECKING:
    from vault.service.vault import Vault

#: Characters of the entry it is about that a question shows.
SHOWN = 2_000
#: How long a consent that was given waits for its call, and a question for its consent.
GIVEN_FOR, ASKED_FOR = timedelta(hours=1), timedelta(days=7)


class ConsentRequired(VaultError):
    """A call that a person has to agree to first."""

    code = "consent_required"

    def __init__(self, tool: str, digest: str, about: str) -> None:
        super().__init__(
            f"`{tool}` needs a person's consent here",
            hint=f"a person runs `vault consent {digest}`; then repeat the call exactly",
            details={"consent": digest, "command": f"vault consent {digest}", "about": about},
        )


class NoSuchConsent(VaultError):
    """A consent to be given that nobody has asked for, or that was asked for too long ago."""

    code = "no-such-consent"

    def __init__(self, digest: str) -> None:
        super().__init__(f"no call waits for the consent `{digest}`", hint="`vault consent` lists those that wait")


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that waits for consent: its digest, tool and arguments, from where and when.

    `about` is the entry it would change or remove, as it is now; "" for none.
    """

    digest: str
    tool: str
    arguments: Mapping[str, Any]
    space: str | None
    agent: str
    time: datetime
    about: str = ""


def _about(vault: "Vault", tool: str, arguments: Mapping[str, Any]) -> str:
    """The entry that a call would change or remove, as its file has it. Raises what the call itself would."""
    if tool not in ("update_knowledge", "delete_knowledge"):
        return ""
    found = detail(vault, str(arguments["id"]))
    make_sure_own(vault, found.stored, override=True)
    return f"{block(found)}{found.text or ''}"


def make_sure_agreed(vault: "Vault", tool: str, arguments: Mapping[str, Any], *, agreed: str | None = None) -> None:
    """Use up the consent to a call; raises `ConsentRequired`, and keeps the question, where there is none.

    A consent is to a call's exact content, by whoever makes it from where, and to what it is about as that is now.
    `agreed` is the digest of what a person has just said yes to.
    """
    about = _about(vault, tool, arguments)
    told = json.dumps([tool, arguments, vault.reader.space, vault.agent, about], sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    if agreed == digest:
        return
    given = _folder(vault) / f"{digest}.given"
    try:
        fresh = datetime.fromtimestamp(given.stat().st_mtime, UTC) + GIVEN_FOR > vault.clock()
        given.unlink()  # of two calls at once one finds it
    except FileNotFoundError:
        fresh = False
    if not fresh:
        asked = {
            "tool": tool,
            "arguments": arguments,
            "space": vault.reader.space,
            "agent": vault.agent,
            "time": vault.clock().isoformat(),
            "about": about[:SHOWN],
        }
        write_atomic(_folder(vault) / f"{digest}.json", json.dumps(asked).encode(), root=vault.root)
        raise ConsentRequired(tool, digest, about[:SHOWN])


def waiting(vault: "Vault") -> list[Asked]:
    """The calls that wait for consent, oldest first; those from a private space show from inside it alone."""
    found = []
    for place in sorted(_folder(vault).glob("*.json")):
        try:
            asked = _asked(place)
        except (OSError, ValueError, KeyError, TypeError):
            place.unlink(missing_ok=True)  # nobody can agree to what cannot be read
            continue
        if asked.time + ASKED_FOR < vault.clock():
            place.unlink(missing_ok=True)
        elif asked.space is None or vault.knows(asked.space):
            found.append(asked)
    return sorted(found, key=lambda asked: asked.time)


def _asked(place: Path) -> Asked:
    data = json.loads(place.read_text("utf-8"))
    time = datetime.fromisoformat(data["time"])
    return Asked(place.stem, data["tool"], data["arguments"], data["space"], data["agent"], time, data["about"])


def find(vault: "Vault", digest: str) -> Asked:
    """The call that waits for a consent. Raises `NoSuchConsent`."""
    asked = next((one for one in waiting(vault) if one.digest == digest), None)
    if asked is None:
        raise NoSuchConsent(digest)
    return asked


def agree(vault: "Vault", digest: str) -> Asked:
    """Give the consent to a call that waits for it. Raises `NoSuchConsent`."""
    asked = find(vault, digest)
    folder = _folder(vault)
    write_atomic(folder / f"{digest}.given", b"", root=vault.root)
    (folder / f"{digest}.json").unlink(missing_ok=True)
    return asked


def _folder(vault: "Vault") -> Path:
    folder = vault.root / ".vault" / "consents"
    ensure_private_dir(vault.root)
    folder.mkdir(exist_ok=True)
    return folder
