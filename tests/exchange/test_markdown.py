"""What is read from a body: links, tags and the title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.exchange.markdown import Link, hide_code, links_in, tags_in, title_in


def targets(text: str) -> list[str]:
    return [link.target for link in links_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[Note]]", ["Note"]),
        ("[[Note|alias]] [[Note#Part]] [[Note#^block|x]]", ["Note", "Note", "Note"]),
        ("![[picture.png]]", ["picture.png"]),
        ("| [[a\\|b]] |", ["a"]),
        ("[[#Part]] [[]] \\[[no]]", []),
        ("[[https://example.com]] [[{{title}}]]", []),
    ],
)
def test_wikilinks_are_found(text: str, found: list[str]) -> None:
    assert targets(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[a](b/c.md#part "title")', ["b/c.md"]),
        ("[a](<my notes/c d.md>) [b](my%20note.md)", ["my notes/c d.md", "my note.md"]),
        ("[![alt](a.png)](b.md)", ["a.png", "b.md"]),
        ("[a](b_(c).md) [a](../) [a](/x/y/)", ["b_(c).md", "../", "/x/y/"]),
        ("[a](https://e.com) [a](mailto:x@e.com) [a](//e.com/x) [a](#part) [a]()", []),
        ("[a](b.md?raw=1)", ["b.md"]),
        (
            "see [a][r]\n\n[r]: b.md\n[s]: <c d.md> 'title'\n[^1]: note.md\n[t]: b.md and more",
            ["b.md", "c d.md"],
        ),
        ('[a]({% page "/x/#p" %}) [a]({% page "y/z" %})', ["/x/", "/y/z"]),
        ("[a]({{ site.baseurl }}/x/) [a]({{site.base_url}}y)", ["/x/", "/y"]),
        ('[a]({{ "/x" | relative_url }}) [a]({{< ref "c.md" >}})', ["/x", "c.md"]),
        ('{{< ref "c.md" >}} [a]({{% relref "d" %}}) {{< figure x="1" >}}', ["c.md", "d"]),
        ("{% link _x/a.md %} [a]({{ site.baseurl }}{% post_url 2024-01-02-q %})", ["/_x/a.md", "/2024-01-02-q"]),
        ('[a]({{ page.url }}) [a]({% page "https://e.com" %})', []),
    ],
)
def test_markdown_links_are_found(text: str, found: list[str]) -> None:
    assert targets(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "```\n[[a]] #b\n```",
        "~~~ md\n[[a]] #b\n```\n~~~~\n",
        "- ```sh\n  [[a]] #b\n  ```\n",
        "> ```\n> [[a]] #b\n",
        "`[[a]] #b` and ``[x](`y`.md)``",
        "<!-- [[a]]\n #b -->",
    ],
)
def test_code_and_comments_hold_no_links_and_no_tags(text: str) -> None:
    assert (links_in(text), tags_in(text)) == ((), ())


def test_text_around_code_is_read() -> None:
    assert targets("``` `[[b]]\n\n[[a]] ```x``` [[c]]\n```\n[[d]]\n```\n[[e]]") == ["b", "a", "c", "e"]


def test_links_know_their_lines() -> None:
    links = links_in("[[a]]\n\n[b](c.md) [[d]]\n", first_line=5)
    assert links == (Link("a", 5, True), Link("c.md", 7, False), Link("d", 7, True))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one text #two/three, #one", ("one", "two/three")),
        ("# heading\n## more #tag", ("tag",)),
        ("#1984 #y1984 #- #a-b_c/", ("y1984", "a-b_c")),
        ("https://e.com/#part a#b (#c) [[x #y]]", ()),
        ("#日本 #🌲tree", ("日本", "🌲tree")),
    ],
)
def test_tags_follow_obsidian(text: str, tags: tuple[str, ...]) -> None:
    assert tags_in(text) == tags


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Title #\ntext", "Title"),
        ("\n# The [[a|big]] [plan](b.md) **now**\r\n", "The big plan now"),
        ("intro\n\n# Title\n## Part", "Title"),
        ("## Part\n# Title", ""),
        ("intro\n# Monday\n# Tuesday", ""),
        ("# Monday\n# Tuesday", "Monday"),
        ("```\n# code\n```\ntext", ""),
        ("#tag", ""),
    ],
)
def test_the_title_is_a_first_heading(text: str, title: str) -> None:
    assert title_in(text) == title


@given(st.text(alphabet="`~[]()<>!-#{}% \nab|\\\"'", max_size=200))
def test_any_text_is_read_in_place(text: str) -> None:
    hidden = hide_code(text)
    assert (len(hidden), hidden.count("\n")) == (len(text), text.count("\n"))
    assert all(1 <= link.line <= text.count("\n") + 1 for link in links_in(text))
    assert all(tag in text for tag in tags_in(text))
    assert isinstance(title_in(text), str)


@pytest.mark.parametrize("part", ["{{a}}", "[a](", "`", "[[", "<!--", "`a``", "](x '", "[a]: (", "{% link x %}"])
def test_long_rows_of_one_mark_are_read_quickly(part: str) -> None:
    assert links_in(f"[a]({part * 2000}") is not None
