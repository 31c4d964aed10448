"""A vault whose commits are a day apart, and the text of facts."""

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.service.conftest import ENVIRON

DAY = datetime(2021, 1, 1, 12, tzinfo=UTC)


class Days:
    """Commits of a vault, one a day from the first of January 2021 on; history begins with the first of them."""

    def __init__(self, root: Path) -> None:
        self.root, self.number = root, 0
        self.git("update-ref", "-d", "HEAD")

    @staticmethod
    def moment(year: int, month: int, day: int) -> datetime:
        """Noon of a day."""
        return datetime(year, month, day, 12, tzinfo=UTC)

    def git(self, *words: str) -> str:
        """Run git on the day that it is."""
        at = (DAY + timedelta(days=self.number)).isoformat()
        environ = {**os.environ, **ENVIRON, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(["git", *words], cwd=self.root, env=environ, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, files: dict[str, str | None]) -> None:
        """Write files, or remove them."""
        for path, text in files.items():
            place = self.root / path
            if text is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def commit(self, files: dict[str, str | None], message: str = "A day's work") -> str:
        """Write files, or remove them, and commit them; returns the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        self.number += 1
        return self.git("rev-parse", "HEAD")


def fact(ident: str, statement: str, about: str = "actor.ada", place: str = "", **fields: str) -> str:
    """The text of a fact about an entity, in `aspect/group/claim`; fields are given as Firm writes them."""
    keys = dict(zip(("aspect", "group", "claim"), place.split("/"), strict=False))
    quoted = {name: f'"{key}"' for name, key in {"statement": statement, **keys}.items() if key}
    rows = {**quoted, **({"subject": about} if about else {}), **fields}
    return f"fact {ident} {{\n" + "".join(f"    {name} = {value}\n" for name, value in rows.items()) + "}\n"
