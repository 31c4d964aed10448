"""The ledger's tables in SQLite, those of them that a catalog of the past is made of, and what two ledgers share.

A **unit** is what a search of the past finds: a content with the text of its own file (a blob; "" without one), as it
stood in one scope. Its number is never used for another while the ledger's identity is the same.
"""

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE chain (n INTEGER PRIMARY KEY, ident TEXT NOT NULL UNIQUE, time INTEGER NOT NULL);
CREATE TABLE commits (
    ident TEXT PRIMARY KEY, n INTEGER NOT NULL, k INTEGER NOT NULL, time INTEGER NOT NULL,
    author TEXT NOT NULL, email TEXT NOT NULL, subject TEXT NOT NULL, trailers TEXT NOT NULL, scopes TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX commits_order ON commits (n, k);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, type TEXT NOT NULL, ident TEXT NOT NULL, key TEXT NOT NULL,
    name TEXT NOT NULL, fields TEXT NOT NULL, broken INTEGER NOT NULL, created TEXT NOT NULL
);
CREATE INDEX contents_key ON contents (key);
CREATE TABLE labels (content INTEGER NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, written TEXT NOT NULL);
CREATE INDEX labels_content ON labels (content);
CREATE INDEX labels_label ON labels (label, kind);
CREATE TABLE refs (content INTEGER NOT NULL, field TEXT NOT NULL, target TEXT NOT NULL, target_field TEXT);
CREATE INDEX refs_content ON refs (content);
CREATE INDEX refs_target ON refs (target);
CREATE TABLE facts (
    content INTEGER PRIMARY KEY, agent TEXT NOT NULL, subject TEXT NOT NULL, aspect TEXT NOT NULL,
    section TEXT NOT NULL, claim TEXT NOT NULL, attribute INTEGER NOT NULL, version BLOB NOT NULL
);
CREATE INDEX facts_subject ON facts (subject);
CREATE TABLE parsed (
    blob TEXT NOT NULL, path TEXT NOT NULL, ordinal INTEGER NOT NULL, content INTEGER NOT NULL, place TEXT NOT NULL,
    places TEXT NOT NULL, text_file TEXT, PRIMARY KEY (blob, path, ordinal)
) WITHOUT ROWID;
CREATE INDEX parsed_text ON parsed (text_file) WHERE text_file IS NOT NULL;
CREATE TABLE states (
    id INTEGER PRIMARY KEY, content INTEGER NOT NULL, path TEXT NOT NULL, scope TEXT NOT NULL, place TEXT NOT NULL,
    places TEXT NOT NULL, text_file TEXT, unit INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER
);
CREATE INDEX states_path ON states (path, until);
CREATE INDEX states_content ON states (content);
CREATE INDEX states_unit ON states (unit);
CREATE TABLE units (
    id INTEGER PRIMARY KEY, content INTEGER NOT NULL, text TEXT NOT NULL, scope TEXT NOT NULL,
    UNIQUE (content, text, scope)
);
CREATE TABLE events (
    n INTEGER NOT NULL, k INTEGER NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL,
    old INTEGER, new INTEGER, old_path TEXT, old_text TEXT, new_text TEXT
);
CREATE INDEX events_key ON events (key, n, k);
CREATE INDEX events_order ON events (n, k);
CREATE INDEX events_new ON events (new);
"""

#: The tables of a catalog as views of the states that hold at one commit.
VIEWS = {
    "entries": "s.id AS id, s.path, s.scope, c.type, c.ident, c.key, c.name, c.fields, s.places, s.place, c.broken,"
    " c.created, s.text_file, x'' AS digest, NULL AS sum FROM main.states s JOIN main.contents c ON c.id = s.content",
    "labels": "l.label, l.kind, s.id AS entry, l.written"
    " FROM main.states s JOIN main.labels l ON l.content = s.content",
    "refs": "s.id AS entry, r.field, r.target, r.target_field, r.rowid AS rowid"
    " FROM main.states s JOIN main.refs r ON r.content = s.content",
    "facts": "s.id AS entry, f.agent, f.subject, f.aspect, f.section, f.claim, f.attribute"
    " FROM main.states s JOIN main.facts f ON f.content = s.content",
    "files": "DISTINCT s.path, s.scope FROM main.states s",
}

#: What a catalog's tables hold of a version that the ledger keeps, by content, path, scope and row.
FORMER_ROWS = {
    "entries": "SELECT :row AS id, :path AS path, :scope AS scope, c.type, c.ident, c.key, c.name, c.fields, p.places,"
    " p.place, c.broken, c.created, p.text_file, x'' AS digest FROM contents c JOIN parsed p ON p.content = c.id"
    " WHERE c.id = :content AND p.path = :path LIMIT 1",
    "labels": "SELECT label, kind, :row AS entry, written FROM labels WHERE content = :content",
    "refs": "SELECT :row AS entry, field, target, target_field FROM refs WHERE content = :content",
    "facts": "SELECT :row AS entry, agent, subject, aspect, section, claim, attribute FROM facts"
    " WHERE content = :content",
}

CONTENT = {
    "chain": "SELECT n, ident, time FROM chain",
    "commits": "SELECT ident, n, k, time, author, email, subject, trailers, scopes FROM commits",
    "states": "SELECT c.digest, s.path, s.scope, s.place, s.places, s.text_file, u.text, s.since, s.until"
    " FROM states s JOIN contents c ON c.id = s.content JOIN units u ON u.id = s.unit",
    "events": "SELECT e.n, e.k, e.scope, e.key, e.path, o.digest, w.digest, e.old_path, e.old_text, e.new_text"
    " FROM events e LEFT JOIN contents o ON o.id = e.old LEFT JOIN contents w ON w.id = e.new",
}
