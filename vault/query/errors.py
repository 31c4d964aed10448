"""What is wrong with a query, with the place in its text."""

from vault.errors import UsageError

#: Columns of a query shown around the place that is wrong.
SHOWN = 72


class BadQuery(UsageError):
    """A query that cannot be read, or asks what makes no sense; `at` is the offset in its text."""

    code = "bad-query"

    def __init__(self, text: str, at: int, problem: str, hint: str = "") -> None:
        super().__init__(
            f"{problem}\n{excerpt(text, at)}",
            hint=hint or "`vault query --help` shows what a query looks like",
            details={"query": text, "column": at + 1, "problem": problem},
        )


def excerpt(text: str, at: int) -> str:
    """The line of a query around a place, with a caret below it."""
    shown = "".join(" " if char.isspace() else char for char in text)
    start = max(0, min(at - SHOWN // 2, len(shown) - SHOWN))
    end = min(len(shown), start + SHOWN)
    lead, trail = "…" if start else "", "…" if end < len(shown) else ""
    return f"  {lead}{shown[start:end]}{trail}\n  {' ' * (len(lead) + at - start)}^"
