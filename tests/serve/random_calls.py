"""Calls of operations by chance, the same for one seed: what fits, what nearly does, and what nobody would send."""

import string
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from vault.serve.operations import BY_NAME, OPERATIONS

Json = dict[str, Any]

NAMES = "Bob Ada Eve Hammer Garden Zoë 張偉 Ольга नमस्ते".split()
KEYS = "actor.bob actor.ada thing.hammer note.n1 note.n2 fact.bob_role bob ada Robert global/actor/bob.firm".split()
ASPECTS = "work home relations general".split()
GROUPS = "general daily".split()
CLAIMS = "role desk mood uses".split()
WORDS = "garden rain is the CTO of hammer who said 庭 сад café 3.5 never".split()
QUERIES = (
    "from *", "from actor", "from note | count", "from thing | select name, tags", 'from * | where name contains "o"',
    "from fact | order by @created desc | limit 3", "from thing | sum price", "from nothing", "from", "| |", "from *|",
)  # fmt: skip
WHEN = (None, None, None, "HEAD", "HEAD~1", "today", "2020-01-01", "never", "HEAD~99999", "0" * 40)
#: What no field expects: directions, nulls, emoji with joiners, what looks like syntax, markup, paths or options.
WILD = (
    "", " ", "\u0000", "\n\r\t", "\u202eevil\u202c", "\ufeffx", "👩\u200d👩\u200d👧", "e\u0301" * 3, "ﷺ", "𝕬𝖉𝖆",
    "\u2028",
    '"""', "}{", "note x {", "<<<<<<< HEAD", "../../etc/passwd", "/etc/passwd", "-rf", "--help", "${HOME}", "%s%n",
    "'; DROP TABLE entries; --", "<script>", "vault://actor.bob", "actor.bob.name", "a/b/c/d/e/f", "@", "#", "con", ".",
    "..", "actor.", ".bob", "actor.bob@HEAD", "\U0010ffff", "İıſ", "\x7f\x1b[31m", "private/diary", "global",
)  # fmt: skip
HUGE = ("a" * 300, "word " * 2_000, "界" * 30_000, "x" * 250_000, "[" * 5_000, '"""\n' * 500)
WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    -1e300,
    [],
    [[]],
    {},
    {"a": {"b": [1, None]}},
    ["a", 1],
    [None] * 300,
)


def texts(chance: Random) -> str:
    """Some words."""
    return " ".join(chance.choice(WORDS + NAMES) for _ in range(chance.randint(1, 8)))


def fields(chance: Random) -> Json:
    """Fields that fit some type."""
    known: dict[str, Callable[[], Any]] = {
        "name": lambda: chance.choice(NAMES),
        "text": lambda: texts(chance),
        "summary": lambda: texts(chance),
        "tags": lambda: [chance.choice(WORDS) for _ in range(chance.randint(0, 3))] or None,
        "relates_to": lambda: chance.choice(KEYS),
        "kind": lambda: chance.choice(["person", "tool", "attribute", "none of these"]),
        "pinned": lambda: chance.choice([True, False]),
        "statement": lambda: texts(chance),
        "subject": lambda: "actor.bob",
        "claim": lambda: chance.choice(CLAIMS),
        "price": lambda: chance.choice([1, 2.5, "5 EUR"]),
    }
    return {name: known[name]() for name in chance.sample(sorted(known), chance.randint(1, 4))}


def statements(chance: Random) -> list[Json]:
    """Statements of a payload."""
    return [
        {
            "claimKey": chance.choice(CLAIMS),
            "content": texts(chance),
            **({"retract": True} if chance.random() < 0.2 else {}),
            **({"kind": "constraint"} if chance.random() < 0.2 else {}),
            **({"value": chance.choice(WORDS), "confidence": chance.random()} if chance.random() < 0.3 else {}),
        }
        for _ in range(chance.randint(1, 2))
    ]


def payload(chance: Random) -> Json:
    """A payload to remember."""
    about = {"entityName": chance.choice(NAMES[:4]), "entityType": "person", "aspect": chance.choice(ASPECTS)}
    link = {"source": "Bob", "relationship": "uses", "target": chance.choice(NAMES), "targetType": "tool"}
    return {
        "aspects": [{**about, "attributes": statements(chance)}],
        **({"entities": [link]} if chance.random() < 0.3 else {}),
    }


FITTING: Mapping[str, Callable[[Random], Any]] = {
    "query": lambda chance: chance.choice([texts(chance), *QUERIES]),
    "q": lambda chance: chance.choice(["", "o", "bob"]),
    "type": lambda chance: chance.choice(["actor", "note", "thing", "fact", "output"]),
    "tag": lambda chance: chance.choice(WORDS),
    "mode": lambda chance: chance.choice(["hybrid", "keyword", "keyword", "turn", "transcript"]),
    "history": lambda chance: chance.random() < 0.5,
    "limit": lambda chance: chance.randint(1, 60),
    "offset": lambda chance: chance.randint(0, 5),
    "id": lambda chance: chance.choice(KEYS),
    "related": lambda chance: chance.random() < 0.5,
    "fields": fields,
    "version": lambda chance: chance.choice([None, None, "0" * 16]),
    "reason": texts,
    "text": texts,
    "session": lambda chance: chance.choice(["s", "t", None]),
    "meaning": lambda _: False,
    "budget": lambda chance: chance.choice([None, 0, 50, 2000]),
    "explain": lambda chance: chance.random() < 0.5,
    "of": lambda chance: chance.choice([*KEYS, "bob/work/role", "Bob/work/general/desk"]),
    "name": lambda chance: chance.choice([*KEYS, *NAMES]),
    "entity": lambda chance: chance.choice([*KEYS, *NAMES, "unassigned"]),
    "depth": lambda chance: chance.randint(1, 3),
    "max_aspects": lambda chance: chance.randint(1, 9),
    "max_groups": lambda chance: chance.randint(1, 9),
    "max_claims": lambda chance: chance.randint(1, 9),
    "aspect": lambda chance: chance.choice(ASPECTS),
    "group": lambda chance: chance.choice(GROUPS),
    "claim": lambda chance: chance.choice(CLAIMS),
    "status": lambda chance: chance.choice(["active", "superseded", "retracted", "all"]),
    "kind": lambda chance: chance.choice([None, "attribute", "constraint"]),
    "at": lambda chance: chance.choice(WHEN),
    "valid_at": lambda chance: chance.choice(WHEN),
    "structured": payload,
    "content": texts,
    "idempotencyKey": lambda chance: chance.choice(["k1", "k2", "k3"]),
    "observedAt": lambda chance: chance.choice(["2026-01-01", "2026-01-01T10:00:00Z", "soon"]),
    "space": lambda chance: chance.choice([None, None, None, "global", "work", "diary"]),
    "agent_id": lambda _: None,
    "where": lambda chance: chance.choice(["entries", "chats"]),
    "context": lambda chance: chance.choice([None, 0, 3]),
    "chat": lambda chance: chance.choice(["talk", "other talk", "global/chats/talk.jsonl"]),
    "turn": lambda chance: chance.randint(0, 5),
}  # fmt: skip


def arguments(chance: Random, tool: str) -> Json:
    """Arguments that fit a tool, or nearly; now and then with what does not fit at all in place of one."""
    takes = BY_NAME[tool].takes.model_fields
    names = {field.alias or name: field.is_required() for name, field in takes.items()}
    often = {"structured": 0.9, "content": 0.2, "space": 0.03, "at": 0.1, "valid_at": 0.1, "version": 0.1}
    given = {
        name: FITTING[name](chance)
        for name, required in names.items()
        if name in FITTING and (required or chance.random() < often.get(name, 0.3))
    }
    if chance.random() < 0.3:
        spoil(chance, given, list(names))
    return given


def spoil(chance: Random, given: Json, names: list[str]) -> None:
    """Put something in that does not fit: a key there is not, one left out, or a value of another kind."""
    how = chance.random()
    name = chance.choice(list(given) or names)
    if how < 0.15:
        given.pop(name, None)
    elif how < 0.3:
        given[name + chance.choice(string.ascii_letters)] = 1
    elif how < 0.6:
        given[name] = chance.choice(WILD)
    elif how < 0.7:
        given[name] = chance.choice(HUGE)
    elif how < 0.85:
        given[name] = chance.choice(WRONG)
    else:
        deeper(chance, given)


def deeper(chance: Random, given: Json) -> None:
    """Put what does not fit into an object or a list among the arguments."""
    if isinstance(given.get("fields"), dict):
        given["fields"][chance.choice(["name", "text", "tags", *WILD])] = chance.choice([*WILD, *HUGE, *WRONG])
    elif isinstance(given.get("structured"), dict):
        about = given["structured"]["aspects"][0]
        about[chance.choice(list(about))] = chance.choice([*WILD, *HUGE, *WRONG])
    else:
        given["space"] = chance.choice([*WILD, *WRONG])


#: What makes most names known.
FIRST: list[tuple[str, Json]] = [
    *(("add_knowledge", {"type": "actor", "fields": {"name": name}}) for name in NAMES[1:3]),
    *(("add_knowledge", {"type": "thing", "fields": {"name": name}}) for name in NAMES[3:5]),
    *(("add_knowledge", {"type": "note", "id": name, "fields": {"text": "rain"}}) for name in ("n1", "n2")),
    *(
        (
            "knowledge_remember",
            {
                "structured": {
                    "aspects": [
                        {"entityName": "Bob", "aspect": aspect, "attributes": [{"claimKey": claim, "content": claim}]}
                    ]
                }
            },
        )
        for aspect in ASPECTS
        for claim in CLAIMS
    ),
]


def calls(seed: int, number: int) -> Iterator[tuple[str, Json]]:
    """So many calls, of all tools and of some that there are not."""
    chance = Random(seed)
    yield from FIRST
    number -= len(FIRST)
    tools = [
        *(one.name for one in OPERATIONS),
        "add_knowledge",
        "knowledge_remember",
        "update_knowledge",
        "no_such_tool",
    ]
    for _ in range(number):
        tool = chance.choice(tools)
        yield tool, arguments(chance, tool) if tool in BY_NAME else {"id": chance.choice(WILD)}
