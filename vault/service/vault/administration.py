"""Setting a vault up and keeping it in order: init, spaces, schemas, hooks, import, index, evaluation, doctor."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vault.service.runtime.handle import VaultHandle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from vault.model.schema import FieldSpec
    from vault.model.settings import Space
    from vault.service.admin.doctor import Finding
    from vault.service.admin.evaluation import Report
    from vault.service.admin.evaluation_corpus import Say, Watch
    from vault.service.admin.git_hooks import Guard
    from vault.service.admin.import_report import Imported
    from vault.service.admin.init import Made, SpaceInfo
    from vault.service.admin.reindex import Indexed
    from vault.service.arguments.commit_options import CommitOptions
    from vault.service.arguments.evaluation_options import EvaluationOptions


class Administration(VaultHandle):
    """Setting a vault up and keeping it in order: init, spaces, schemas, hooks, import, index, evaluation, doctor."""

    def index(self, *, rebuild: bool = False) -> "Indexed":
        """Bring all derived data up to date, or make it anew; what looks at the past is made when that is first asked.

        Vectors are kept by content, so a rebuild makes none again; `problem` says why none could be made.
        """
        from vault.service.admin.reindex import index

        return index(self, rebuild=rebuild)

    def index_differences(self) -> list[str]:
        """Where the derived data differs from what making it anew gives; empty where they are equal.

        What turned out to be damaged meanwhile was rebuilt, and is named.
        """
        from vault.service.admin.reindex import differences

        return differences(self)

    def spaces(self) -> "list[SpaceInfo]":
        """The spaces a reader may know of: the declared ones that are not private, and their own."""
        from vault.service.admin.init import spaces

        return spaces(self)

    def add_space(self, name: str, *, private: bool, description: str = "") -> "Space":
        """Declare a space in vault.yaml."""
        from vault.service.admin.init import add_space

        return add_space(self, name, private=private, description=description)

    def set_space(self, name: str, *, private: bool | None, description: str | None) -> "Space":
        """Change what vault.yaml says of a space."""
        from vault.service.admin.init import set_space

        return set_space(self, name, private=private, description=description)

    def add_schema(self, name: str, fields: "list[FieldSpec]", *, closed: bool, description: str) -> str:
        """Write a new schema into `schema/<name>.firm`; returns the path."""
        from vault.service.admin.init import add_schema

        return add_schema(self, name, fields, closed=closed, description=description)

    def import_folder(
        self,
        folder: "Path",
        *,
        mapping: "Path | None" = None,
        label: str | None = None,
        dry: bool = False,
        again: bool = False,
        attachments: bool = False,
        options: "CommitOptions | None" = None,
    ) -> "Imported":
        """Import every note and record below a folder into the reader's scope.

        An entry that nobody edited here follows its source and the mapping; one that was edited here is left as
        it is, unless `again` brings in all. `label` (the folder's name by default) begins every origin.
        `attachments` copies the files that notes link to; without it they are linked where they are, if the vault
        reaches them. Nothing is written if any entry would have an error.
        """
        from vault.service.admin.import_folder import import_folder

        return import_folder(
            self, folder, mapping=mapping, label=label, dry=dry, again=again, attachments=attachments, options=options
        )

    def install_hooks(self, program: str, *, shared: bool = False) -> bool:
        """Have git check this vault before each commit; says whether anything was written.

        A hook that is there runs first. `shared` allows a folder that other repositories use.
        Raises `NotInGit`, `NoHooks`, `SharedHooks`, `ManagedHooks`, `HookChanged`, `HookMoved`, `HookReplaced`,
        and `WriteFailed`.
        """
        from vault.service.admin.git_hooks import install

        return install(self, program, shared=shared)

    def uninstall_hooks(self, *, everything: bool = False) -> bool:
        """Have git check this vault no longer, or none of the repository; says whether anything was written.

        With the last vault the hooks go, and those from before are put back as they were.
        Raises what `install` does, but for shared folders.
        """
        from vault.service.admin.git_hooks import uninstall

        return uninstall(self, everything=everything)

    def hooks(self) -> "Guard":
        """How the hooks stand, and whether they would work now; raises `NotInGit`, `NoHooks`, `Unreadable`."""
        from vault.service.admin.git_hooks import look

        return look(self)

    def evaluate(self, file: "Path", asking: "EvaluationOptions") -> "Report":
        """Measure search in a vault, as its reader sees it, with the questions of a file.

        Each line holds a query, a tab, and what should be found: keys, ids, paths or origins, by blanks or tabs.
        """
        from vault.service.admin.evaluation import evaluate_vault

        return evaluate_vault(self, file, asking)

    @staticmethod
    def init(root: "Path", environ: "Mapping[str, str]", *, space: "Mapping[str, bool] | None" = None) -> "Made":
        """Make a vault of a folder, in the repository it is in or in a new one, and commit its first files.

        Schemas that are there already stay. Folders below `spaces/` are declared; `space` declares more, by
        name with whether they are private. A vault that lost its repository gets a new one.
        Raises `AlreadyAVault`, `InsideVault` and git's errors before anything is made.
        """
        from vault.service.admin.init import init

        return init(root, environ, space=space)

    @staticmethod
    def doctor(
        start: "Path", environ: "Mapping[str, str]", *, space: str | None = None, outside: bool = False
    ) -> "list[Finding]":
        """Look at the environment, the vault a folder is in, its git repository and its derived data."""
        from vault.service.admin.doctor import doctor

        return doctor(start, environ, space=space, outside=outside)

    @staticmethod
    def evaluate_corpus(
        folder: "Path",
        cache: "Path",
        asking: "EvaluationOptions",
        *,
        fresh: bool = False,
        environ: "Mapping[str, str] | None" = None,
        watch: "Watch" = lambda _label: None,
        say: "Say" = lambda _text: None,
    ) -> "Report":
        """Measure search on the judged corpus in a folder, which becomes a vault in the cache."""
        from vault.service.admin.evaluation import evaluate_corpus

        return evaluate_corpus(folder, cache, asking, fresh=fresh, environ=environ, watch=watch, say=say)

    @staticmethod
    def usable_program(candidates: "Iterable[str]", environ: "Mapping[str, str]") -> str:
        """The first of some programs that a hook can run; raises `NoProgram`."""
        from vault.service.admin.git_hooks import usable

        return usable(candidates, environ)

    @staticmethod
    def has_identity(environ: "Mapping[str, str]") -> bool:
        """Say whether git knows who commits, wherever that is set."""
        from vault.service.admin.init import has_identity

        return has_identity(environ)

    @staticmethod
    def clear_corpora(cache: "Path", *, say: "Say") -> tuple[int, int]:
        """Remove every corpus that was built; returns how many, and how many bytes they took."""
        from vault.service.admin.evaluation_corpus import clear

        return clear(cache, say=say)
