"""Which pages may ask over HTTP: those of the server's own origin, and of origins that its owner names."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from vault.errors import UsageError
from vault.serve.auth import Rejected

_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<place>[^/?#@*\s]+)")
_PORTS = {"http": ":80", "https": ":443"}
#: What a browser says of a request that no other site's page made.
_OWN_SITE = ("same-origin", "none")
JSON_TYPE = "application/json"


class BadOrigin(UsageError):
    """A text that is not an origin."""

    code = "bad-origin"

    def __init__(self, option: str, given: str) -> None:
        super().__init__(
            f"`{option} {given}` is not an origin",
            hint="give scheme, host and port, without a path, as in `https://notes.example.org`",
            details={"given": given},
        )


def normal_origin(text: str) -> str | None:
    """An origin in the one spelling that is compared; None for a text that is not one, as `null` and `*`."""
    match = _ORIGIN.fullmatch(text.strip().lower())
    if match is None:
        return None
    scheme = match["scheme"]
    return f"{scheme}://{match['place'].removesuffix(_PORTS.get(scheme, '/'))}"


def checked_origin(option: str, text: str) -> str:
    """Read an origin that an option gives. Raises `BadOrigin`."""
    origin = normal_origin(text.removesuffix("/"))
    if origin is None:
        raise BadOrigin(option, text)
    return origin


def host_of(origin: str) -> str:
    """The host of an origin, without its port."""
    return _without_port(origin.partition("://")[2])


def _without_port(place: str) -> str:
    host, colon, port = place.rpartition(":")
    name = host if colon and re.fullmatch(r"[0-9]+", port) else place
    return name.strip("[]").lower()


@dataclass(frozen=True, slots=True)
class Site:
    """How a server is reached: the names of its host, its public origin ("" for none), other allowed origins."""

    hosts: Collection[str]
    public: str = ""
    allowed: Collection[str] = ()

    def check(self, scheme: str, headers: Mapping[str, Sequence[str]]) -> None:
        """Raise `Rejected` for a request to another host, or from a page of another site.

        `headers` are by their names in lower case.
        """
        host = next(iter(headers.get("host", ())), "")
        names = {*self.hosts, *([host_of(self.public)] if self.public else [])}
        if _without_port(host) not in names:
            raise Rejected(
                403, "wrong-host", "the server has another name", "see `vault serve --host` and `--public-url`"
            )
        origins = headers.get("origin", ())
        own = normal_origin(self.public or f"{scheme}://{host}")
        accepted = {own, *self.allowed} - {None}
        if origins and (len(origins) > 1 or normal_origin(origins[0]) not in accepted):
            raise _wrong_origin()
        sites = headers.get("sec-fetch-site", ())
        if not origins and any(site.strip().lower() not in _OWN_SITE for site in sites):
            raise _wrong_origin()


def _wrong_origin() -> Rejected:
    return Rejected(
        403,
        "wrong-origin",
        "a page of another site cannot ask",
        "ask from the server's own origin, or start the server with `vault serve --allow-origin ORIGIN`",
    )


def check_body_type(headers: Mapping[str, Sequence[str]]) -> None:
    """Raise `Rejected` for a body that is not said to be JSON: a form of any page can send the others."""
    lengths = headers.get("content-length", ())
    has_body = "transfer-encoding" in headers or any(length.strip() not in ("", "0") for length in lengths)
    types = [one.partition(";")[0].strip().lower() for one in headers.get("content-type", ())]
    if has_body and types != [JSON_TYPE]:
        raise Rejected(415, "wrong-content-type", f"the body is not {JSON_TYPE}", f"send `Content-Type: {JSON_TYPE}`")
