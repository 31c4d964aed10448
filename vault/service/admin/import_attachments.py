"""The files that imported notes link to: copied into the vault, linked where they are, or named as left behind."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.exchange.notes import Skipped
from vault.model.access import folder_of
from vault.model.values import PathValue
from vault.service.admin.import_sources import Source
from vault.store.files import read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: The field that names an entry's attachments, and its name where the source has one of its own.
FIELD, OTHER_FIELD = "attachments", "imported_attachments"


@dataclass(frozen=True, slots=True)
class Attachments:
    """Where attachments are in the vault, by their path in the source, with the writes that bring them there.

    `left` are the paths of those that the vault does not reach; `skipped` are too large to copy.
    """

    places: dict[str, str]
    writes: list[FileWrite]
    left: tuple[str, ...]
    skipped: tuple[Skipped, ...]

    def values(self, paths: Iterable[str], entry_path: str) -> tuple[PathValue, ...]:
        """Write the places of attachments as an entry's file names them."""
        folder = posixpath.dirname(entry_path)
        places = [self.places[path] for path in paths if path in self.places]
        return tuple(PathValue(posixpath.relpath(place, folder)) for place in places)


def place_attachments(vault: "VaultHandle", source: Source, paths: Iterable[str], *, copy: bool) -> Attachments:
    """Decide where attachments go: with `copy`, or where an earlier import copied them, into the vault."""
    places, writes, left, skipped = dict[str, str](), list[FileWrite](), list[str](), list[Skipped]()
    limit = vault.layout.settings.file_limit
    label = source.label.replace("/", "_")
    for path in sorted(set(paths)):
        place = f"{folder_of(vault.scope)}/attachments/{label}/{path}"
        target = safe_join(vault.root, place)
        size, _ = source.others[path]
        if size > limit and (copy or target.exists()):
            reason = f"it has {size:,} bytes, and `file_limit` in vault.yaml allows {limit:,}"
            skipped.append(Skipped(path, 1, reason))
        elif copy or target.exists():
            places[path] = place
            writes.append(FileWrite(place, read_optional(target, place), read_bytes(source.folder, path)))
        elif source.folder.is_relative_to(vault.root):
            places[path] = (source.folder / path).relative_to(vault.root).as_posix()
        else:
            left.append(path)
    return Attachments(places, writes, tuple(left), tuple(skipped))
