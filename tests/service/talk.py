"""A labelled set of our own: people and what is said of them, messages that name or repeat it, and small talk."""

import random
from dataclasses import dataclass

PEOPLE = {
    "ada": ("Ada Lovelace", ["the Countess"], "person"),
    "grace": ("Grace", ["Amazing Grace"], "person"),
    "jose": ("José Núñez", ["Pepe"], "person"),
    "zhang": ("张伟", [], "person"),
    "olga": ("Ольга", ["Оля"], "person"),
    "mark": ("Mark", [], "person"),
    "will": ("Will", [], "person"),
    "may": ("May", [], "person"),
    "somchai": ("สมชาย", [], "person"),
    "noor": ("نور", [], "person"),
    "siobhan": ("Siobhán O'Neill", [], "person"),
    "jean_luc": ("Jean-Luc", [], "person"),
}
THINGS = {
    "engine": "Analytical Engine",
    "loom": "Loom",
    "york": "York",
    "new_york": "New York",
    "work": "Work",
    "coffee": "Coffee",
    "it": "It",
    "the_who": "The Who",
    "cpp": "C++",
    "yahoo": "Yahoo!",
    "monday": "Monday",
    "time": "Time",
    "home": "Home",
    "good": "Good",
    "room": "Room 101",
}

#: A message, and what it names; nobody else is to come.
NAMING = [
    ("What would Ada Lovelace say?", {"ada"}),
    ("what would ada lovelace say?", {"ada"}),
    ("ADA LOVELACE", {"ada"}),
    ("Ada Lovelace's notes are here.", {"ada"}),
    ("I met Ada yesterday.", {"ada"}),
    ("Is this the countess's hand?", {"ada"}),
    ("Look at actor.ada, please", {"ada"}),
    ("we talked with Grace again", {"grace"}),
    ("Then “Amazing Grace” was played", {"grace"}),
    ("Ask Jose Nunez about it", {"jose"}),
    ("José Núñez’s flat", {"jose"}),
    ("pepe knows", {"jose"}),
    ("昨天我见到了张伟和他的朋友。", {"zhang"}),
    ("Я видел, Ольга пришла", {"olga"}),
    ("ОЛЬГА!", {"olga"}),
    ("we gave the file to Mark on the way", {"mark"}),
    ("I think Will has it", {"will"}),
    ("ask @may for it", {"may"}),
    ("ผมเจอสมชายเมื่อวาน", {"somchai"}),
    ("التقيت نور أمس", {"noor"}),
    ("Siobhan O’Neill's plan", {"siobhan"}),
    ("jean-luc came by", {"jean_luc"}),
    ("Is the analytical engine done?", {"engine"}),
    ("the loom is broken", {"loom"}),
    ("she moved to New York", {"new_york"}),
    ("she moved from York to New York", {"york", "new_york"}),
    ("we heard The Who live", {"the_who"}),
    ("rewrite it in C++", {"cpp"}),
    ("I still use Yahoo! there", {"yahoo"}),
    ("the thing we call `coffee` is down", {"coffee"}),
    ("did you read “It” already?", {"it"}),
    ("see thing.work for that", {"work"}),
    ("it is in room 101", {"room"}),
    ("Ada Lovelace and Grace met Jean-Luc", {"ada", "grace", "jean_luc"}),
]

#: Messages that name nothing, though they hold its letters.
NOT_NAMING = [
    "Will you come? It may be late.",
    "Mark my words: time will tell.",
    "Monday is fine, and in May I have time.",
    "the adaptation of gracefulness looms",
    "see https://example.com/loom/york and mail ada@example.com",
    "def loom_width(york_id): return self.loom.size",
    "good work, go home and have a coffee",
    "Good. Work on it. Home soon.",
    "GOOD WORK, COFFEE TIME",
    "cat /srv/loom/york.txt",
    "a newyorker",
    "who is it?",
]

FACTS = [
    ("ada", "Ada wrote notes about a sketch by Menabrea.", "Which sketch did somebody write notes about for Menabrea?"),
    ("grace", "Grace keeps two greyhounds in her cottage.", "the greyhounds ran around the cottage"),
    ("jose", "José repairs violins in a workshop in Cádiz.", "that violin needs a repair in a good workshop"),
    ("mark", "Mark is allergic to shellfish and peanuts.", "does anybody have an allergy to peanuts?"),
    ("will", "Will studies glaciers in Greenland every summer.", "glaciers in Greenland are studied every summer"),
    ("siobhan", "Siobhán plays the harp in an orchestra.", "a harp player joined the orchestra"),
]

_OPENINGS = ["", "hey, ", "well, ", "ok ", "haha, ", "hm, "]
_SMALL = """
hi | hello there | good morning | how are you? | how was your day? | what's up? | not much, and you? | thanks a lot
thank you so much | you're welcome | no problem | sounds good | yes please | no thanks | that's funny | wow, really?
that's great | I see | got it | makes sense | let me think about it | one moment please | I'm back | sorry, I was away
are you still there? | can you help me? | could you do that again? | please go on | tell me more | what do you think?
why? | what do you mean? | I don't understand | never mind | let's try again | that didn't work | it works now
perfect | well done | congratulations! | happy birthday! | have a nice weekend | see you tomorrow | good night
sleep well | talk to you soon | bye | take care | I'm so tired today | I need a break | what a lovely day
it's raining again | the weather is awful | is it Friday yet? | I can't wait for the weekend | Monday again
time flies | what time is it? | I'm hungry | let's have lunch | dinner was great | I'm going to bed | I had a long day
work was busy | I'm bored | any plans for tonight? | I love this song | that movie was boring | tell me a joke
make me laugh | you're the best | how old are you? | what's your name? | are you a robot? | do you like music?
nice to meet you | long time no see | it's been a while | can't complain | same here | me too | I agree | maybe later
I'm not sure | who knows | it depends | up to you | fair enough | good point | that's true | exactly | of course
no way! | seriously? | I can't believe it | oh no | what a shame | I'm sorry to hear that | get well soon
don't worry about it | everything will be fine | calm down | cheer up! | good luck! | you can do it | almost there
we did it! | finally! | what a relief | oops | my mistake | excuse me | say that again? | right, so what now?
and then? | what happened then? | anything else? | that's all for now | I'll be right back | give me a minute | hold on
wait a second | hurry up | let's go | where were we? | back to work | let's take a break | I'm done for today
enjoy your meal | cheers | it's getting late | the kids are asleep | my back hurts | I have a headache
traffic was terrible | I missed the bus | the train was late again | my phone is dead | the internet is slow today
I need a holiday | it's so hot in here | open the window, will you? | what's for dinner? | do you want some tea?
a coffee would be nice | are you a morning person? | do you have any hobbies? | I may be late | who is it?
"""


def small_talk(number: int, seed: int = 1) -> list[str]:
    """Lines of small talk that differ."""
    chance = random.Random(seed)
    lines = [line.strip() for row in _SMALL.strip().splitlines() for line in row.split("|")]
    made = dict.fromkeys(lines)
    while len(made) < number:
        line = chance.choice(lines)
        made[chance.choice(_OPENINGS) + (line if line.startswith(("I ", "I'")) else line[0].lower() + line[1:])] = None
    return list(made)[:number]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message and the ids of the people it names."""

    text: str
    names: frozenset[str]


_FRAMES = [
    "Did {0} call back?",
    "{0} and {1} are coming over",
    "I was told that {0}'s car is at {1}'s place",
    "so {0}, have you seen it?",
    "thanks {0}!",
    "what was it that {0} liked?",
    "({0}) said so to {1}",
    "{0}, {1}: both of them",
]


def generated(names: dict[str, str], number: int, seed: int = 1) -> list[Labelled]:
    """Messages that name some of these people, by id, in the frames that chats name people in."""
    chance = random.Random(seed)
    made = []
    for _ in range(number):
        ids = chance.sample(sorted(names), 2)
        frame = chance.choice(_FRAMES)
        named = ids if "{1}" in frame else ids[:1]
        spelt = [names[ident] for ident in ids]
        spelt = chance.choice([spelt, spelt, [name.lower() for name in spelt], [name.upper() for name in spelt]])
        made.append(Labelled(frame.format(*spelt), frozenset(named)))
    return made
