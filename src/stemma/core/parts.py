"""The parts of a frame, put together: what is told in its order, and groups that may stand anywhere in one order.

"The train from Rome to Milan" and "from Milan to Rome" differ in their groups, {from Rome} and {to Rome}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stemma.core.claims import MASK, VALUE_SEPARATOR
from stemma.records import Frame


class Place(NamedTuple):
    """The group that a part stands in, 0 for none, and whether it is a verb that lists know."""

    group: int
    is_verb: bool


class Part(NamedTuple):
    """One word of a frame; `names` makes it ordered identity. A value has its type and canonical text."""

    word: str
    place: Place
    names: bool = False
    is_content: bool = True
    type: str = ""
    value: str = ""


def assembled(parts: Sequence[Part], *, is_ordered: bool) -> tuple[Frame, str]:
    """Give the frame of the parts and its joined values.

    The groups stand last. `is_ordered` says that the subject is not known: what they stood between then begins with its
    verbs or, where none is known, goes round to its least word, so that a group or verb in front changes nothing.
    """
    groups = _groups(parts)
    bare = [part for part in parts if not part.place.group]
    if is_ordered:
        bare = _in_one_order(bare)
    placed = {part.place.group: (groups.get(part.place.group, ""), part.type) for part in parts if part.place.group}
    parts = [*bare, *(part for group in sorted(placed, key=placed.__getitem__) for part in _of(group, parts))]
    identities = [part.word for part in bare if part.names]
    types = tuple(part.type for part in parts if part.type)
    value = VALUE_SEPARATOR.join(part.value for part in parts if part.type)
    return Frame(tuple(part.word for part in parts), (*identities, *sorted(groups.values())), types), value


def _of(group: int, parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if part.place.group == group]


def _groups(parts: Sequence[Part]) -> dict[int, str]:
    """Give the content words of each group that has any, joined by blanks."""
    found: dict[int, list[str]] = {}
    for part in parts:
        if part.place.group and part.is_content and part.word != MASK:
            found.setdefault(part.place.group, []).append(part.word)
    return {group: " ".join(words) for group, words in found.items()}


def _in_one_order(bare: Sequence[Part]) -> list[Part]:
    verbs = [part for part in bare if part.place.is_verb]
    if any(part.names for part in verbs):
        return [*verbs, *(part for part in bare if not part.place.is_verb)]
    named = [at for at, part in enumerate(bare) if part.names]
    if not named:
        return list(bare)
    begin = named[least_turn([bare[at].word for at in named])]
    return [*bare[begin:], *bare[:begin]]


def least_turn(words: Sequence[str]) -> int:
    """Say at which word a cycle of words begins to be least, the first such place; linear (Shiloach 1981).

    Both candidates run on together: where they differ, the greater one loses all that it ran over.
    """
    one, other, same = 0, 1, 0
    while max(one, other, same) < len(words):
        left, right = (words[(at + same) % len(words)] for at in (one, other))
        if left == right:
            same += 1
            continue
        if left > right:
            one += same + 1
        else:
            other += same + 1
        if one == other:
            other += 1
        same = 0
    return min(one, other)
