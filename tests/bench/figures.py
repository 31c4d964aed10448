"""What is measured, beside what, and how good it has to be."""

import shutil

from tests.bench.child import Run
from tests.bench.measuring import Figure, megabytes, milliseconds, printed
from tests.bench.place import Place


def index(place: Place) -> Run:
    """Index everything from nothing, vectors apart."""
    place.by_words()
    with place.forgotten():
        return place.vault("index", says="passages")


def raw_index(place: Place) -> Run:
    """Parse all entries with lark alone, then index them with tantivy alone."""
    folder = place.folder / "raw"
    shutil.rmtree(folder, ignore_errors=True)
    return raw_parse(place) + place.python("-m", "tests.bench.raw", "tantivy", str(folder), str(place.root))


def check(place: Place) -> Run:
    """Check everything from nothing."""
    place.by_words()
    with place.forgotten():
        return place.vault("check", says=" files: ")


def raw_parse(place: Place) -> Run:
    """Parse all entries with lark alone."""
    return place.python("-m", "tests.bench.raw", "lark", str(place.inputs / "reference.lark"), str(place.root))


def check_again(place: Place) -> Run:
    """Check everything after an edit of one entry."""
    place.edit()
    return place.vault("check", says=" files: ")


def check_staged(place: Place) -> Run:
    """Check what is staged: one entry."""
    place.edit()
    place.git("add", "--all")
    return place.vault("check", "--staged", says="1 file: ")


def ledger(place: Place) -> Run:
    """Read all of history, in a process of its own."""
    place.age()
    return place.python("-m", "tests.bench.inside", "ledger", str(place.root))


def raw_ledger(place: Place) -> Run:
    """Compare the trees of all commits with dulwich, and parse what they hold with lark."""
    place.age()
    return place.python("-m", "tests.bench.raw", "history", str(place.inputs / "reference.lark"), str(place.root))


def history(place: Place) -> Run:
    """Show the history of one entry, where one commit is new."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.vault("--space", edited.space, "history", edited.key, says="update")


def slot(place: Place) -> Run:
    """Show the history of one slot, where one commit is new."""
    place.age()
    edited = place.edit("fact")
    place.commit_all()
    return place.vault("--space", edited.space, "history", edited.slot, says=edited.key)


def blame(place: Place) -> Run:
    """Show where each field of an entry comes from, where one commit is new."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.vault("--space", edited.space, "blame", edited.key, says="tags")


def git_blame(place: Place) -> Run:
    """Show where each line of one file comes from, with git."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.git("blame", str(edited.file))


def search_past(place: Place) -> Run:
    """Search what was known a commit before, where one commit is new."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.vault("--space", edited.space, "search", edited.word, "--at", "HEAD~1", says="spaces/")


def git_grep_past(place: Place) -> Run:
    """Look for a word in what was there a commit before, with git."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.git("grep", "--files-with-matches", edited.word, "HEAD~1")


def diff(place: Place) -> Run:
    """Compare what was just edited with HEAD."""
    place.age()
    edited = place.edit()
    return place.vault("--space", edited.space, "diff", says=edited.key)


def git_diff(place: Place) -> Run:
    """Compare with git what was just edited."""
    place.age()
    place.edit()
    return place.git("diff")


def git_log(place: Place) -> Run:
    """Show the history of one file with git."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.git("log", "--format=%h", "--", str(edited.file))


def get_past(place: Place) -> Run:
    """Show an entry as it was a commit before."""
    place.age()
    edited = place.edit()
    place.commit_all()
    return place.vault("--space", edited.space, "get", edited.key, "--at", "HEAD~1", says=edited.key)


def get(place: Place) -> Run:
    """Show an entry that was just edited."""
    edited = place.edit()
    return place.vault("--space", edited.space, "get", edited.key, says=edited.key)


def get_served(place: Place) -> Run:
    """Show an entry that was just edited, while the vault is served."""
    with place.serving():
        return get(place)


def git_status(place: Place) -> Run:
    """See with git what was just edited."""
    place.edit()
    return place.git("status", "--porcelain")


def search(place: Place) -> Run:
    """Search for a word just after an edit."""
    edited = place.edit()
    return place.vault("search", edited.word, "--all-spaces", "--mode=keyword", says="spaces/")


def git_grep(place: Place) -> Run:
    """Look for a word with git just after an edit."""
    return place.git("grep", "--files-with-matches", place.edit().word)


def commit(place: Place) -> Run:
    """Commit one changed entry."""
    place.edit()
    return place.vault("commit", says="(1 file)")


def git_commit(place: Place) -> Run:
    """Commit one changed entry with git."""
    place.edit()
    return place.git("add", "--all") + place.git("commit", "--quiet", "--message=Change an entry")


def ask(place: Place) -> Run:
    """Search by word and meaning, for what was never asked before."""
    place.by_meaning()
    return place.vault("search", place.question(), "--all-spaces", says="spaces/")


def raw_query(place: Place) -> Run:
    """Embed one text with fastembed from a cold start."""
    return place.python("-m", "tests.bench.raw", "query")


def ask_again(place: Place) -> Run:
    """Search by word and meaning, for what was just asked."""
    place.by_meaning()
    words = ("search", place.question(), "--all-spaces")
    place.vault(*words)
    return place.vault(*words, says="spaces/")


def ask_served(place: Place) -> Run:
    """Search by word and meaning, for what was never asked before, while the vault is served."""
    place.by_meaning()
    with place.serving():
        return place.vault("search", place.question(), "--all-spaces", says="spaces/")


def hydrate_served(place: Place) -> Run:
    """Show what a message brings by name and by meaning, just after an edit, while the vault is served."""
    place.by_meaning()
    with place.serving():
        edited = place.edit()
        return place.vault(
            "--space", edited.space, "hydrate", "--meaning", f"and what of {edited.key}?", says=edited.key
        )


def ask_inside(place: Place) -> Run:
    """Search by word and meaning in one process."""
    place.by_meaning()
    return place.python("-m", "tests.bench.inside", "search", str(place.root))


def raw_inside(place: Place) -> Run:
    """The same with the libraries alone."""
    folder = place.folder / "raw-search"
    shutil.rmtree(folder, ignore_errors=True)
    return place.python("-m", "tests.bench.raw", "search", str(folder), str(place.root))


def embed(place: Place) -> Run:
    """Embed some texts."""
    return place.python("-m", "tests.bench.inside", "embed", str(place.root))


def raw_embed(place: Place) -> Run:
    """Embed the same texts in the same order with fastembed alone."""
    return place.python("-m", "tests.bench.raw", "embed", str(place.root))


def knowledge_tree(place: Place) -> Run:
    """Outline what is said about an entity, in one process, where facts were said many times."""
    place.age()
    return place.python("-m", "tests.bench.inside", "tree", str(place.long()))


def hydrate(place: Place) -> Run:
    """Show what a message brings by name, just after an edit."""
    place.by_words()
    edited = place.edit()
    return place.vault("--space", edited.space, "hydrate", f"and what of {edited.key}?", says=edited.key)


def hydrate_inside(place: Place) -> Run:
    """What a message brings by name, in one process."""
    return place.python("-m", "tests.bench.inside", "hydrate", str(place.root))


def raw_rows(place: Place) -> Run:
    """Read the facts about an entity from a table in memory."""
    return place.python("-m", "tests.bench.raw", "rows", str(place.root))


def vectors(place: Place) -> Run:
    """Look how large the vectors on disk are."""
    place.by_meaning()
    return place.python("-m", "tests.bench.inside", "size", str(place.root))


def bare_vectors(place: Place) -> Run:
    """The bytes of 384 numbers, and nothing around them."""
    return Run(0, 0, str(4 * 384))


def show_help(place: Place) -> Run:
    """Show what commands there are."""
    return place.vault("--help", says="Start:")


def import_click(place: Place) -> Run:
    """Load Click and nothing else."""
    return place.python("-c", "import click")


FIGURES = (
    Figure("index from nothing", index, raw_index, "raw lark + raw tantivy", 2.5, relative=True),
    Figure("index memory", index, raw_index, "raw lark, raw tantivy", 250, unit="MB", value=megabytes),
    Figure("check from nothing", check, raw_parse, "raw lark", 2, relative=True),
    Figure("check after an edit", check_again, git_status, "git status", 0.6),
    Figure("check what is staged", check_staged, git_status, "git status", 1.0),
    Figure("get after an edit", get, git_status, "git status", 0.5),
    Figure("get, served", get_served, git_status, "git status", 0.3),
    Figure("ledger from nothing", ledger, raw_ledger, "dulwich + raw lark", 1.5, relative=True, value=printed),
    Figure("get as it was", get_past, git_log, "git log", 0.6),
    Figure("history of an entry", history, git_log, "git log", 0.6),
    Figure("history of a slot", slot, git_log, "git log", 0.5),
    Figure("blame", blame, git_blame, "git blame", 0.5),
    Figure("search as it was", search_past, git_grep_past, "git grep", 1.0),
    Figure("diff", diff, git_diff, "git diff", 0.6),
    Figure("search after an edit", search, git_grep, "git grep", 0.6),
    Figure("commit of one entry", commit, git_commit, "git add, git commit", 1.2),
    Figure("embedding", embed, raw_embed, "raw fastembed", 1 / 0.85, relative=True, value=printed),
    Figure(
        "hybrid search, in process",
        ask_inside,
        raw_inside,
        "raw tantivy + fastembed + numpy",
        25,
        unit="ms",
        value=milliseconds,
    ),
    Figure("hybrid search, cold", ask, raw_query, "raw fastembed, one text", 1.8),
    Figure("hybrid search, again", ask_again, raw_query, "raw fastembed, one text", 0.8),
    Figure("hybrid search, served", ask_served, raw_query, "raw fastembed, one text", 0.4),
    Figure("hybrid search memory", ask, raw_query, "raw fastembed", 600, unit="MB", value=megabytes),
    Figure("vectors on disk", vectors, bare_vectors, "384 numbers", 1.1, relative=True, unit="B", value=printed),
    Figure("knowledge tree", knowledge_tree, raw_rows, "a table in SQLite", 10, unit="ms", value=milliseconds),
    Figure("hydration, in process", hydrate_inside, raw_rows, "a table in SQLite", 15, unit="ms", value=milliseconds),
    Figure("hydration, cold", hydrate, git_grep, "git grep", 0.5),
    Figure("hydration by meaning, served", hydrate_served, raw_query, "raw fastembed, one text", 0.3),
    Figure("help", show_help, import_click, 'python -c "import click"', 2, relative=True),
)
