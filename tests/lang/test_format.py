"""Layout, beside what the corpus shows."""

import pytest

from vault.lang.format import WIDTH, format_text
from vault.store import bundled


def test_a_file_with_syntax_errors_is_left_alone() -> None:
    assert format_text("t  x { a = ? }") == "t  x { a = ? }"


def test_lists_are_broken_where_they_do_not_fit() -> None:
    fitting = "x" * (WIDTH - len('    a = [""]'))
    assert format_text(f't x {{ a = ["{fitting}",] }}') == f't x {{\n    a = ["{fitting}"]\n}}\n'
    assert format_text(f't x {{ a = ["{fitting}x"] }}') == f't x {{\n    a = [\n        "{fitting}x",\n    ]\n}}\n'
    name = "n" * WIDTH
    assert format_text(f"t x {{ {name} = [ ] }}") == f"t x {{\n    {name} = []\n}}\n"
    assert format_text('t x { a = ["""one\n"two" """] }') == (
        't x {\n    a = [\n        """\n        one\n        "two"\n        """,\n    ]\n}\n'
    )


@pytest.mark.parametrize("folder", ["", bundled.INTERNAL])
def test_the_products_own_schemas_are_canonical(folder: str) -> None:
    texts = bundled.schema_texts(folder)
    assert texts
    assert all(format_text(text) == text for text in texts.values())
