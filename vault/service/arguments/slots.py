"""The slot a caller names."""

from vault.errors import UsageError


class BadSlot(UsageError):
    """Words that should name where a fact stands and do not."""

    code = "bad-slot"

    def __init__(self, words: str, why: str, *, whole: bool = False) -> None:
        entity, example = ("ENTITY/", "ada/") if whole else ("", "")
        super().__init__(
            f"`{words}` names no slot: {why}",
            hint=f"write {entity}ASPECT/CLAIM or {entity}ASPECT/GROUP/CLAIM, as in `{example}work/role`",
            details={"given": words},
        )
