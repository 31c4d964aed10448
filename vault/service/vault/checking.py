"""Checking: diagnostics of the files, of what is staged and of commits; fixes and format."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.service.runtime.handle import VaultHandle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault.service.arguments.commit_options import CommitOptions
    from vault.service.runtime.commit_result import Landed
    from vault.service.runtime.validation import Validation
    from vault.service.write.autofix import Fixed
    from vault.service.write.formatter import Formatted


class Checking(VaultHandle):
    """Checking: diagnostics of the files, of what is staged and of commits; fixes and format."""

    def check(self, paths: Collection[str] | None = None, *, firm_compatible: bool = False) -> list[Diagnostic]:
        """Every diagnostic of the vault, or of some files, as its owner sees it.

        `firm_compatible` adds which entries plain Firm would take for one.
        """
        from vault.service.runtime.validation import check_worktree

        return check_worktree(self, paths, firm_compatible=firm_compatible)

    def findings(self) -> list[Diagnostic]:
        """Return the diagnostics of what the reader may know of."""
        from vault.service.runtime.validation import findings

        return findings(self)

    def check_files(self, paths: "Collection[str] | None" = None, *, firm_compatible: bool = False) -> "Validation":
        """Judge the working tree, or some of its files; with `firm_compatible` also as plain Firm would."""
        from vault.service.runtime.validation import check_files

        return check_files(self, paths, firm_compatible=firm_compatible)

    def check_staged(self, *, firm_compatible: bool = False) -> "Validation":
        """Judge what is staged, as it would be committed.

        Inside a hook git names the index it is about to commit in GIT_INDEX_FILE.
        """
        from vault.service.runtime.validation import check_staged

        return check_staged(self, firm_compatible=firm_compatible)

    def check_range(self, start: str, end: str, *, firm_compatible: bool = False) -> "Validation":
        """Judge what a revision brings beside another: the files that changed since the two parted.

        A revision of zeros stands for nothing at all. Raises `UnknownRevision`.
        """
        from vault.service.runtime.validation import check_range

        return check_range(self, start, end, firm_compatible=firm_compatible)

    def fix(self, paths: "Collection[str] | None" = None, options: "CommitOptions | None" = None) -> "Fixed":
        """Mend what can be mended safely, in the whole vault or some files of it: all in one write, or nothing.

        Slots in which a later fact is due are settled first, each in a commit of its own. A file with syntax errors is
        left as it is.
        """
        from vault.service.write.autofix import fix

        return fix(self, paths, options)

    def unformatted(self, paths: "Sequence[str]") -> "tuple[list[Formatted], list[Diagnostic]]":
        """The files not in canonical layout, and what keeps some files from being read."""
        from vault.service.write.formatter import unformatted

        return unformatted(self, paths)

    def rewrite(self, files: "Sequence[Formatted]", options: "CommitOptions | None" = None) -> "Landed":
        """Put files into their canonical layout."""
        from vault.service.write.formatter import rewrite

        return rewrite(self, files, options)
