"""Tokens: who may call over HTTP. A file that only its owner can read names each one's spaces, agent and tools."""

import hashlib
import hmac
import json
import secrets
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from vault.errors import UsageError, VaultError
from vault.store.files import write_synced

#: What a token begins with, so that people and scanners know one.
PREFIX = "fv_"


class BadTokens(VaultError):
    """A file of tokens that cannot be used, or that others can read."""

    code = "bad-tokens"

    def __init__(self, path: Path, why: str, hint: str) -> None:
        super().__init__(f"{path}: {why}", hint=hint)


class TokenTaken(UsageError):
    """A name that another token has."""

    code = "token-taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a token `{name}` already", hint="choose another name, or remove it first")


class NoSuchToken(UsageError):
    """A name that no token has."""

    code = "no-such-token"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no token `{name}`", hint=f"tokens: {', '.join(known) or 'none'}")


@dataclass(frozen=True, slots=True)
class Token:
    """What a token allows: the spaces to stand in, the agent, and the tools (None: all). The secret is not kept."""

    name: str
    digest: str
    spaces: tuple[str, ...] = ()
    agent: str | None = None
    tools: tuple[str, ...] | None = None


def read_tokens(path: Path) -> dict[str, Token]:
    """The tokens of a file by name; none where there is no file. Raises `BadTokens`."""
    try:
        mode = path.stat().st_mode
        data = json.loads(path.read_text("utf-8"))
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadTokens(path, "others may read it", f"`chmod 600 {path}`, and make new tokens if they have")
        return {one["name"]: _token(one) for one in data}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadTokens(path, f"it cannot be read: {error}", "correct it, or delete it and make new tokens") from error


def _token(data: Mapping[str, object]) -> Token:
    spaces, tools, agent = data["spaces"], data["tools"], data["agent"]
    if not isinstance(spaces, list) or not isinstance(tools, (list, type(None))):
        raise TypeError("spaces and tools are lists")
    return Token(
        str(data["name"]),
        str(data["digest"]),
        tuple(map(str, spaces)),
        None if agent is None else str(agent),
        None if tools is None else tuple(map(str, tools)),
    )


@dataclass(slots=True)
class TokenFile:
    """The tokens of a file as it is now: read again when it was changed."""

    path: Path
    _stamp: tuple[int, ...] = ()
    _held: Mapping[str, Token] = field(default_factory=dict)

    def tokens(self) -> Mapping[str, Token]:
        """The tokens by name. Raises `BadTokens`."""
        stamp = self._looked()
        if stamp != self._stamp:
            self._held, self._stamp = (
                read_tokens(self.path),
                stamp,
            )  # as it was before: a change meanwhile shows next time
        return self._held

    def _looked(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError:
            return ()  # reading it tells what is wrong
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def add_token(
    path: Path, name: str, spaces: Sequence[str], agent: str | None, tools: Sequence[str] | None
) -> tuple[Token, str]:
    """Make a token; returns it and its secret, which is shown this once. Raises `TokenTaken` and `BadTokens`."""
    known = read_tokens(path)
    if name in known:
        raise TokenTaken(name)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token(name, digest_of(secret), tuple(spaces), agent, None if tools is None else tuple(tools))
    _write(path, [*known.values(), token])
    return token, secret


def remove_token(path: Path, name: str) -> None:
    """Take a token away. Raises `NoSuchToken` and `BadTokens`."""
    known = read_tokens(path)
    if name not in known:
        raise NoSuchToken(name, sorted(known))
    _write(path, [token for token in known.values() if token.name != name])


def token_of(tokens: Mapping[str, Token], secret: str) -> Token | None:
    """The token of a secret; None for one that is no token's."""
    given = digest_of(secret)
    return next((token for token in tokens.values() if hmac.compare_digest(token.digest, given)), None)


def digest_of(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _write(path: Path, tokens: Sequence[Token]) -> None:
    """Write the file beside and put it in place; nobody else can read it at any time."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    data = json.dumps([asdict(token) for token in tokens], indent=2)
    write_synced(beside, data.encode(), mode=0o600)
    beside.replace(path)
