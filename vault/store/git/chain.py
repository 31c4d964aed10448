"""The first parents of HEAD, and the commits each of them brought in."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from vault.store.git.log import History, LogRecord, PathChange, path_change, record_of
from vault.store.git.place import Place


class Chain:
    """A repository's history as steps along first parents, oldest first."""

    def __init__(self, place: Place) -> None:
        """Read the history of one repository."""
        self._place = place
        self._history = History(place)

    def back_to(self, start: str, known: Callable[[str], int | None]) -> tuple[list[str], int]:
        """The first parents of a commit that are not known, oldest first, and the number of the known one before.

        The number is -1 where none is: history begins with the first of them.
        """
        found: list[str] = []
        ident: str | None = start
        while ident is not None:
            number = known(ident)
            if number is not None:
                return found[::-1], number
            found.append(ident)
            ident = next(iter(self._history.parents(self._history.commit(ident), first_parent=True)), None)
        return found[::-1], -1

    def differences(self, before: str | None, after: str) -> list[PathChange]:
        """What differs in the vault between two commits; None is nothing at all."""
        old, new = (None if ident is None else self._history.tree(ident) for ident in (before, after))
        found = self._place.objects.differences(old, new)
        return [change for path, one, other in found if (change := path_change(path, one, other))]

    def arrivals(self, ident: str, known: Callable[[str], bool], own: Sequence[PathChange]) -> Iterator[LogRecord]:
        """The commits that came in with one, itself the last: parents before children, then the older first.

        A merge has what differs from each of its parents; `own` is what the commit changed of its first parent.
        """
        first = self._history.commit(ident)
        if len(self._history.parents(first)) <= 1:
            yield record_of(first, list(own))
            return
        new, waiting = {ident}, [ident]
        children: dict[str, list[str]] = {}
        while waiting:
            child = waiting.pop()
            for parent in self._history.parents(self._history.commit(child)):
                if parent not in new and known(parent):
                    continue
                children.setdefault(parent, []).append(child)
                if parent not in new:
                    new.add(parent)
                    waiting.append(parent)
        missing = Counter(child for found in children.values() for child in found)
        ready = [self._ranked(one) for one in new if not missing[one]]
        heapq.heapify(ready)
        while ready:
            _, one = heapq.heappop(ready)
            commit = self._history.commit(one)
            yield record_of(commit, self._history.changes(commit))
            for child in children.get(one, ()):
                missing[child] -= 1
                if not missing[child]:
                    heapq.heappush(ready, self._ranked(child))

    def _ranked(self, ident: str) -> tuple[float, str]:
        return self._history.commit(ident).committer.time.timestamp(), ident
