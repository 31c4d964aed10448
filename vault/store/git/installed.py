"""The hooks that check vaults: their text, the folder they stand in, how they get there."""

import os
import re
import secrets
import shlex
import stat
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from vault.store.files import TEMPORARY, StaleWrite, WriteFailed, read_optional, sync_folder, write_synced
from vault.store.git.config import Settings
from vault.store.git.place import Place

#: git runs the one before a commit, the other before the commit of a merge that met no conflict.
NAMES = ("pre-commit", "pre-merge-commit")
KEPT = ".before-firm-vault"
MODE = 0o755
#: What a program that can be the hook's says to `--version`; HashiCorp's `vault` says something else.
VERSION = "vault, version "
PATIENCE_SECONDS = 30

_MARK = re.compile(rb"^# firm-vault-hook ([0-9a-f]{64})\n", re.MULTILINE)
#: Ways of shell, Python, Perl and Ruby to ask what one is called; a renamed hook gets another answer.
_OWN_NAME = re.compile(rb"basename|\$\{0##|argv\[0\]|PROGRAM_NAME|__FILE__|__file__")
_LIST = "\n# the vaults of this hook: repository, folder, program\n"

_HEAD = r"""#!/bin/sh
# Checks what is about to be committed to a vault. Made by `vault hooks install`; `vault hooks uninstall` takes it
# away again, and puts back the hook that was here before.
"""
#: It calls nothing but git and what every `sh` has built in: a program that PATH lacks would let a commit pass.
#: `git diff` keeps commits that touch no vault fast; `git ls-files` lets a branch without the vault be committed to.
_BODY = rf"""
before=${{0%/*}}/$name{KEPT}
end='
'

# whoever has put their own hook in front of this one is running it already
is_in_front() {{
    case $0 in
    */"$name") return 1 ;;
    esac
    front=$(git hash-object --no-filters -- "${{0%/*}}/$name") || return 1
    [ "$(git hash-object --no-filters -- "$before")" = "$front" ]
}}

if [ -x "$before" ] && ! is_in_front 2>/dev/null; then
    "$before" "$@" || exit
fi

refuse() {{
    printf 'firm-vault: nothing was committed: %s\n' "$1"
    printf 'help: %s\n' "$2"
    printf 'help: or take this hook away: %s\n' "$0"
    [ ! -e "$before" ] || printf 'help: and give the one before it its name back: %s\n' "$before"
    exit 1
}} >&2

is_here() {{
    [ -n "$1" ] || return 0
    folder=$(git rev-parse --git-common-dir) && folder=$(CDPATH= cd -- "$folder" && pwd -P) ||
        refuse 'git does not say which repository this is' 'let PATH name the folder of git, then commit again'
    [ "$folder" = "$1" ]
}}

is_touched() {{
    git --literal-pathspecs diff --cached --quiet --no-ext-diff -- "$1" 2>/dev/null
    case $? in
    0) return 1 ;;
    1) files=$(git --literal-pathspecs ls-files --cached -- "$1") || return 0 ;;
    *) return 0 ;;
    esac
    case $files$end in
    *.firm"$end"* | *.firm\""$end"* | *vault.yaml"$end"* | *vault.yaml\""$end"*) return 0 ;;
    *) return 1 ;;
    esac
}}

# `vault` may be another's program
is_ours() {{
    case $("$1" --version 2>/dev/null) in
    '{VERSION}'*) return 0 ;;
    *) return 1 ;;
    esac
}}

check() {{
    is_here "$1" && is_touched "$2" || return 0
    for program in "$3" vault fv; do
        case $program in
        /*) [ -x "$program" ] ;;
        *) is_ours "$program" ;;
        esac || continue
        "$program" --directory="$2" --global check --staged
        case $? in
        0) return 0 ;;
        126 | 127) ;; # it is there, but what runs it is gone
        *) exit 1 ;;
        esac
    done
    refuse "the program that checks the vault is gone: $3" \
        'install firm-vault again, and run `vault hooks install` in the vault'
}}
"""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A vault that a hook checks, and the program it is checked with.

    `folder` begins at the top of the working tree, which is `.`. `repository` is the folder git keeps the
    repository in, where the hook is shared with others; else it is empty, and the repository may move.
    """

    folder: str
    program: str
    repository: str = ""

    def is_same_vault(self, other: "Guarded") -> bool:
        """Say whether another one is about the same vault."""
        return (self.repository, self.folder) == (other.repository, other.folder)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at a hook's place: its bytes, None for nothing that can be read as a file.

    `guarded` are the vaults our own hook checks, None where the hook is not ours; `changed` says that it
    was ours, and somebody edited it or made a link of it.
    """

    there: bool = False
    data: bytes | None = None
    guarded: tuple[Guarded, ...] | None = None
    changed: bool = False
    runs: bool = False


def kept_from(hook: Path) -> Path:
    """Return where the hook is kept that stood in the place of ours."""
    return hook.with_name(hook.name + KEPT)


def script(name: str, guarded: Iterable[Guarded]) -> bytes:
    """Write the hook of a name that checks some vaults."""
    calls = [shlex.join(["check", one.repository, one.folder, one.program]) for one in guarded]
    body = (f"\nname={name}" + _BODY + _LIST + "\n".join(calls) + "\n").encode("utf-8", "surrogateescape")
    head = _HEAD.encode()
    return head + f"# firm-vault-hook {sha256(head + body).hexdigest()}\n".encode() + body


def read_script(data: bytes) -> Standing:
    """Tell our own hook, as it was written by this version or another, from others."""
    mark = _MARK.search(data)
    if mark is None:
        return Standing(there=True, data=data)
    rest = data[: mark.start()] + data[mark.end() :]
    if sha256(rest).hexdigest().encode() != mark[1]:
        return Standing(there=True, data=data, changed=True)
    words = shlex.split(rest.decode("utf-8", "surrogateescape").rpartition(_LIST)[2])
    calls = [words[start + 1 : start + 4] for start in range(0, len(words), 4)]
    guarded = tuple(Guarded(folder, program, repository) for repository, folder, program in calls)
    return Standing(there=True, data=data, guarded=guarded)


def stands_at(hook: Path) -> Standing:
    """Read what stands at a hook's place; raises `Unreadable`."""
    data = read_optional(hook)
    found = Standing(there=os.path.lexists(hook)) if data is None else read_script(data)
    linked = hook.is_symlink() and found.guarded is not None
    runs = os.access(hook, os.X_OK)
    return Standing(found.there, found.data, None if linked else found.guarded, found.changed or linked, runs)


def is_shared(place: Place, settings: Settings, folder: Path) -> bool:
    """Say whether a hooks folder may serve other repositories, too."""
    real = folder.resolve()
    named = settings.text("core", "hookspath")
    if named and not settings.is_own("core", "hookspath") and named.startswith(("/", "~")):
        return True
    return not any(real.is_relative_to(own) for own in (place.worktree, place.git_dir, place.common_dir))


def passed_on(hook: Path) -> Path | None:
    """Find our own hook under another name: another program has put its hook in its place."""
    for other in sorted(hook.parent.glob(f"{hook.name}.*")):
        found = stands_at(other)
        if found.guarded is not None or found.changed:
            return other
    return None


def is_written(hook: Path, now: Standing, guarded: Iterable[Guarded]) -> bool:
    """Say whether a hook is just as `write_hook` would leave it."""
    return now.data == script(hook.name, guarded) and stat.S_IMODE(hook.stat().st_mode) == MODE


def write_hook(hook: Path, now: Standing, guarded: Iterable[Guarded]) -> None:
    """Put our hook in its place in one step; one of somebody else's is kept beside it.

    `now` is what was found there: raises `StaleWrite` if that changed, and `WriteFailed`.
    """
    temporary = hook.with_name(f".{hook.name}.{secrets.token_hex(6)}{TEMPORARY}")
    try:
        hook.parent.mkdir(parents=True, exist_ok=True)
        write_synced(temporary, script(hook.name, guarded), mode=MODE)
        if stands_at(hook) != now:
            raise StaleWrite(str(hook))
        if now.there and now.guarded is None:
            hook.rename(kept_from(hook))
        temporary.replace(hook)
        sync_folder(hook.parent)
    except OSError as error:
        raise WriteFailed(str(hook), error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def restore_hook(hook: Path) -> None:
    """Take our hook away, and put back the one that was there before; raises `WriteFailed`."""
    try:
        if os.path.lexists(before := kept_from(hook)):
            before.replace(hook)
        else:
            hook.unlink(missing_ok=True)
        sync_folder(hook.parent)
    except OSError as error:
        raise WriteFailed(str(hook), error.strerror or str(error)) from error


def goes_by_name(hook: Path) -> bool:
    """Say whether a hook seems to ask for the name it was called by."""
    return _OWN_NAME.search(read_optional(hook) or b"") is not None


def answers(program: str, environ: Mapping[str, str]) -> bool:
    """Say whether a program is there and is this one."""
    try:
        done = subprocess.run(
            [program, "--version"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.startswith(VERSION)
