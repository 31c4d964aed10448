"""The sample vault of `vault tour`: its entries and the commands that walk through it."""

import shlex
from dataclasses import dataclass
from pathlib import Path

#: The file of samples, in the folder of the vault.
SAMPLES = "samples.firm"

ENTRIES = '''\
// The people of a small company that builds instruments.
actor mira {
    name = "Mira Castellanos"
    kind = enum"person"
    aliases = ["MC", "the founder"]
    summary = "Founded Halcyon Instruments; leads the hardware team."
    tags = ["founder", "hardware"]
    belongs_to = [actor.halcyon]
}

actor bob {
    name = "Bob Ferreira"
    kind = enum"person"
    summary = "Joined as an engineer; now runs the engineering side."
    tags = ["leadership"]
    belongs_to = [actor.halcyon]
    relates_to = [actor.mira]
}

actor halcyon {
    name = "Halcyon Instruments"
    kind = enum"organisation"
    summary = "Makes weather sensors for small farms."
    tags = ["company"]
}

thing sensor {
    name = "Field Sensor Mk II"
    kind = enum"object"
    aliases = ["the Mk II"]
    summary = "A solar-powered soil and weather station, in the field since 2024."
    tags = ["product", "hardware"]
    belongs_to = [actor.halcyon]
}

thing privacy_review {
    name = "Privacy review"
    kind = enum"event"
    summary = "Every release is reviewed for what it learns about a farm before it ships."
    tags = ["process"]
    relates_to = [thing.sensor]
}

fact bob_role {
    statement = "Bob is the CTO of Halcyon."
    subject = actor.bob
    aspect = "work"
    claim = "role"
    kind = enum"attribute"
    value = "CTO"
    confidence = 0.9
    observed_at = 2025-03-01 at 09:00 UTC
    sources = ["Company handbook, page 4"]
}

fact sensor_battery {
    statement = "The Mk II runs nine days without sun."
    subject = thing.sensor
    aspect = "power"
    claim = "endurance"
    value = "9 days"
    sources = ["Bench test of 2025-02-11"]
}

fact farm_data_private {
    statement = "Readings of a farm are private to that farm and are never sold."
    subject = actor.halcyon
    aspect = "policy"
    claim = "data_sale"
    kind = enum"constraint"
    describes = [thing.privacy_review]
}

output field_report {
    name = "Field report, spring 2025"
    kind = enum"report"
    summary = "How forty stations came through the winter."
    location = "https://example.org/reports/2025-spring"
    produced_by = [actor.mira, actor.bob]
    describes = [thing.sensor]
    tags = ["report"]
}

note standup {
    name = "Stand-up of 3 March"
    text = """
    # Done
    Bob replaced the charge controller; stations 12 and 31 are back.

    # Next
    - order the "B" batch of panels
    - ask Mira about the 東京 distributor
    """
    tags = ["meeting"]
    relates_to = [actor.bob, thing.sensor]
}
'''


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the tour: why it is run, its words (`DIR` is the vault), how it ends."""

    why: str
    words: tuple[str, ...]
    expected: int = 0

    def shown(self, root: Path) -> str:
        """The command as a person would type it."""
        words = [str(root) if word == "DIR" else word for word in self.words]
        return shlex.join(["vault", *words])


STEPS = (
    Step("A vault is a folder in git, with schemas that say what an entry looks like.", ("init", "DIR")),
    Step(
        "Entries are small text files; here ten at once, from a file of samples.",
        ("add", "--from", SAMPLES),
    ),
    Step("Each is checked against its schema and against the others.", ("check",)),
    Step("A commit keeps them in history.", ("commit", "-m", "What we know about Halcyon")),
    Step("Search by words, in any form; each answer cites its source.", ("search", "who runs engineering")),
    Step("`privacy` finds `private` too.", ("search", "privacy", "--limit", "2")),
    Step("One entry, with what it names and what names it.", ("get", "actor.bob")),
    Step(
        "A mistake is refused, and the answer says what would be right.",
        ("set", "bob", "kind=robot"),
        expected=1,
    ),
    Step(
        "Facts change. The file holds what is current …",
        ("set", "fact.bob_role", "value=CEO", "statement=Bob is the CEO of Halcyon.", "--commit"),
    ),
    Step("… and git keeps what it replaced.", ("log", "fact.bob_role")),
    Step("Nothing is left over.", ("status",)),
)
