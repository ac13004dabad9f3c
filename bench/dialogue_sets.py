"""Dialogues as a user would send them, with questions and the messages that answer them: LoCoMo and BEAM-100K.

A session is one episode: its messages, each with its time, under the session's id. Nothing is copied into the product.
"""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

Episode = dict[str, Any]
# What the sets give is the session's time alone; its messages follow one another.
_BETWEEN_MESSAGES: Final = timedelta(seconds=20)
_TURN: Final = re.compile(r"D\d+:\d+")
# The mark that BEAM's generator left behind its users' messages names the plan's place and is no part of what was said.
_MARK: Final = re.compile(r"\s*->->\s*[\w,.]+\s*$")
_DAYS_BETWEEN_SESSIONS: Final = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the names of the messages that answer it; `older` are those that `newer` ones have outdated."""

    text: str
    category: str
    right: frozenset[str]
    older: frozenset[str] = frozenset()
    newer: frozenset[str] = frozenset()

    @property
    def is_answerable(self) -> bool:
        """Say whether the dialogue holds the answer: neither LoCoMo's adversarial ones nor BEAM's abstentions."""
        return self.category not in ("5", "abstention")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One subject's episodes, the text of each message by name, and what is asked; names are `key/place`."""

    name: str
    episodes: list[Episode]
    texts: dict[str, str]
    questions: list[Asked]


def locomo(folder: Path) -> list[Dialogue]:
    """Read LoCoMo: two friends, both users, with the captions of what they show each other."""
    conversations = json.loads((folder / "locomo" / "locomo5.json").read_text("utf-8"))
    return [_locomo_dialogue(each) for each in conversations]


def _locomo_dialogue(conversation: dict[str, Any]) -> Dialogue:
    subject = conversation["sample_id"]
    told = conversation["conversation"]
    episodes: list[Episode] = []
    names: dict[str, str] = {}
    texts: dict[str, str] = {}
    sessions = sorted((key for key in told if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    for session in sessions:
        said = datetime.strptime(f"{told[f'{session}_date_time']} +0000", "%I:%M %p on %d %B, %Y %z")
        messages = []
        for place, turn in enumerate(told[session]):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['text']}{caption}"
            messages.append({"role": "user", "name": turn["speaker"], "content": text})
            names[turn["dia_id"]] = f"{session}/{place}"
            texts[f"{session}/{place}"] = f"{turn['speaker']}: {text}"
        episodes.append(_episode(subject, session, messages, said))
    questions = []
    for asked in conversation["qa"]:
        right = frozenset(names[turn] for turn in _TURN.findall(" ".join(asked["evidence"])) if turn in names)
        if right:
            questions.append(Asked(asked["question"], str(asked["category"]), right))
    return Dialogue(f"locomo {subject}", episodes, texts, questions)


def beam(folder: Path) -> list[Dialogue]:
    """Read BEAM's chats of 100,000 tokens: a user and an assistant, a session for each of the set's batches."""
    asked: dict[int, list[dict[str, Any]]] = {}
    for row in _lines(folder / "beam_100k" / "questions.jsonl.gz"):
        asked.setdefault(row["chat_id"], []).append(row)
    return [_beam_dialogue(chat, asked[chat["chat_id"]]) for chat in _lines(folder / "beam_100k" / "chats.jsonl.gz")]


def _beam_dialogue(chat: dict[str, Any], asked: list[dict[str, Any]]) -> Dialogue:
    subject = f"chat-{chat['chat_id']}"
    sessions: dict[int, list[dict[str, Any]]] = {}
    for turn in chat["turns"]:
        sessions.setdefault(turn["batch"], []).append(turn)
    episodes: list[Episode] = []
    names: dict[int, str] = {}
    texts: dict[str, str] = {}
    said = datetime(2024, 1, 1, tzinfo=UTC)
    for batch, turns in sorted(sessions.items()):
        named = next((turn["time_anchor"] for turn in turns if turn["time_anchor"]), None)
        anchor = None if named is None else datetime.strptime(f"{named} +0000", "%B-%d-%Y %z")
        said = max(anchor or said, said + timedelta(days=_DAYS_BETWEEN_SESSIONS))
        messages = []
        for place, turn in enumerate(turns):
            text = _MARK.sub("", turn["content"])
            messages.append({"role": turn["role"], "content": text})
            names[turn["id"]] = f"session_{batch}/{place}"
            texts[f"session_{batch}/{place}"] = text
        episodes.append(_episode(subject, f"session_{batch}", messages, said))
    return Dialogue(f"beam {subject}", episodes, texts, [_beam_question(each, names) for each in asked])


def _beam_question(row: dict[str, Any], names: dict[int, str]) -> Asked:
    found = row.get("source_chat_ids") or []
    parts: dict[str, list[Any]] = found if isinstance(found, dict) else {"all": found}
    of = {part: frozenset(names[each] for each in _numbers(listed) if each in names) for part, listed in parts.items()}
    return Asked(
        row["question"],
        row["ability"],
        frozenset().union(*of.values()),
        of.get("original_info", frozenset()),
        of.get("updated_info", frozenset()),
    )


def _numbers(listed: Any) -> Iterator[int]:
    for each in listed if isinstance(listed, list) else [listed]:
        if isinstance(each, list):
            yield from _numbers(each)
        else:
            yield int(each)


def _episode(subject: str, session: str, messages: list[dict[str, Any]], said: datetime) -> Episode:
    for place, message in enumerate(messages):
        message["at"] = (said + place * _BETWEEN_MESSAGES).isoformat()
    named = {"subject_id": subject, "key": session, "session_id": session, "source": "chat"}
    return {**named, "occurred_at": said.isoformat(), "messages": messages}


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
