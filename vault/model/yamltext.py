"""YAML, read safely: the settings of a vault and the front matter of a note."""

from pathlib import Path

import yaml

from vault.errors import VaultError


class YamlError(VaultError):
    """A YAML text that cannot be read; `line` and `column` are 1-based."""

    code = "bad-yaml"

    def __init__(self, where: str, problem: str, line: int, column: int) -> None:
        super().__init__(
            f"{where}:{line}:{column}: {problem}",
            hint="correct the YAML at that place; quote a value that holds `: ` or starts with `@`, `%` or `[`",
            details={"path": where, "line": line, "column": column},
        )
        self.line, self.column, self.problem = line, column, problem


#: What the loader raises for a value that is not of the kind its tag says, as in `!!timestamp soon`.
_ODD_TAGS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, where: str | Path) -> object:
    """Read one YAML document with the safe loader; dates become `datetime.date` and `datetime`.

    Raises `YamlError` naming the place.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a safe loader, in C where it is built in
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise YamlError(str(where), error.problem or "not YAML", line, column) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        raise YamlError(str(where), f"the character {error.character!r} is not allowed", line, column) from error
    except (yaml.YAMLError, RecursionError, *_ODD_TAGS) as error:
        raise YamlError(str(where), f"a value cannot be read as what its tag says ({error})", 1, 1) from error


def write_yaml(data: object) -> str:
    """Write plain data as YAML in block style, keys in the order given."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
