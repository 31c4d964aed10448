"""What a Markdown text says to an importer: its links, its tags and its title."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

#: How Dendron names a note of another vault: `dendron://vault/note`.
DENDRON = "dendron://"

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
    rf"^ {{0,3}}\[(?!\^)(?P<label>[^\]\n]+)\]:{_BLANKS}{_DESTINATION}(?=[ \t]*{_TITLE}?[ \t]*\r?$)", re.MULTILINE
)
_TEMPLATE = re.compile(
    r"\{%-?\s*\w+\s+[\"']?(?P<tag>[^\"'%\s]+)[\"']?[^%}]*%\}"
    r"|\{\{-?\s*[\"'](?P<piped>[^\"'}]+)[\"'][^}]*\}\}"
    r"|\{\{[<%]\s*(?:rel)?ref\s+(?:path\s*=\s*)?[\"'`]?(?P<ref>[^\"'`}>%\s]+)[\"'`]?[^}>%]*[>%]\}\}"
    r"|\{\{-?\s*[\w.]*base_?url\s*-?\}\}"
)
#: Calls that write the address of a page: Hugo's `ref` and `relref`, Jekyll's `link` and `post_url`.
_CALL = re.compile(r"\{\{[<%]\s*(?:rel)?ref\s[^{}]*\}\}|\{%-?\s*(?:link|post_url)\s[^{}]*%\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
#: The link definitions that Foam writes below a note repeat its wikilinks.
_GENERATED = re.compile(r"^\[//begin\]:(?s:.*?)^\[//end\]:[^\n]*$", re.MULTILINE)
_ATTRIBUTE = r"(?:\"(?P<double>(?>(?:\{\{[^\n]*?\}\}|[^\"\n])*))\"|'(?P<single>[^'\n]*)')"
_HTML = re.compile(rf"<(?:a|img|audio|video|source|embed)\b[^<>]*?\s(?:href|src)\s*=\s*{_ATTRIBUTE}", re.IGNORECASE)
_FIGURE = re.compile(rf"\{{\{{[<%]\s*(?:figure|image|img)\b[^{{}}]*?\bsrc\s*=\s*{_ATTRIBUTE}")
_STYLED = re.compile(r"<(style|script)\b(?s:.*?)</\1\s*>|<[A-Za-z/][^<>]*>", re.IGNORECASE)
#: `#fff`, `#1a2b3c`: a colour has a digit or one letter only; `#cafe` and `#decade` are words.
_COLOUR = re.compile(r"(?=[0-9a-f]*\d|([a-f])\1+\Z)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\Z", re.IGNORECASE)
_COLOURED = re.compile(r"(?:colou?r|background|border|fill|stroke)[\w-]*[ \t]*:[ \t]*#[0-9a-f]{3,8}", re.IGNORECASE)
#: Obsidian's own set of characters that end a tag.
_TAG_CHARACTER = r"[^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"
_TAG = re.compile(rf"(?<!\S)#({_TAG_CHARACTER}+)")
_DOTTED_TAG = re.compile(rf"(?<!\S)#({_TAG_CHARACTER}+(?:\.{_TAG_CHARACTER}+)*)")
_MENTION = re.compile(rf"(?<!\S)@({_TAG_CHARACTER}+(?:\.{_TAG_CHARACTER}+)*)")
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<text>[^\n]*?)(?:[ \t]+#+)?[ \t]*\r?$", re.MULTILINE)
_LINK_TEXT = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]]+)\]\]|!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Link:
    """A link that stays inside the folder: its target without anchor, the line it stands in.

    Of `[[a|b]]` the target is `a`, and `label` is `b` as it is written. `definition` is where a link
    definition of the same name leads.
    """

    target: str
    line: int
    wiki: bool
    label: str = ""
    definition: str = ""


def hide_code(text: str) -> str:
    """Blank out fenced and inline code and HTML comments; every other place stays where it was."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def links_in(text: str, first_line: int = 1) -> tuple[Link, ...]:
    """List the links of a body in order; `first_line` is the line its text starts at."""
    shown = hide_code(text)
    breaks = [found.start() for found in re.finditer("\n", shown)]
    placed = sorted(_links(shown), key=lambda pair: (pair[0], pair[1].target))
    return tuple(replace(link, line=first_line + bisect(breaks, offset - 1)) for offset, link in placed)


def _links(shown: str) -> Iterator[tuple[int, Link]]:
    """Yield every link with its offset; a definition that a wikilink uses is part of that link."""
    wikilinks = list(WIKILINK.finditer(shown))
    definitions = list(_DEFINITION.finditer(shown))
    paths = {found["label"].casefold(): _destination(found) for found in definitions}
    for found in wikilinks:
        if link := wiki_link(found["inner"], 0):
            names = (found["inner"].casefold(), link.target.casefold())
            yield found.start(), replace(link, definition=next((paths[name] for name in names if name in paths), ""))
    used = {name for found in wikilinks for name in (found["inner"].casefold(), _first(found["inner"]).casefold())}
    generated = [found.span() for found in _GENERATED.finditer(shown)]
    own = [
        found
        for found in definitions
        if found["label"].casefold() not in used and not _is_within(found.start(), generated)
    ]
    inline, html = [*_INLINE.finditer(shown), *own], [*_HTML.finditer(shown), *_FIGURE.finditer(shown)]
    for found in inline:
        if target := _destination(found):
            yield found.start(), Link(target, 0, wiki=False)
    spans = sorted(found.span() for found in (*inline, *definitions, *html))
    for found in _CALL.finditer(shown):
        end = bisect(spans, found.start(), key=lambda span: span[0])
        if (target := page_target(found[0])) and not _is_within(found.start(), spans[max(end - 1, 0) : end]):
            yield found.start(), Link(target, 0, wiki=False)
    for found in html:
        if target := page_target((found["double"] or found["single"] or "").strip()):
            yield found.start(), Link(target, 0, wiki=False)


def _destination(found: re.Match[str]) -> str:
    return page_target(found["angled"] or found["plain"] or "")


def _is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def wiki_link(inner: str, line: int) -> Link | None:
    """Read the inside of `[[…]]`; None for one that names no note of the folder."""
    target = note_name(_first(inner))
    _, _, label = inner.partition("|")
    return Link(target, line, wiki=True, label=label.strip()) if target else None


def _first(inner: str) -> str:
    return inner.partition("|")[0].rstrip("\\").strip()


def note_name(text: str) -> str:
    """Return the note that one side of a wikilink names, without its anchor; "" for one that names none."""
    name = text.partition("#")[0].strip()
    is_foreign = "://" in name and not name.startswith(DENDRON)
    return "" if is_foreign or "{{" in name else name


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
        return "" if found.string[found.end() : found.end() + 1] in ("/", "{") else "/"
    return path if _SCHEME.match(path) else "/" + path.lstrip("/")


def tags_in(text: str, *, dotted: bool = False) -> tuple[str, ...]:
    """List the `#tags` of a body, each once, in order, without the `#`; `dotted` ones may hold dots.

    What is inside of HTML, and a colour such as `#fff`, is not a tag.
    """
    shown = _STYLED.sub(" ", WIKILINK.sub(" ", hide_code(text)))
    pattern = _DOTTED_TAG if dotted else _TAG
    found = (tag.rstrip("/") for tag in pattern.findall(_COLOURED.sub(" ", shown)))
    return tuple(dict.fromkeys(tag for tag in found if _is_tag(tag)))


def mentions_in(text: str) -> tuple[str, ...]:
    """List whom a body mentions as `@name`, each once, in order."""
    return tuple(dict.fromkeys(_MENTION.findall(WIKILINK.sub(" ", hide_code(text)))))


def _is_tag(tag: str) -> bool:
    return not tag.isdigit() and any(char not in "-_/" for char in tag) and not _COLOUR.match(tag)


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
