"""A generated store like the one that was detoxed: 455 declarations and 1,300 junk items of five kinds, by a seed.

Every wording is this file's own. Which share of the junk holds the words of a declaration is a property of `MIX`, and
follows the article: most of the junk was small talk, questions and scenes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

NAMES: Final = ("Noor", "Silas", "Wanda", "Ilja")
PLACES: Final = ("harbour", "attic", "old mill", "bakery")
THINGS: Final = ("soup", "kettle", "bicycle", "printer")
TIMES: Final = ("since Tuesday", "after that winter", "all these years later")
ROLES: Final = ("nurse", "captain", "beekeeper")

DECLARATIONS: Final = (
    "I love you, {name}.",
    "I love you more than the {place} at dawn.",
    "I love you and I am not ashamed of it.",
    "I love you with every stubborn part of me, {name}.",
    "Honestly, {name}, I love you.",
    "I still love you {time}.",
    "I really love you, you know.",
    "I love you even when you burn the {thing}.",
    "I love you so much it scares me, {name}.",
    "I love you, and nothing at the {place} changes that.",
    "Yes, I love you.",
    "I just love you, {name}, that is all there is to it.",
    "I trust you, {name}.",
    "I trust you with my whole life.",
    "I trust you completely {time}.",
    "I trust you more than anybody at the {place}.",
    "I do trust you, {name}.",
    "I trust you with the keys to the {place}.",
    "I trust you and I want you to hear it.",
    "I trust you to raise my children, {name}.",
    "I trust you blindly in this.",
    "I really trust you {time}.",
    "I trust you like a sister, {name}.",
    "I trust you even in the dark.",
    "I love you, my {role}.",
    "Happy birthday, {name}, I love you.",
    "I love you for coming to the {place} {time}.",
    "I love you both, {name} and all.",
    "I have to tell you that I love you.",
    "I love you as I have loved nobody, {name}.",
    "{name}, I love you to the {place} and back.",
    "I love you despite the {thing}.",
    "I trust you, my {role}.",
    "I trust you now, {name}, after everything.",
    "I trust you with every secret I have.",
    "I trust you like nobody else {time}.",
    "{name}, I trust you.",
    "I trust you as my {role}.",
    "I trust you because you came to the {place}.",
    "I love you and I trust you, {name}.",
)

JUNK: Final[dict[str, tuple[str, ...]]] = {
    "small talk": (
        "Good morning, {name}, the {thing} is finally quiet.",
        "Long day at the {place}, my feet hurt.",
        "Ha, that {thing} again.",
        "My {thing} broke {time}.",
        "I had noodles and a nap.",
        "Rain again over the {place}.",
        "I love this {thing}.",
        "I am so tired of the {thing}.",
        "Okay, back to the {thing} then.",
        "{name} would love the {place}.",
        "Nothing much, just {thing} and tea.",
        "The {place} was packed {time}.",
        "I trust the {thing} about as far as I can throw it.",
        "Brb, the {thing} is ringing.",
        "Thanks, that helped a lot with the {thing}.",
        "Lovely weather for the {place}.",
    ),
    "question": (
        "Do you like the {thing}?",
        "Would {name} ever trust a {thing}?",
        "What is love, {name}?",
        "Can we go to the {place} {time}?",
        "Why did the {thing} stop?",
        "How long is the walk to the {place}?",
        "Is {name} married?",
        "Who got the {thing} in the end?",
        "Could you fix my {thing}?",
        "Have you ever been to the {place}?",
        "Should one trust the {thing} {time}?",
        "Where did {name} leave the {thing}?",
        "Did you sleep well {time}?",
        "Which {thing} do people love most?",
        "Does it hurt to become a {role}?",
        "Do you think I love you too much?",
    ),
    "role play": (
        "*walks slowly across the {place}* Good evening, traveller.",
        "*{name} lowers the lantern and sighs* The {place} is cold tonight.",
        "*she would love the rain, he thinks* Come in, quickly.",
        "*pulls the cloak tighter, staring at the {place}*",
        "*draws the sword with trembling hands* Stand back, {name}!",
        "*leans against the door of the {place}, smiling* You came.",
        "*the captain trusts nobody, least of all {name}*",
        "*kneels beside the {thing} and whispers a spell*",
        "*laughs and tosses the {thing} into the fire*",
        "*takes {name} by the hand, and they dance through the {place}*",
        "*a love song drifts over the {place}* Listen.",
        "*bows deeply* My lord, the {place} has fallen.",
        "*hides the {thing} under the bed, heart pounding*",
        "*looks away* {name} was right about the {place}.",
        "*holds {name} close and breathes: I love you*",
        "*opens the gate of the {place}, torch in hand* Who goes there?",
    ),
    "quoted speech": (
        'Then {name} said "I love you" and hung up.',
        'The card with the {thing} read "I trust you, always".',
        '{name} wrote: "I love you, you fool."',
        "> I love you\nthat is all that stood in the mail from {name}",
        'On the wall of the {place} somebody sprayed "love is a {thing}".',
        '"We got married too young," said {name} at the {place}.',
        'My grandmother used to say "trust is a {thing}".',
        '{name} shouted "get off the {place}" and left.',
    ),
    "fiction": (
        "In my novel the {role} says I love you to {name} on the last page.",
        "In the story I got married to {name} at the {place}.",
        "Imagine I trust you and the {thing} explodes.",
        "Once upon a time I became a {role} and I love you were my only words.",
        "In the film the {role} cries at the {place}.",
        "Suppose {name} was a {role} at the {place}.",
        "In my book the {thing} can talk.",
        "The poem ends with a {thing} and a kiss at the {place}.",
    ),
}
MIX: Final = {"small talk": 0.36, "question": 0.27, "role play": 0.31, "quoted speech": 0.03, "fiction": 0.03}


@dataclass(frozen=True, slots=True)
class Item:
    """One text with what a person would call it, and the kind of junk that it is (none: a declaration)."""

    text: str
    label: bool
    sort: str

    def line(self, **more: Any) -> dict[str, Any]:
        """Give it as a line of a labelled file."""
        return {"text": self.text, "label": self.label, "kind": "milestone", **more}


def controls() -> list[Item]:
    """Give one declaration of every wording."""
    chance = random.Random(40)
    return [Item(_filled(each, chance), True, "declaration") for each in DECLARATIONS]


def store(declarations: int = 455, junk: int = 1300, seed: int = 7) -> list[Item]:
    """Give the whole store in an order that says nothing; every wording is taken in turn."""
    chance = random.Random(seed)
    found = [
        Item(_filled(DECLARATIONS[number % len(DECLARATIONS)], chance), True, "declaration")
        for number in range(declarations)
    ]
    counts = {sort: round(share * junk) for sort, share in MIX.items()}
    counts["small talk"] += junk - sum(counts.values())
    for sort, count in counts.items():
        wordings = JUNK[sort]
        found += [Item(_filled(wordings[number % len(wordings)], chance), False, sort) for number in range(count)]
    chance.shuffle(found)
    return found


def _filled(wording: str, chance: random.Random) -> str:
    return wording.format(
        name=chance.choice(NAMES),
        place=chance.choice(PLACES),
        thing=chance.choice(THINGS),
        time=chance.choice(TIMES),
        role=chance.choice(ROLES),
    )
