"""Who calls over HTTP: by the secret they send, what each is bound to, and the desk kept for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from vault.errors import VaultError
from vault.serve.session import Binding, Desk
from vault.serve.tokens import Token, token_of


class Rejected(VaultError):
    """A request that is turned away before it is looked at, with an HTTP status."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint, details={"status": status})
        self.code = code  # type: ignore[misc]  # one class for what a door turns away
        self.http = status


@dataclass(eq=False)
class Callers:
    """All who may call: `base` is what one without a token is bound to, None where each needs one.

    `tokens` are asked for at each call, so that one that was taken away opens nothing any more.
    """

    base: Binding | None
    owner: Binding
    tokens: Callable[[], Mapping[str, Token]]
    _desks: dict[Token | None, Desk] = field(default_factory=dict)

    def desk(self, secret: str) -> tuple[str, Desk]:
        """The name of whoever sends a secret ("" for none), and their desk. Raises `Rejected` and `BadTokens`."""
        token = token_of(self.tokens(), secret) if secret else None
        if secret and token is None:
            raise Rejected(401, "unknown-token", "unknown token", "see `vault serve token list`")
        if token is None and self.base is None:
            raise Rejected(401, "token-required", "a token is required", "send `Authorization: Bearer …`")
        if token not in self._desks:
            self._desks[token] = Desk(self._binding(token))
        return token.name if token else "", self._desks[token]

    def _binding(self, token: Token | None) -> Binding:
        if token is None:
            return self.base or self.owner
        tools = None if token.tools is None else frozenset(token.tools)
        # a token that is made again under its name is another one
        name = f"{token.name}:{token.digest[:16]}"
        return replace(self.owner, spaces=token.spaces, agent=token.agent, tools=tools, token=name)
