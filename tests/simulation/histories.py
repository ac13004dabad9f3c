"""Drawn histories of one subject: 200 episodes of every kind that could make two stores differ, and ways to send them.
Pure; everything follows from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

SUBJECT = "harbour office"
START = datetime(2026, 1, 5, 8, tzinfo=UTC)
FORGOTTEN_AT = datetime(2026, 4, 15, 12, tzinfo=UTC)
RECEIPT = datetime(2026, 7, 1, 12, tzinfo=UTC)
SIZE = 200

SOURCES: dict[str, int] = {"desk": 50, "phone": 50, "ledger": 80, "web": 20}
CLAIM_KEYS: dict[str, dict[str, Any]] = {
    "berth": {"policy": "latest", "kind": "fact"},
    "pilot": {"policy": "latest", "kind": "profile"},
    "tide table": {"policy": "latest"},
    "fuel": {"policy": "latest", "half_life_days": 10},
    "opening": {"policy": "latest", "kind": "habit"},
    "harbour master": {"policy": "authority"},
    "founded": {"policy": "corroborated", "corroboration": 2},
    "radio channel": {"policy": "flag"},
}
VALUES = ("north", "south", "east", "west")

_PAYERS = "Adyen Mollie Klarna Paddle Braintree Worldpay Checkout Payoneer Sumup Revolut".split()
_PREFERENCES = (
    ("I prefer dark mode.", "I like dark mode."),
    ("I prefer short checklists.", "I like short checklists."),
    ("I drink green tea.", "I drink green tea."),
    ("Deploys freeze on Fridays.", "Deploys freeze on Fridays."),
    ("I am allergic to peanuts.", "I am allergic to peanuts."),
)
_PLACES = ("I live in Lisbon.", "I live in Porto.", "I live in Faro.")

Episode = dict[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """One drawn history in the order of a first telling; `kinds` counts what it holds."""

    seed: int
    episodes: tuple[Episode, ...]
    kinds: dict[str, int]

    @property
    def before_forgetting(self) -> list[Episode]:
        """Return what was said before the forgets were made."""
        return [one for one in self.episodes if moment(one) < FORGOTTEN_AT]

    @property
    def after_forgetting(self) -> list[Episode]:
        """Return what came later, what is dated ahead included."""
        return [one for one in self.episodes if moment(one) >= FORGOTTEN_AT]


def moment(episode: Episode) -> datetime:
    """Return when an episode was said."""
    return datetime.fromisoformat(episode["occurred_at"])


def draw(seed: int) -> History:
    """Draw 200 episodes."""
    drawing = _Drawing(Random(seed))
    drawing.keyed()
    drawing.ties()
    drawing.revisions()
    drawing.windows()
    drawing.overlaps()
    drawing.dated_ahead()
    drawing.denials()
    drawing.twins()
    drawing.contents()
    drawing.conversations()
    drawing.restated_texts(SIZE - len(drawing.episodes))
    assert len(drawing.episodes) == SIZE
    return History(seed, tuple(drawing.episodes), dict(drawing.kinds))


def batches(episodes: list[Episode], random: Random) -> Iterator[list[Episode]]:
    """Yield the episodes in a random order, split at random, with single ones and whole batches sent again."""
    order = random.sample(episodes, len(episodes))
    for again in random.sample(episodes, len(episodes) // 5):
        order.insert(random.randint(0, len(order)), again)
    sent: list[list[Episode]] = []
    while order:
        size = random.choice((1, 2, 5, 13, 34, 89))
        batch, order = order[:size], order[size:]
        sent.append(batch)
        yield batch
        if random.random() < 0.2:
            yield random.choice(sent)


@dataclass(slots=True)
class _Drawing:
    """A history in the making; no two episodes share a time unless a tie is meant."""

    random: Random
    episodes: list[Episode] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    taken: set[datetime] = field(default_factory=set)
    said: dict[str, list[tuple[datetime, str]]] = field(default_factory=dict)

    def keyed(self) -> None:
        """Draw the eight claim keys' values: founded, restated, superseded."""
        for key, policy in CLAIM_KEYS.items():
            rounds = 7 if policy["policy"] == "latest" else 4
            value = self.random.choice(VALUES)
            for when in sorted(self.free() for _ in range(rounds)):
                value = self.random.choice([one for one in VALUES if one != value])
                self.claim("supersede", key, value, when, self.source(policy["policy"]))
                if self.random.random() < 0.55:
                    later = when + timedelta(minutes=self.random.randint(1, 300))
                    self.claim("restate", key, value, self.unique(later), self.source(policy["policy"]))

    def ties(self) -> None:
        """Draw twenty episodes that tie in time with one that stands already, half with another value."""
        known = [(key, when, value) for key, said in sorted(self.said.items()) for when, value in said]
        for number, (key, when, value) in enumerate(self.random.sample(known, 20)):
            other = value if number % 2 else self.random.choice([one for one in VALUES if one != value])
            self.claim("tie", key, other, when, self.random.choice(("desk", "phone")))

    def revisions(self) -> None:
        """Draw four revised records: ten revisions after the first ones, five late, two reverts."""
        for name, values, told in (
            ("tariff", ("180", "90", "180"), (0, 1, 2)),
            ("notice", ("30", "14", "30"), (0, 1, 2)),
            ("crane", ("8", "9", "10", "11"), (0, 3, 2, 1)),
            ("depth", ("4", "5", "6", "7"), (3, 2, 0, 1)),
        ):
            times = sorted(self.free() for _ in values)
            for place, turn in enumerate(told):
                late = any(told[earlier] > turn for earlier in range(place))
                kind = "revision" if place else "first of revised"
                self.kinds["late"] += late
                self.kinds["revert"] += bool(place) and values[turn] in values[:turn]
                text = f"The {name} is {values[turn]}."
                claims = [{"key": f"{name} days", "value": values[turn]}]
                self.add(kind, times[turn], key=f"row:{name}", key_policy="revision", text=text, claims=claims)

    def windows(self) -> None:
        """Draw ten claims with a window: six that end, two that only begin, two that only end."""
        for number in range(10):
            said, begins = self.free(), self.free()
            ends = begins + timedelta(days=self.random.randint(1, 200))
            window: Episode = {}
            if number not in (8, 9):
                window["valid_from"] = begins.isoformat()
            if number not in (6, 7):
                window["valid_to"] = ends.isoformat()
            self.claim(
                "window", self.random.choice(("berth", "pilot", "fuel")), self.any_value(), said, "desk", **window
            )

    def overlaps(self) -> None:
        """Draw ten pairs that differ in their values alone."""
        for payer in _PAYERS:
            rates = self.random.sample(range(11, 49), 2)
            for rate in rates:
                text = f"{payer} charges {rate // 10}.{rate % 10}% + {self.random.randint(10, 40)}c."
                self.add("overlap", self.free(), source=self.random.choice(("desk", "phone")), text=text)

    def dated_ahead(self) -> None:
        """Draw five sayings from clocks that run ahead."""
        for days in (1, 40, 200, 350, 27000):
            when = RECEIPT + timedelta(days=days, minutes=self.random.randint(0, 500))
            if days == 40:
                self.add("ahead", when, text="The night ferry leaves at 23:40 from pier 5.")
            elif days == 200:
                self.add("ahead", when, text=f"{_PAYERS[0]} charges 9.9% + 99c.")
            else:
                self.claim("ahead", self.random.choice(("berth", "opening", "fuel")), self.any_value(), when, "ledger")

    def denials(self) -> None:
        """Draw six denials of a value that was said."""
        latest = [key for key, policy in CLAIM_KEYS.items() if policy["policy"] == "latest"]
        for key in self.random.sample(latest, 3) * 2:
            self.claim("denial", key, self.any_value(), self.free(), "ledger", polarity="negated")

    def twins(self) -> None:
        """Draw four logical events, each published under two ids with other words and times."""
        for number in range(4):
            for _ in range(2):
                self.claim("twin", "tide table", self.any_value(), self.free(), "desk", business=f"event {number}")

    def contents(self) -> None:
        """Draw three scans without a key, each said at three times."""
        for line in ("The gate code sheet is in shed 3.", "Ferries leave on the hour.", "I keep two spare ropes."):
            for _ in range(3):
                self.add("content", self.free(), text=line, key_policy="content", key=None, source="phone")

    def conversations(self) -> None:
        """Draw a conversation with a correction, one with an end, and an agent's words."""
        for place in _PLACES:
            self.add("chat", self.free(), messages=[{"role": "user", "content": place}], session_id="evening")
        self.add("chat", self.free(), text="That was wrong.", session_id="evening")
        for line in ("I use Docker.", "I do not use Docker.", "I use Podman."):
            self.add("chat", self.free(), text=line, session_id="tools")
        for line in ("I prefer printed maps.", "Bookings close on Mondays."):
            self.add("chat", self.free(), text=line, said_by="agent", source="desk")

    def restated_texts(self, count: int) -> None:
        """Draw sayings in plain words again and again, in two wordings that mean the same."""
        for number in range(count):
            text = self.random.choice(_PREFERENCES[number % len(_PREFERENCES)])
            kind = "restate" if number >= len(_PREFERENCES) else "first of restated"
            self.add(kind, self.free(), source=self.random.choice(tuple(SOURCES)), text=text)

    def claim(
        self, kind: str, key: str, value: str, when: datetime, source: str, business: str | None = None, **more: Any
    ) -> None:
        """Add one structured claim."""
        claim = {"key": key, "value": value, **more}
        if self.random.random() < 0.4:
            claim["text"] = self.random.choice((f"The {key} is {value}", f"{key}, as noted: {value}"))
        if kind in ("supersede", "restate"):
            self.said.setdefault(key, []).append((when, value))
        self.add(kind, when, source=source, claims=[claim], business_key=business, speaker=self.speaker())

    def add(self, kind: str, when: datetime, **fields: Any) -> None:
        """Add one episode under a key of its own, unless it names one."""
        self.kinds[kind] += 1
        episode = {"subject_id": SUBJECT, "key": f"log:{len(self.episodes):03}", "source": "desk", **fields}
        episode["occurred_at"] = when.isoformat()
        self.episodes.append({name: value for name, value in episode.items() if value is not None})

    def free(self) -> datetime:
        """Return a moment before receipt that nothing else was said at."""
        return self.unique(START + timedelta(minutes=self.random.randint(0, 175 * 24 * 60)))

    def unique(self, when: datetime) -> datetime:
        """Return the first moment from this one on that nothing was said at."""
        while when in self.taken:
            when += timedelta(seconds=1)
        self.taken.add(when)
        return when

    def source(self, policy: str) -> str:
        """Return a source: of one rank where a lower one would end the play, of any rank for the others."""
        return self.random.choice(("desk", "phone") if policy in ("latest", "corroborated") else tuple(SOURCES))

    def speaker(self) -> str | None:
        """Return who said it, if anybody is named."""
        return self.random.choice((None, "Ada", "Rowan"))

    def any_value(self) -> str:
        """Return a value of the small alphabet."""
        return self.random.choice(VALUES)
