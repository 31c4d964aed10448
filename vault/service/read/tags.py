"""The tags of a vault."""

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from vault.model.keys import fold_name
from vault.service.arguments.choices import check_type

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


def tags(vault: "VaultHandle", *, kind: str | None = None) -> list[tuple[str, int]]:
    """Count the entries of each tag the reader sees, of one type or of all; the most used first, then by name.

    Spellings that `vault list --tag` takes for one tag, as `Maths` and `#maths`, are counted as one, under the most
    common of them. Raises `UnknownType`.
    """
    snapshot = vault.snapshot()
    check_type(snapshot, kind)
    counts: Counter[str] = Counter()
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for stored in snapshot.entries(kind=kind):
        written = {fold_name(tag.removeprefix("#")): tag.removeprefix("#") for tag in stored.entry.texts("tags")}
        counts.update(written.keys())
        for folded, tag in written.items():
            spellings[folded][tag] += 1
    found = ((spellings[folded].most_common(1)[0][0], number) for folded, number in counts.items())
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
