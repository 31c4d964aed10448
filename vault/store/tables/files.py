"""Questions to the files and folders of a catalog, and what is noted of them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from vault.diagnostics import Diagnostic
from vault.model.access import BUNDLED
from vault.store.database import DamagedDatabase
from vault.store.records import unpack_diagnostics
from vault.store.scan import Stamp
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, in_files, json_list

#: Up to so many folders are asked for one by one.
_FEW_FOLDERS = 50


class FileQueries(CatalogTables):
    """What is asked of files, and the notes that a scan leaves."""

    def paths_near(self, lowered: Iterable[str] | None) -> list[str]:
        """Paths of files, sorted: those that ASCII rules lower to one of these, and all that are not ASCII.

        With None, all paths.
        """
        if lowered is None:
            return self._values("SELECT path FROM files ORDER BY path")
        return self._values(
            f"SELECT path FROM files WHERE lower(path) {AMONG}"
            " UNION SELECT path FROM files WHERE path GLOB '*[^ -~]*' ORDER BY path",
            [json_list(sorted(lowered))],
        )

    def file_scopes(self, paths: Collection[str] | None = None) -> list[str]:
        """The scopes that have files, or that some files are in."""
        wanted, parameters = in_files("path", paths)
        sql = f"SELECT DISTINCT scope FROM files WHERE scope IS NOT NULL AND {wanted}"
        return self._values(sql, parameters)

    def first_path(self, scope: str) -> str:
        """The first file of a scope that has one."""
        (path,) = self._db.execute(
            "SELECT min(path) FROM files WHERE scope = ?",
            [scope],
        ).fetchone()
        return str(path)

    def files(self) -> list[tuple[str, str | None]]:
        """Every file with its scope, by path."""
        return self._db.execute("SELECT path, scope FROM files ORDER BY path").fetchall()

    def files_with_bundled(self) -> list[tuple[str, str | None]]:
        """Every file with its scope, by path, and those that bundled entries are in."""
        return self._db.execute(
            "SELECT path, scope FROM files UNION SELECT path, scope FROM entries WHERE scope = ? ORDER BY path",
            [BUNDLED],
        ).fetchall()

    def files_since(self, revision: int) -> list[tuple[str, str | None]]:
        """The files that changed after a revision, with their scopes."""
        return self._db.execute(
            "SELECT path, scope FROM files WHERE revision > ?",
            [revision],
        ).fetchall()

    def files_gone_since(self, revision: int) -> list[str]:
        """The files that went after a revision."""
        return self._values("SELECT path FROM gone WHERE revision > ?", [revision])

    def stamps(
        self,
        folders: Collection[str] | None = None,
    ) -> dict[str, tuple[int, int, int, int, int]]:
        """The stamp remembered of every file, or of those directly in some folders; 1 if it can be trusted, else 0."""
        select = "SELECT path, size, mtime, ctime, inode, fresh FROM files"
        if folders is None or len(folders) > _FEW_FOLDERS:
            rows: Iterable[Any] = self._db.execute(select)
        else:
            inside = f"{select} WHERE path >= ? AND path < ?"
            spans = ((f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff") for folder in folders)
            rows = (row for span in spans for row in self._db.execute(inside, span))
        return {row[0]: row[1:] for row in rows if folders is None or row[0].rpartition("/")[0] in folders}

    def restamp(self, stamps: Mapping[str, tuple[Stamp, bool]]) -> None:
        """Note new stamps of files whose content did not change."""
        self._db.executemany(
            "UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, fresh = ? WHERE path = ?",
            [(*stamp, fresh, path) for path, (stamp, fresh) in stamps.items()],
        )

    def folders(self) -> dict[str, tuple[bytes, int]]:
        """Every folder with files: the digest of its listing when all was known of it, and how many files it has.

        The digest is empty where a file may differ from what is known.
        """
        return {path: (digest, count) for path, digest, count in self._db.execute("SELECT * FROM folders")}

    def remember_folders(
        self,
        folders: Mapping[str, tuple[bytes, int]],
        gone: Iterable[str] = (),
    ) -> None:
        """Note folders whose files are all known, and forget those without any."""
        self._db.executemany("DELETE FROM folders WHERE path = ?", [(path,) for path in gone])
        rows = [(path, digest, count) for path, (digest, count) in folders.items()]
        self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?, ?)", rows)

    def _doubt_folders(self, paths: Iterable[str]) -> None:
        """Forget the digests of the folders of files that change; each folder keeps a row."""
        rows = [(folder,) for folder in {path.rpartition("/")[0] for path in paths}]
        self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?, x'', 0)", rows)

    def blobs(self, paths: Iterable[str] | None = None) -> dict[str, str]:
        """The blob id of every file, or of those among `paths` that are known."""
        if paths is None:
            return dict(self._db.execute("SELECT path, blob FROM files").fetchall())
        found = (self._db.execute("SELECT path, blob FROM files WHERE path = ?", [path]).fetchone() for path in paths)
        return dict(row for row in found if row)

    def sidecars(self) -> list[tuple[str, str, Stamp]]:
        """Every file whose entry names a sidecar, with the sidecar's path and stamp."""
        rows = self._db.execute("SELECT owner, path, size, mtime, ctime, inode FROM sidecars")
        return [(owner, path, Stamp(*stamp)) for owner, path, *stamp in rows]

    def diagnostics(self, paths: Iterable[str] | None = None) -> list[Diagnostic]:
        """The diagnostics that single files have by themselves."""
        if paths is None:
            rows = self._db.execute(
                "SELECT diagnostics FROM files WHERE diagnostics <> '[]'",
            ).fetchall()
        else:
            rows = [
                row
                for path in paths
                for row in self._db.execute(
                    "SELECT diagnostics FROM files WHERE path = ?",
                    [path],
                ).fetchall()
            ]
        try:
            return [found for (text,) in rows for found in unpack_diagnostics(text)]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedDatabase(self._db.mark_damaged(), "a diagnostic has changed") from error
