"""What git stores of a file: line endings converted, filters run, as attributes and settings ask.

The order is git's: the clean filter, then line endings, then `$Id$`.
"""

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from dulwich.attrs import AttributeValue, GitAttributes, parse_gitattributes_file

from vault.errors import VaultError
from vault.store.git.config import Settings
from vault.store.git.place import Place, decode

_KEYWORD = re.compile(rb"\$Id: [^$\n]*\$")
#: Control characters git does not expect in text.
_ODD = bytes([*range(8), 11, *range(14, 27), *range(28, 32), 127])

Attributes = Mapping[bytes, AttributeValue]


class ConversionUnavailable(VaultError):
    """A file git would convert in a way that cannot be done here."""

    code = "conversion-unavailable"

    def __init__(self, path: str, what: str) -> None:
        super().__init__(
            f"{path} asks for a conversion that cannot be made: {what}",
            hint="install the program it names, or change the path's line in .gitattributes",
            details={"path": path},
        )


class Conversion:
    """Converts a working tree's files to what git stores, by the attributes and settings of now.

    `stored` gives what the index holds for a path: files stored with CRLF stay so.
    """

    def __init__(self, place: Place, settings: Settings, stored: Callable[[bytes], bytes | None]) -> None:
        """Convert for one repository."""
        self._place, self._settings, self._stored = place, settings, stored
        self._autocrlf = (settings.text("core", "autocrlf") or "false").lower()

    @cached_property
    def _attributes(self) -> list[GitAttributes]:
        """The person's, the repository's, and in a linked working tree the shared ones, weakest first."""
        found = [
            _attributes_in(self._settings.personal_file("attributesfile", "attributes")),
            self._place.repo.get_gitattributes(),
        ]
        if self._place.common_dir != self._place.git_dir:
            found.append(_attributes_in(self._place.common_dir / "info" / "attributes"))
        return found

    def attributes(self, path: bytes) -> Attributes:
        """Return a path's attributes."""
        merged: dict[bytes, AttributeValue] = {}
        for source in self._attributes:
            merged.update(source.match_path(path))
        if merged.get(b"binary") is True:
            merged[b"text"] = False
        return merged

    def to_git(self, path: bytes, data: bytes) -> bytes:
        """Return what git stores for a file that holds `data`; raises `ConversionUnavailable`."""
        attributes = self.attributes(path)
        encoding = attributes.get(b"working-tree-encoding")
        if isinstance(encoding, bytes) and encoding.lower() not in {b"utf-8", b"utf8"}:
            raise ConversionUnavailable(decode(path), f"working-tree-encoding={decode(encoding)}")
        driver = attributes.get(b"filter")
        if isinstance(driver, bytes):
            data = self._filtered(path, data, decode(driver))
        if self._autocrlf in {"true", "input"} or not attributes.keys().isdisjoint((b"text", b"crlf", b"eol")):
            data = self._with_lf(path, data, attributes)
        return _KEYWORD.sub(b"$Id$", data) if attributes.get(b"ident") is True else data

    def _with_lf(self, path: bytes, data: bytes, attributes: Attributes) -> bytes:
        if b"\r\n" not in data:
            return data
        from dulwich.line_ending import CRLFAction, resolve_crlf_action  # few files need it

        action = resolve_crlf_action(
            attributes, self._settings.text("core", "eol") or "native", self._autocrlf.encode()
        )
        if action is CRLFAction.BINARY:
            return data
        if action in (CRLFAction.AUTO_INPUT, CRLFAction.AUTO_CRLF) and self._keeps_crlf(path, data):
            return data
        return data.replace(b"\r\n", b"\n")

    def _keeps_crlf(self, path: bytes, data: bytes) -> bool:
        """Say whether git, left to judge by content, leaves a file's CRLF alone."""
        stored = self._stored(path)
        has_crlf = stored is not None and b"\r\n" in stored and not _is_binary(stored)
        return has_crlf or _is_binary(data)

    def _filtered(self, path: bytes, data: bytes, driver: str) -> bytes:
        section = f"filter.{driver}"
        command = self._settings.text(section, "clean")
        required = self._settings.flag(section, "required", default=False)
        if not command:
            if required or self._settings.text(section, "process"):
                raise ConversionUnavailable(decode(path), f"the filter {driver} has no clean command")
            return data
        done = self._run(command.replace("%f", shlex.quote(decode(path))), data)
        if done.returncode == 0:
            return done.stdout
        if required:
            raise ConversionUnavailable(decode(path), f"the filter {driver} failed: {command}")
        return data

    def _run(self, command: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
        words = ["/bin/sh", "-c", command]
        return subprocess.run(words, cwd=self._place.worktree, input=data, capture_output=True, check=False)


def _attributes_in(path: Path) -> GitAttributes:
    try:
        return GitAttributes(parse_gitattributes_file(str(path)))
    except OSError:
        return GitAttributes()


def _is_binary(data: bytes) -> bool:
    """Judge content as git's line-ending conversion does: a NUL, a lone CR, or 1 odd byte in 128."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    text = data[:-1] if data.endswith(b"\x1a") else data
    odd = len(text) - len(text.translate(None, _ODD))
    breaks = text.count(b"\n") + text.count(b"\r")
    return (len(text) - odd - breaks) >> 7 < odd
