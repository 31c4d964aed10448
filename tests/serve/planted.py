"""Private spaces full of words that stand nowhere else, and all that somebody outside could ask to learn of one."""

import json
from collections.abc import Iterator
from typing import Any

from tests.service.days import fact

Json = dict[str, Any]
Files = dict[str, str | None]

#: What is planted, by where it stands.
STEMS = {
    "name": "Marquib", "alias": "Quixel", "id": "zorbl", "tag": "plurv", "summary": "drembol", "text": "gastrom",
    "value": "vexil", "statement": "Jabbern", "aspect": "sklero", "group": "brinth", "claim": "wovenq",
    "quote": "yaddle", "hint": "hinterf", "source": "runcib", "sidecar": "oblomir", "file": "crumpleh",
    "type": "snorkw", "chat": "wexf",
    "turn": "flumpad", "message": "glimmers", "superseded": "mimsyb", "retracted": "borogr", "deleted": "slithyt",
    "gone": "brillig", "agent": "frumio", "uncommitted": "uffish", "shadow": "callooh", "location": "tulgey",
    "consent": "manxome", "key": "tumtumt",
}  # fmt: skip
ENDINGS = {"attic": "adale", "clinic": "owick"}


def words_of(space: str) -> dict[str, str]:
    """The secrets of a space, its name among them."""
    return {"space": space} | {kind: stem + ENDINGS[space] for kind, stem in STEMS.items()}


#: What all may see, day by day.
PUBLIC: list[Files] = [
    {
        "global/actor/ada.firm": 'actor ada { name = "Ada Lovelace" aliases = ["Countess"] uses = [thing.hidden] }\n',
        "global/actor/bob.firm": 'actor bob { name = "Bob" tags = ["staff"] relates_to = [actor.ada] }\n',
        "global/note/n.firm": 'note n { text = "Ada keeps a garden" describes = [actor.ada] }\n',
        "global/fact/role.firm": fact("role", "A translator", place="work//role"),
        "global/chats/talk.jsonl": json.dumps({"role": "user", "content": "Of the garden"}) + "\n",
        "spaces/work/note/w.firm": 'note w { text = "The garden at work" relates_to = [note.n] }\n',
        "spaces/work/fact/title.firm": fact("title", "A consultant", place="work//title"),
    },
    {
        "global/fact/role.firm": fact("role", "A programmer", place="work//role"),
        "global/note/late.firm": 'note late { text = "A garden in winter" }\n',
    },
]


def private(space: str) -> list[Files]:
    """What stands in a private space, day by day: the same as without, like it, tied to it, and its own."""
    a = words_of(space)
    own = f"spaces/{space}"
    named = {"quote": f'"{a["quote"]}"', "hints": f'["{a["hint"]}"]', "value": f'"{a["value"]}"'}
    first: Files = {
        f"{own}/actor/{a['id']}.firm": f"""actor {a["id"]} {{
            name = "{a["name"]}" aliases = ["{a["alias"]}"] tags = ["{a["tag"]}", "staff"] summary = "{a["summary"]}"
            relates_to = [actor.ada, note.n] sources = ["https://{a["source"]}.example/"]
        }}\n""",
        f"{own}/actor/ada.firm": f'actor ada {{ name = "Ada Lovelace" aliases = ["{a["shadow"]}"] }}\n',
        f"{own}/thing/hidden.firm": 'thing hidden { name = "Hidden" belongs_to = [actor.ada] }\n',
        f"{own}/note/long.firm": f'note long {{ text_file = path"./{a["sidecar"]}.md" describes = [actor.ada] }}\n',
        f"{own}/note/{a['sidecar']}.md": f"The garden of {a['text']}\n",
        f"{own}/note/{a['file']}.firm": 'note other { text = "garden " }\n',
        f"{own}/{a['type']}/t.firm": f'{a["type"]} t {{ name = "garden" }}\n',
        f"{own}/chats/{a['chat']}.jsonl": json.dumps({"role": "user", "content": f"garden {a['turn']}"}) + "\n",
        f"{own}/output/o.firm": f'output o {{ name = "Paper" location = "{a["location"]}" }}\n',
        f"{own}/note/mine.firm": f'note mine {{ text = "garden" agent = "{a["agent"]}" }}\n',
        f"{own}/fact/role.firm": fact("role", a["superseded"], place="work//role"),
        f"{own}/fact/said.firm": fact(
            "said", a["statement"], place=f"{a['aspect']}/{a['group']}/{a['claim']}", **named
        ),
        f"{own}/fact/about.firm": fact("about", "It is here", about=f"actor.{a['id']}", place="place//where"),
        f"{own}/fact/back.firm": fact("back", a["retracted"], place="work//back"),
        f"{own}/note/{a['deleted']}.firm": f'note {a["deleted"]} {{ text = "{a["gone"]} garden" }}\n',
        **{f"{own}/note/g{n}.firm": f'note g{n} {{ text = "garden {n}" }}\n' for n in range(5)},
    }
    second: Files = {
        f"{own}/fact/role.firm": fact("role", "A poet", place="work//role"),
        f"{own}/fact/back.firm": None,
        f"{own}/note/{a['deleted']}.firm": None,
    }
    return [first, second]


def uncommitted(space: str) -> Files:
    """What nobody has committed yet."""
    return {f"spaces/{space}/note/fresh.firm": f'note fresh {{ text = "garden {words_of(space)["uncommitted"]}" }}\n'}


def seen_inside(space: str) -> dict[str, tuple[str, Json]]:
    """For each secret a call that brings it from inside, without naming it."""
    a = words_of(space)
    slot = {"entity": "ada", "aspect": a["aspect"], "group": a["group"], "claim": a["claim"]}
    return {
        "space": ("search_knowledge", {"query": "garden"}),
        "name": ("get_knowledge", {"id": a["alias"]}),
        "alias": ("get_knowledge", {"id": a["name"]}),
        "id": ("search_knowledge", {"query": a["name"], "mode": "keyword"}),
        "tag": ("get_knowledge", {"id": a["name"]}),
        "summary": ("get_knowledge", {"id": a["name"]}),
        "source": ("get_knowledge", {"id": a["name"]}),
        "text": ("get_knowledge", {"id": "note.long"}),
        "sidecar": ("search_knowledge", {"query": a["text"], "mode": "keyword"}),
        "value": ("knowledge_list_attributes", slot),
        "statement": ("knowledge_tree", {"entity": "ada"}),
        "aspect": ("knowledge_list_aspects", {"entity": "ada"}),
        "group": ("knowledge_tree", {"entity": "ada"}),
        "claim": ("knowledge_tree", {"entity": "ada"}),
        "quote": ("knowledge_list_attributes", slot),
        "hint": ("get_knowledge", {"id": "fact.said"}),
        "file": ("get_knowledge", {"id": "note.other"}),
        "type": ("search_knowledge", {}),
        "chat": ("search_knowledge", {"query": a["turn"], "where": "chats"}),
        "turn": ("search_knowledge", {"query": "garden", "where": "chats"}),
        "message": ("knowledge_history", {"of": "fact.said"}),
        "superseded": ("knowledge_history", {"of": "ada/work/role"}),
        "retracted": ("knowledge_history", {"of": "ada/work/back"}),
        "deleted": ("knowledge_query", {"query": "from note", "at": "2021-01-02"}),
        "gone": ("search_knowledge", {"query": "garden", "mode": "keyword", "at": "2021-01-02", "limit": 50}),
        "shadow": ("get_knowledge", {"id": "actor.ada"}),
        "location": ("get_knowledge", {"id": "output.o"}),
        "uncommitted": ("knowledge_hydrate", {"text": "What of note.fresh?"}),
    }


def near(word: str) -> str:
    """A word with a letter wrong."""
    return word[:-2] + word[-1]


def reads(space: str) -> Iterator[tuple[str, Json]]:
    """What somebody outside a space may ask: its words, what is like them, and what they are tied to."""
    a = words_of(space)
    told = [*a.values(), *(near(word) for word in a.values())]
    plain = [
        "ada",
        "garden",
        "Countess",
        "staff",
        "thing.hidden",
        "hidden",
        "note.g1",
        "note.other",
        "fact.said",
        "note.n",
    ]
    keys = [f"{kind}.{word}" for word in (a["id"], near(a["id"]), a["deleted"]) for kind in ("actor", "note")]
    paths = [f"spaces/{space}/actor/{a['id']}.firm", f"spaces/{space}/chats/{a['chat']}.jsonl", f"spaces/{space}"]
    for word in [*told, *(word[:5] for word in a.values()), *plain]:
        yield "search_knowledge", {"query": word, "mode": "keyword", "history": True}
        yield "knowledge_list_entities", {"q": word}
    for word in [*told, *plain, *keys, *paths]:
        yield "get_knowledge", {"id": word, "related": True, "context": 1}
        yield "knowledge_tree", {"entity": word}
        yield "knowledge_history", {"of": word}
    for word in [*a.values(), *plain]:
        yield "search_knowledge", {"query": f"what of {word}", "where": "chats"}
        yield "search_knowledge", {"tag": word}
        yield "search_knowledge", {"query": "garden", "type": word}
        yield "knowledge_query", {"query": f"from {word}"}
        yield "knowledge_query", {"query": f'from * | where name contains "{word}" | count'}
        yield "knowledge_get_entity", {"name": word}
        yield "knowledge_list_entities", {"type": word}
        yield "knowledge_hydrate", {"text": f"What of {word} in the garden?", "explain": True}
        yield "knowledge_hydrate", {"text": f"And {word}?", "explain": True, "session": "s"}
    for slot in (f"ada/{a['aspect']}/{a['group']}/{a['claim']}", "ada/work/back", "ada/work/role", "bob/a/b"):
        yield "knowledge_history", {"of": slot}
        entity, aspect, *more = slot.split("/")
        group, claim = more if len(more) > 1 else ("general", more[0])
        place = {"entity": entity, "aspect": aspect, "group": group, "claim": claim}
        yield "knowledge_list_attributes", {**place, "status": "all"}
        yield "knowledge_list_claims", {name: place[name] for name in ("entity", "aspect", "group")}
        yield "knowledge_list_groups", {name: place[name] for name in ("entity", "aspect")}
    for then in ({}, {"at": "2021-01-02"}, {"at": "HEAD"}, {"valid_at": "2021-01-02"}, {"at": "0" * 40}):
        yield "search_knowledge", {"query": "garden", **then}
        yield "search_knowledge", {"query": "garden", "mode": "semantic", **then}
        yield "search_knowledge", then
        yield "knowledge_tree", {"entity": "ada", **then}
        yield "knowledge_list_aspects", {"entity": "ada", **then}
        yield "knowledge_list_entities", then
        yield "knowledge_query", {"query": "from *", **then}
        yield "knowledge_query", {"query": "from * | count", **then}
    for mode in ("turn", "transcript"):
        for text in ("garden of Ada", "hm", f"{a['name']} and {a['id']}"):
            yield "knowledge_hydrate", {"text": text, "session": "s", "mode": mode, "meaning": True, "explain": True}
    yield "knowledge_hygiene_report", {}
    yield "no_such_tool", {"id": a["name"]}
    yield from (("get_knowledge", {"id": "ada", "space": word}) for word in (space, near(space), "work", "global"))
    yield from (("get_knowledge", {"id": "ada", "agent_id": word}) for word in (a["agent"], near(a["agent"])))


def writes(space: str) -> Iterator[tuple[str, Json]]:
    """What somebody outside may try to write about what is in a space."""
    a = words_of(space)
    key = f"actor.{a['id']}"
    yield "update_knowledge", {"id": key, "fields": {"summary": "x"}}
    yield "update_knowledge", {"id": near(a["name"]), "fields": {"summary": "x"}, "version": "0" * 16}
    yield "update_knowledge", {"id": "ada", "fields": {"summary": "x"}, "version": "0" * 16}
    yield "delete_knowledge", {"id": key, "reason": "x"}
    yield "delete_knowledge", {"id": "bob"}
    yield "add_knowledge", {"type": a["type"], "fields": {"name": "x"}}
    yield "add_knowledge", {"type": "actor", "id": a["id"], "fields": {"name": a["name"], "relates_to": "note.g1"}}
    yield "add_knowledge", {"type": "note", "fields": {"text": "x", "relates_to": [f"note.{a['deleted']}", "output.o"]}}
    yield "add_knowledge", {"type": "note", "fields": {"text": "y"}, "chat": a["chat"], "turn": 0}
    said = {"claimKey": a["claim"], "groupKey": a["group"], "content": a["statement"]}
    for entity, kind in ((a["alias"], "person"), (near(a["shadow"]), None), ("Ada Lovelace", None)):
        about = {"entityName": entity, "aspect": a["aspect"], "attributes": [said]}
        yield "knowledge_remember", {"structured": {"aspects": [{**about, **({"entityType": kind} if kind else {})}]}}
    yield "knowledge_remember", {"content": f"Of {a['alias']} and Ada", "idempotencyKey": a["key"]}
    back = {"claimKey": "back", "retract": True}
    yield (
        "knowledge_remember",
        {"structured": {"aspects": [{"entityName": "ada", "aspect": "work", "attributes": [back]}]}},
    )
