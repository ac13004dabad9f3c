"""Distractors for growth: texts made of a store's own words that could be taken for its memories. Pure, from a seed.

What is far from everything hurts nobody, so most of them are near (design study, growth stress test).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import regex

from stemma.core.golden.draw import Draw


class Mix(StrEnum):
    """What a distractor is to the memory that it was made from."""

    NEAR_REPEAT = "near_repeat"
    OTHER_VALUE = "other_value"
    OTHER_SUBJECT = "other_subject"
    BOOT_TEXT = "boot_text"
    OTHER_LANGUAGE = "other_language"
    UNRELATED = "unrelated"


# In hundredths of all.
SHARES: Final = (
    (Mix.NEAR_REPEAT, 35),
    (Mix.OTHER_VALUE, 25),
    (Mix.OTHER_SUBJECT, 20),
    (Mix.BOOT_TEXT, 10),
    (Mix.OTHER_LANGUAGE, 5),
    (Mix.UNRELATED, 5),
)
# So many of all are near misses of an anchor: the same claim of another thing.
NEAR_MISSES: Final = 0.10
SOURCE: Final = "synthetic:growth"
_TRIES: Final = 12
_LONG: Final = 5

_NUMBER = regex.compile(r"\d+")
_WORD = regex.compile(r"[\p{L}\p{M}][\p{L}\p{M}'’-]*")
_NAME = regex.compile(r"(?<=[\p{Ll},;:)]\s)\p{Lu}[\p{L}\p{M}'’-]+")
_BOOT: Final = (
    "Session {0} started. Memory loaded. {1} tools are available: {2}, {3}.",
    "You are a helpful assistant. Follow the policy on {2}. Build {0}.",
    "[system] {1} items were restored from the cache; last topic: {2}.",
    "Status: ok. Uptime {1} h. Modules: {2}, {3}, core-{0}.",
)


@dataclass(frozen=True, slots=True)
class Told:
    """One statement of the store: its words, when it was said, in which language, and whether a probe is about it."""

    subject_id: str
    text: str
    occurred_at: datetime
    language: str
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class Distractor:
    """One synthetic statement; `role` is that of its message."""

    subject_id: str
    key: str
    text: str
    occurred_at: datetime
    mix: Mix
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Words:
    """What distractors are made of: a store's statements by subject, and its names and long words by language."""

    told: tuple[Told, ...]
    names: dict[str, tuple[str, ...]]
    longs: dict[str, tuple[str, ...]]
    latest: dict[str, datetime]


def words_of(told: Iterable[Told]) -> Words:
    """Collect the words of a store."""
    known = tuple(sorted(told, key=lambda each: (each.subject_id, each.occurred_at, each.text)))
    names: dict[str, dict[str, None]] = {}
    longs: dict[str, dict[str, None]] = {}
    for each in known:
        names.setdefault(each.language, {}).update(dict.fromkeys(_NAME.findall(each.text)))
        found = [word for word in _WORD.findall(each.text) if _is_long(word)]
        longs.setdefault(each.language, {}).update(dict.fromkeys(found))
    return Words(
        known,
        {code: tuple(each) for code, each in names.items()},
        {code: tuple(each) for code, each in longs.items()},
        {each.subject_id: each.occurred_at for each in known},
    )


def distractors(words: Words, count: int, *, seed: int, start: int = 0) -> list[Distractor]:
    """Make `count` distractors, the `start`-th to the `start + count`-th of an endless row; no two have one text.

    A later part of the row continues an earlier one, so a store grows by it. Texts of anchors are never repeated.
    """
    taken = {each.text for each in words.told}
    made: list[Distractor] = []
    for number in range(start + count):
        found = _one(words, number, seed, taken)
        taken.add(found.text)
        if number >= start:
            made.append(found)
    return made


def _one(words: Words, number: int, seed: int, taken: set[str]) -> Distractor:
    draw = Draw("growth", seed, number)
    mix = _mix(draw)
    is_near_miss = mix in (Mix.OTHER_VALUE, Mix.OTHER_SUBJECT) and draw.is_under(NEAR_MISSES / 0.45)
    anchors = [each for each in words.told if each.is_anchor]
    # Nothing that would be a further right answer is made of an anchor: it would only hide that the anchor is gone.
    others = [each for each in words.told if not each.is_anchor] or anchors
    bases = anchors if is_near_miss and anchors else others
    base = draw.one(bases)
    text = ""
    for tried in range(_TRIES):
        text = _text(words, base, Mix.OTHER_SUBJECT if is_near_miss else mix, draw)
        # Once the single changes are used up two of them make something new.
        if text in taken and tried > _TRIES // 2:
            text = _swapped(text, words.longs.get(base.language, ()), _WORD, draw, lower=True)
        if text and text not in taken:
            break
        base = draw.one(bases)
    if not text or text in taken:
        text = f"{base.text.rstrip('. ')} ({number})"
    return Distractor(
        subject_id=base.subject_id,
        key=f"{SOURCE}:{seed}:{number}",
        text=text,
        occurred_at=_moment(words, base, mix, draw, is_near_miss=is_near_miss),
        mix=mix,
        role="system" if mix is Mix.BOOT_TEXT else "user",
    )


def _mix(draw: Draw) -> Mix:
    at = draw.below(100)
    for mix, share in SHARES:
        if at < share:
            return mix
        at -= share
    raise AssertionError("the shares of the mix are 100 in all")


def _moment(words: Words, base: Told, mix: Mix, draw: Draw, *, is_near_miss: bool) -> datetime:
    """Say it before or after its base, never after the last that was said; a near miss of an anchor before it."""
    days = 1 + draw.below(90)
    is_later = mix is not Mix.OTHER_VALUE or draw.is_under(0.5)
    if is_near_miss or not is_later or base.occurred_at + timedelta(days=days + 1) > words.latest[base.subject_id]:
        days = -days
    return base.occurred_at + timedelta(days=days, minutes=draw.below(600))


def _text(words: Words, base: Told, mix: Mix, draw: Draw) -> str:
    match mix:
        case Mix.NEAR_REPEAT:
            return _swapped(base.text, words.longs.get(base.language, ()), _WORD, draw, lower=True)
        case Mix.OTHER_VALUE:
            return _other_value(words, base, draw)
        case Mix.OTHER_SUBJECT:
            named = _swapped(base.text, words.names.get(base.language, ()), _NAME, draw)
            return named or _other_value(words, base, draw)
        case Mix.BOOT_TEXT:
            longs = words.longs.get(base.language) or ("memory",)
            return draw.one(_BOOT).format(draw.below(10_000), draw.below(90), draw.one(longs), draw.one(longs))
        case Mix.OTHER_LANGUAGE:
            foreign = [each for each in words.told if each.language != base.language and not each.is_anchor]
            return _other_value(words, draw.one(foreign), draw) if foreign else _crossed(words, base, draw)
        case Mix.UNRELATED:
            return _crossed(words, base, draw)


def _other_value(words: Words, base: Told, draw: Draw) -> str:
    """Say another number, or where there is none another name, or another word."""
    numbers = list(_NUMBER.finditer(base.text))
    if numbers:
        chosen = draw.one(numbers)
        value = int(chosen.group()[:9])
        other = value + 1 + draw.below(max(9, value))
        return f"{base.text[: chosen.start()]}{other}{base.text[chosen.end() :]}"
    named = _swapped(base.text, words.names.get(base.language, ()), _NAME, draw)
    return named or _swapped(base.text, words.longs.get(base.language, ()), _WORD, draw, lower=True)


def _is_long(word: str) -> bool:
    return len(word) >= _LONG and word.islower()


def _swapped(text: str, others: Sequence[str], pattern: regex.Pattern[str], draw: Draw, *, lower: bool = False) -> str:
    """Put another word of the store in the place of one; empty where there is none to change."""
    found = [
        each for each in pattern.finditer(text) if not lower or (len(each.group()) >= 5 and each.group().islower())
    ]
    if not found or len(others) < 2:
        return ""
    chosen = draw.one(found)
    other = draw.one(others)
    return "" if other == chosen.group() else f"{text[: chosen.start()]}{other}{text[chosen.end() :]}"


def _crossed(words: Words, base: Told, draw: Draw) -> str:
    """Join the beginning of one statement with the end of another of the same language."""
    others = [each for each in words.told if each.language == base.language and not each.is_anchor]
    if len(others) < 2:
        return ""
    first, second = draw.one(others).text.split(), draw.one(others).text.split()
    return " ".join([*first[: (len(first) + 1) // 2], *second[len(second) // 2 :]])
