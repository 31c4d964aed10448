"""The vault that is measured, and the edits made to it."""

import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.child import TOP, ChildFailed, Run, environment, run

#: Inputs several projects are measured on, where a folder of them stands beside this source tree.
SHARED = TOP.parent / "shared" / "bench"
OWN = Path(__file__).parent
#: How many commits an old vault has, and when the first of them was made (seconds since 1970).
COMMITS, BEGUN = 5_000, 1_600_000_000
VAULT = (sys.executable, "-m", "cli")


@dataclass(frozen=True, slots=True)
class Edited:
    """An entry that was just changed: its file, key and space, a word of its text, and of a fact its slot."""

    file: Path
    key: str
    space: str
    word: str
    slot: str


@dataclass(slots=True)
class Place:
    """A generated vault in a git repository, all committed and indexed."""

    folder: Path
    inputs: Path
    environ: dict[str, str]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    aged: bool = False
    unsettled: bool = True

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.folder / "vault"

    @classmethod
    def made(cls, folder: Path, entries: int) -> "Place":
        """Generate a vault of so many entries in an empty folder."""
        inputs = SHARED if (SHARED / "generate.py").exists() else OWN
        place = cls(folder, inputs, environment(folder))
        place.root.mkdir()
        run([sys.executable, str(inputs / "generate.py"), str(entries), str(place.root)], TOP, place.environ)
        place.git("init", "--quiet", "--initial-branch=main")
        place.git("config", "gc.auto", "0")
        place.vault("init")
        place.by_words()
        place.git("gc", "--quiet")
        return place

    def git(self, *words: str, gives: str = "") -> Run:
        """Run git in the vault; it is given some text."""
        return run(["git", *words], self.root, self.environ, gives=gives)

    def vault(self, *words: str, says: str = "") -> Run:
        """Run the product in the vault."""
        return run([*VAULT, *words], self.root, self.environ, says=says)

    def python(self, *words: str) -> Run:
        """Run Python from the source tree."""
        return run([sys.executable, *words], TOP, self.environ)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve the vault to its commands, with the model and indexes at hand."""
        words = [*VAULT, "serve", "--port", "0"]
        server = subprocess.Popen(words, cwd=self.root, env=self.environ, stderr=subprocess.PIPE)
        try:
            if server.stderr and not server.stderr.readline():
                raise ChildFailed(words, "it did not begin")
            self.vault("search", self.question(), "--all-spaces")
            self.vault("hydrate", "--meaning", self.question(), "--all-spaces")
            yield
        finally:
            server.terminate()
            server.communicate()

    def settle(self) -> None:
        """Commit all by git and bring derived data up to date, so that a figure pays for nothing done before it."""
        if self.unsettled:
            self.commit_all()
            self.vault("search", self.question(), "--all-spaces", "--mode=keyword", says="spaces/")
            if self.aged:
                first = min((self.root / "spaces").rglob("fact/*.firm"))
                self.vault("--space", first.parts[-3], "history", f"fact.{first.stem}")
            self.unsettled = False

    def commit_all(self) -> None:
        """Commit what is not committed, by git."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=Keep")

    def age(self) -> None:
        """Give the vault a history, once: commits of three facts each, by `git fast-import`."""
        if self.aged:
            self.settle()
            return
        self.commit_all()
        files = sorted((self.root / "spaces").rglob("fact/*.firm"))
        stream = [f"reset refs/heads/main\nfrom {self.git('rev-parse', 'HEAD').said.strip()}\n\n"]
        for number in range(COMMITS):
            stream.append(f"commit refs/heads/main\ncommitter Old <old@example.org> {BEGUN + number * 3600} +0000\n")
            stream.append("data 4\nKeep\n")
            said = "".join(chr(ord("a") + int(digit)) for digit in str(number))
            for place in range(3):
                file = files[(number * 3 + place) * 7919 % len(files)]
                text = re.sub(r'statement = "[^"]*"', f'statement = "said {said}"', file.read_text("utf-8"), count=1)
                name = file.relative_to(self.root).as_posix()
                stream.append(f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n")
        self.git("fast-import", "--quiet", gives="".join(stream))
        self.git("reset", "--hard", "--quiet")
        self.git("gc", "--quiet")
        self.aged = self.unsettled = True
        self.settle()

    def edit(self, kind: str = "actor") -> Edited:
        """Add a tag to an entry, another one each time, where nothing else has changed."""
        self.settle()
        self.unsettled = True
        files = sorted((self.root / "spaces").rglob(f"{kind}/*.firm"))
        number = next(self.numbers)
        file = files[number * 7919 % len(files)]  # a prime: far from the last one
        text = file.read_text("utf-8")
        file.write_text(text.replace("tags = [", f'tags = ["edit{number}", ', 1), "utf-8")
        words = re.findall(r"(?:^    |statement = \")([a-z ]+)\"?$", text, re.MULTILINE)[0].split()
        told = dict(re.findall(r"^    (subject|aspect|group|claim) = \"?([^\"\n]+)\"?$", text, re.MULTILINE))
        place = "/".join(told.get(name, "") for name in ("subject", "aspect", "group", "claim"))
        return Edited(file, f"{kind}.{file.stem}", file.parts[-3], words[0], place)

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """Take all derived data but vectors away, and put it back afterwards."""
        kept = self.folder / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for place in self._derived():
            place.rename(kept / place.name)
        try:
            yield
        finally:
            for place in self._derived():
                shutil.rmtree(place) if place.is_dir() else place.unlink()
            for place in list(kept.iterdir()):
                place.rename(self.root / ".vault" / place.name)

    def _derived(self) -> list[Path]:
        return [place for place in (self.root / ".vault").iterdir() if place.name != "vectors"]

    def by_words(self) -> None:
        """Do without an embedding model."""
        self._choose("embedding: {model: none}\n")

    def by_meaning(self) -> None:
        """Use the model, as if all had been embedded: what a search takes does not depend on what vectors say."""
        self._choose("")
        if not (self.root / ".vault" / "vectors").exists():
            self.python("-m", "tests.bench.inside", "fill", str(self.root))

    def _choose(self, embedding: str) -> None:
        settings = self.root / "vault.yaml"
        kept = [row for row in settings.read_text("utf-8").splitlines() if not row.startswith("embedding")]
        text = "\n".join(kept) + "\n" + embedding
        if text != settings.read_text("utf-8"):
            settings.write_text(text, "utf-8")
            self.unsettled = True
        self.settle()

    def long(self) -> Path:
        """A copy of the vault that has a long history, of its own and committed."""
        copy = self.folder / "long"
        if not copy.exists():
            self.by_words()
            self.commit_all()
            self.python("-m", "tests.bench.long", str(self.root), str(copy))
        return copy

    def question(self) -> str:
        """Words of an entry, those of another one each time."""
        files = sorted((self.root / "spaces").rglob("actor/*.firm"))
        text = files[next(self.numbers) * 7919 % len(files)].read_text("utf-8")
        return " ".join(re.findall(r"^    ([a-z ]+)$", text, re.MULTILINE)[0].split()[:4])
