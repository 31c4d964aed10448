"""What a client tells a prompt hook: the event, as JSON on standard input."""

import json
from dataclasses import dataclass

from vault.errors import VaultError

#: Where a client says that earlier blocks have gone out of its view.
FRESH = "SessionStart"


class BadEvent(VaultError):
    """What a prompt hook was told is no event. It is no misuse: a client may take that for a refusal of the prompt."""

    code = "bad-event"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"this is not an event of a prompt hook: {why}",
            hint='it is a JSON object as {"prompt": "…", "session_id": "…"}, on standard input',
        )


@dataclass(frozen=True, slots=True)
class Event:
    """A prompt, the session it is of, and whether that begins anew."""

    prompt: str
    session: str | None
    fresh: bool = False


def read_event(data: bytes) -> Event:
    """Read an event: `prompt` and `session_id`, or with `hook_event_name` SessionStart only the latter.

    Other keys are the client's own. Raises `BadEvent`.
    """
    try:
        told = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadEvent(f"it is not JSON: {error}") from error
    if not isinstance(told, dict):
        raise BadEvent("it is not a JSON object")
    fresh = told.get("hook_event_name") == FRESH
    prompt, session = told.get("prompt", "" if fresh else None), told.get("session_id")
    if not isinstance(prompt, str):
        raise BadEvent("`prompt` is not a text")
    if session is not None and not (isinstance(session, str) and session.strip()):
        raise BadEvent("`session_id` is not an id")
    return Event(prompt, session, fresh)
