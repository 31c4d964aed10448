"""Scopes: where an entry stands, and what a reader sees from where they stand."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from vault.errors import VaultError
from vault.model.keys import is_space_name

#: Whether a tool may be used: without a question, after one, or not at all.
Permission = Literal["always", "ask", "never"]
PERMISSIONS: tuple[Permission, ...] = ("always", "ask", "never")

READ_TOOLS = (
    *("search_knowledge", "get_knowledge", "knowledge_query", "knowledge_history", "knowledge_hygiene_report"),
    *("knowledge_tree", "knowledge_list_entities", "knowledge_get_entity", "knowledge_list_aspects"),
    *("knowledge_list_groups", "knowledge_list_claims", "knowledge_list_attributes", "knowledge_hydrate"),
)
WRITE_TOOLS = ("add_knowledge", "update_knowledge", "delete_knowledge", "knowledge_remember")
#: The tools that agents are served, and that `permissions` in the settings may name.
TOOLS = (*READ_TOOLS, *WRITE_TOOLS)
#: What is asked about unless the settings say otherwise.
ASKED = frozenset(["delete_knowledge"])

#: Tools of which each needs a permission; of several in one, any one is enough.
Need = tuple[str, ...]
#: What reading the text of entries needs, however it is read.
READING: Need = ("get_knowledge", "search_knowledge")
#: Effects that a token allows by naming another tool. To vacate a slot is not among them.
ALLOWED_WITH = {"add_knowledge": ("knowledge_remember",), "update_knowledge": ("knowledge_remember",)}

GLOBAL = "global"
BUNDLED = "bundled"
RESERVED_SPACES = frozenset([GLOBAL, BUNDLED])
#: What the paths of bundled entries begin with: no file of a vault is called so.
BUNDLED_PATHS = "bundled:"


def strictest(
    needs: Iterable[Need],
    permission: Callable[[str], Permission],
    tools: Collection[str] | None = None,
) -> tuple[Permission, str]:
    """The permission of something that needs several, and the tool that decides it.

    `permission` is that of the settings. `tools` are those that a token allows, None for all; others are `never`.
    """
    decision: tuple[Permission, str] = ("always", "")
    for need in needs:
        choices = [(_allowed(tool, permission, tools), tool) for tool in need]
        best = min(choices, key=_rank)
        decision = max(decision, best, key=_rank)
    return decision


def _allowed(tool: str, permission: Callable[[str], Permission], tools: Collection[str] | None) -> Permission:
    if tools is None or {tool, *ALLOWED_WITH.get(tool, ())} & {*tools}:
        return permission(tool)
    return "never"


def _rank(decision: tuple[Permission, str]) -> int:
    return PERMISSIONS.index(decision[0])


class BadSpaceName(VaultError):
    """A space name that is not one."""

    code = "bad-space-name"
    status = 2

    def __init__(self, name: str) -> None:
        reserved = name in RESERVED_SPACES
        super().__init__(
            f"`{name}` names a scope that is always there" if reserved else f"`{name}` is not a space name",
            hint="a space name has up to 63 of a-z, 0-9, `_` and `-`, and begins with a letter or digit",
            details={"space": name},
        )


class UnknownSpace(VaultError):
    """A space the vault does not declare; the spaces a stranger may know are listed."""

    code = "unknown-space"

    def __init__(self, name: str, declared: Iterable[str]) -> None:
        names = ", ".join(sorted(declared))
        super().__init__(
            f"there is no space `{name}`",
            hint=(f"spaces: {names}; " if names else "") + f"make it with `vault spaces add {name}`",
            details={"space": name},
        )


def checked_space(name: str) -> str:
    """Return the name if it may name a space; raises `BadSpaceName`."""
    if not is_space_name(name) or name in RESERVED_SPACES:
        raise BadSpaceName(name)
    return name


def folder_of(scope: str) -> str:
    """The folder of a scope, relative to the vault."""
    return GLOBAL if scope == GLOBAL else f"spaces/{scope}"


def scope_of(path: str, *, workspace: bool = False) -> str | None:
    """The scope a vault-relative path, or that of a bundled entry, stands in; None outside all of them.

    A Firm workspace (`workspace`) is one global scope.
    """
    if workspace:
        return GLOBAL
    if path.startswith(BUNDLED_PATHS):
        return BUNDLED
    first, _, rest = path.partition("/")
    if first == GLOBAL and rest:
        return GLOBAL
    space, _, inner = rest.partition("/")
    return space if first == "spaces" and inner else None


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: from inside a space or from outside all; `all_spaces` adds those that are not private.

    An `owner` sees every scope at once, as `check`, `commit` and `index` have to. An `agent` sees what is its own or
    of no agent ("": what is of none); None sees what is of any.
    """

    space: str | None = None
    all_spaces: bool = False
    owner: bool = False
    agent: str | None = None

    def scopes(self, present: Collection[str], private: Collection[str]) -> tuple[str, ...]:
        """The scopes visible to this reader, the most specific first."""
        spaces = sorted(set(present) - {GLOBAL})
        if self.owner:
            return (*spaces, GLOBAL)
        others = [name for name in spaces if self.all_spaces and name not in private and name != self.space]
        return (*([self.space] if self.space else []), *others, GLOBAL)
