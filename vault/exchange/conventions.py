"""The tools that folders of notes come from: by what each is recognised, and how it writes links, dates and tags."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase

from vault.exchange.notes import SourceNote, is_index

#: A number of milliseconds that stands for a moment since 1973.
_OLDEST_MILLISECONDS = 10**11
_POST = re.compile(r"(?:.*/)?_(?:posts|drafts)/(?:.*/)?(?P<day>\d{4}-\d\d-\d\d)-(?P<slug>[^/]+)\Z")
_COLLECTION = re.compile(r"_(?P<name>[^/_][^/]*)/(?P<rest>.+)\Z")


@dataclass(frozen=True, slots=True)
class Convention:
    """How a tool writes notes. `marks` are paths or patterns of paths that only its folders have.

    `settings` are its own files, which are not records; `root` is the folder that a site is served from,
    `static` are folders whose files are served at the root; `fields` maps keys only this tool gives a
    meaning. `label_first` reads `[[label|note]]`; `dotted` makes a hierarchy of `a.b.md`; `blog` reads
    dates and addresses from the names of posts.
    """

    name: str
    marks: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    root: str = ""
    static: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    label_first: bool = False
    dotted: bool = False
    blog: bool = False

    def data(self, note: SourceNote) -> Mapping[str, object]:
        """Return a note's data with what the tool means by it: moments, and the date in a post's name."""
        data = dict(note.data)
        if self.dotted:
            data |= {key: moment for key in ("created", "updated") if (moment := _moment(data.get(key)))}
            if data.get("desc") == "":  # what Dendron writes into every new note
                del data["desc"]
        post = self._post(note)
        if post and "date" not in data:
            try:
                data["date"] = date.fromisoformat(post["day"])
            except ValueError:
                return data
        return data

    def name_of(self, note: SourceNote) -> str:
        """Return the name a note has by its file: that of its folder for an index, without a post's date."""
        if is_index(note.path) and note.folder:
            return note.folder
        post = self._post(note)
        return post["slug"] if post else note.stem

    def urls(self, note: SourceNote) -> tuple[str, ...]:
        """List the addresses that a site gives a note beside that of its place."""
        urls = [text for text in (note.data.get("url"), note.data.get("slug")) if isinstance(text, str)]
        place = note.path.rpartition("/")[0].removeprefix(self.root).strip("/")
        found = [text if text.startswith("/") else f"/{place}/{text}" for text in urls if self.root or self.blog]
        if self.blog:
            found += self._blog_urls(note)
        return tuple(found)

    def _blog_urls(self, note: SourceNote) -> list[str]:
        if post := self._post(note):
            return [f"/{post['day'].replace('-', '/')}/{post['slug']}"]
        collection = _COLLECTION.match(note.path)
        return [f"/{collection['name']}/{collection['rest']}"] if collection else []

    def _post(self, note: SourceNote) -> re.Match[str] | None:
        return _POST.match(note.path.rpartition(".")[0]) if self.blog else None

    def ancestors(self, note: SourceNote) -> list[str]:
        """List the paths, without ending, of the notes above one in a hierarchy of dots, the nearest first."""
        folder, slash, _ = note.path.rpartition("/")
        parts = note.stem.split(".") if self.dotted else []
        return [f"{folder}{slash}{'.'.join(parts[:end])}" for end in range(len(parts) - 1, 0, -1)]


def _moment(value: object) -> datetime | None:
    """Read milliseconds since 1970; the fraction of a second is left out."""
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or not _OLDEST_MILLISECONDS <= value < 10 * 10**12:
        return None
    return datetime.fromtimestamp(value // 1000, UTC)


PLAIN = Convention("plain")
DENDRON = Convention(
    "Dendron",
    marks=("dendron.yml", "dendron.code-workspace", "root.schema.yml"),
    settings=("dendron.yml", "*.schema.yml"),
    static=("assets",),
    fields={"desc": "summary"},
    label_first=True,
    dotted=True,
)
OBSIDIAN = Convention("Obsidian", marks=(".obsidian/*",))
FOAM = Convention("Foam", marks=(".foam/*", ".vscode/foam.json", "foam.json"))
HUGO = Convention(
    "Hugo",
    marks=("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "archetypes/*", "_index.md", "*/_index.md"),
    settings=("hugo.yaml", "hugo.yml", "config.yaml", "config.yml", "config/*"),
    root="content",
    static=("static", "assets"),
)
JEKYLL = Convention(
    "Jekyll", marks=("_config.yml", "_config.yaml", "_posts/*"), settings=("_config*.yml", "_config*.yaml"), blog=True
)

CONVENTIONS = (DENDRON, OBSIDIAN, FOAM, HUGO, JEKYLL)

#: The marks that may be in the folder above the one with the notes.
TOOL_FILES = tuple(mark for each in CONVENTIONS for mark in each.marks if not {"*", "/"} & {*mark})


def recognise(paths: Collection[str]) -> Convention:
    """Say which tools a folder comes from, by the paths of its files: a notebook may be published as a site."""
    known = [each for each in CONVENTIONS if any(fnmatchcase(path, mark) for mark in each.marks for path in paths)]
    if not known:
        return PLAIN
    return Convention(
        " and ".join(each.name for each in known),
        marks=tuple(mark for each in known for mark in each.marks),
        settings=tuple(pattern for each in known for pattern in each.settings),
        root="".join(each.root for each in known),
        static=tuple(folder for each in known for folder in each.static),
        fields={key: name for each in known for key, name in each.fields.items()},
        label_first=any(each.label_first for each in known),
        dotted=any(each.dotted for each in known),
        blog=any(each.blog for each in known),
    )


def is_settings(path: str, convention: Convention) -> bool:
    """Say whether a file holds a tool's own settings rather than a record."""
    return any(fnmatchcase(path, pattern) for pattern in convention.settings)
