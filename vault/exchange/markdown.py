"""What a Markdown text says to an importer: its links, its tags and its title."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_BLANKS = r"[ \t]*\n?[ \t]*"
#: The destination of a link; atomic, so that a row of braces cannot make matching explode.
_DESTINATION = r"(?:<(?P<angled>[^<>\n]*)>|(?P<plain>(?>(?:\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|\([^\s()]*\)|[^\s()<])+)))"
_TITLE = r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))"

_HIDDEN = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,})[^\n]*)$"
    r"(?s:.*?)(?:^[ \t>]*(?:(?P=ticks)`*|(?P=tildes)~*)[ \t]*\r?$|\Z)"
    r"|<!--(?s:.*?)-->"
    r"|(?<!`)(?P<code>`+)(?!`)(?:(?!\n[ \t]*\r?\n)(?s:.))+?(?<!`)(?P=code)(?!`)",
    re.MULTILINE,
)
WIKILINK = re.compile(r"(?<!\\)!?\[\[(?P<inner>[^\[\]\n]+)\]\]")
_INLINE = re.compile(rf"\]\({_BLANKS}{_DESTINATION}(?:\s+{_TITLE})?\s*\)")
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?!\^)[^\]\n]+\]:{_BLANKS}{_DESTINATION}(?=[ \t]*{_TITLE}?[ \t]*\r?$)", re.MULTILINE
)
_TEMPLATE = re.compile(
    r"\{%-?\s*\w+\s+[\"']?(?P<tag>[^\"'%\s]+)[\"']?[^%}]*%\}"
    r"|\{\{-?\s*[\"'](?P<piped>[^\"'}]+)[\"'][^}]*\}\}"
    r"|\{\{[<%]\s*(?:rel)?ref\s+[\"'](?P<ref>[^\"'}]+)[\"']\s*[>%]\}\}"
    r"|\{\{-?\s*[\w.]*base_?url\s*-?\}\}"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
#: Obsidian's own set of characters that end a tag.
_TAG = re.compile(r"(?<!\S)#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]+)")
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<text>[^\n]*?)(?:[ \t]+#+)?[ \t]*\r?$", re.MULTILINE)
_LINK_TEXT = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]]+)\]\]|!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Link:
    """A link that stays inside the folder: its target without anchor, the line it stands in."""

    target: str
    line: int
    wiki: bool


def hide_code(text: str) -> str:
    """Blank out fenced and inline code and HTML comments; every other place stays where it was."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def links_in(text: str, first_line: int = 1) -> tuple[Link, ...]:
    """List the links of a body in order; `first_line` is the line its text starts at."""
    shown = hide_code(text)
    breaks = [found.start() for found in re.finditer("\n", shown)]
    return tuple(
        Link(target, first_line + bisect(breaks, offset - 1), wiki) for offset, target, wiki in sorted(_targets(shown))
    )


def _targets(shown: str) -> Iterator[tuple[int, str, bool]]:
    for found in WIKILINK.finditer(shown):
        if target := wiki_target(found["inner"]):
            yield found.start(), target, True
    for pattern in (_INLINE, _DEFINITION):
        for found in pattern.finditer(shown):
            if target := page_target(found["angled"] or found["plain"] or ""):
                yield found.start(), target, False


def wiki_target(inner: str) -> str:
    """Return the note that the inside of `[[…]]` names; "" for one that names none of the folder."""
    target = inner.partition("|")[0].rstrip("\\").partition("#")[0].strip()
    return "" if "://" in target or "{{" in target else target


def page_target(destination: str) -> str:
    """Return the path that a link's destination names; "" for one that leaves the folder or the page."""
    filled = _TEMPLATE.sub(_template_path, destination)
    if "{{" in filled or "{%" in filled or _SCHEME.match(filled):
        return ""
    return unquote(re.split(r"[?#]", filled, maxsplit=1)[0])


def _template_path(found: re.Match[str]) -> str:
    """Write a template's call as the site would: all but Hugo's `ref` start at the site's root."""
    if found["ref"]:
        return found["ref"]
    path = found["tag"] or found["piped"] or ""
    if not path:
        return "" if found.string[found.end() : found.end() + 1] == "/" else "/"
    return path if _SCHEME.match(path) else "/" + path.lstrip("/")


def tags_in(text: str) -> tuple[str, ...]:
    """List the `#tags` of a body, each once, in order, without the `#`."""
    shown = WIKILINK.sub(" ", hide_code(text))
    found = (tag.rstrip("/") for tag in _TAG.findall(shown))
    return tuple(dict.fromkeys(tag for tag in found if _is_tag(tag)))


def _is_tag(tag: str) -> bool:
    return not tag.isdigit() and any(char not in "-_/" for char in tag)


def title_in(text: str) -> str:
    """Return the title a body gives itself, in plain words; "" if it has none.

    A heading of the first level is a title if no other heading comes before it, and if it opens the
    text or is the only one of its level: `# Monday` of a diary names a part.
    """
    shown = hide_code(text)
    headings = list(_HEADING.finditer(shown))
    if not headings or headings[0]["level"] != "#":
        return ""
    opens = not shown[: headings[0].start()].strip()
    alone = sum(heading["level"] == "#" for heading in headings) == 1
    return _plain(text[slice(*headings[0].span("text"))]) if opens or alone else ""


def _plain(heading: str) -> str:
    unlinked = _LINK_TEXT.sub(lambda link: link[1] or link[2] or "", heading)
    return _EMPHASIS.sub(r"\2", unlinked).strip()
