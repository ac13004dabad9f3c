"""Readers of the public sets that benchmarks and calibration run on. Nothing of them is copied into the product."""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

SCIFACT_CHARACTERS = 800
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of the texts that answer it; `category` is the set's own.

    `source` are texts that it was made from and that its judges left unjudged.
    """

    text: str
    right: frozenset[str]
    category: str = ""
    source: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scope:
    """One collection to search: texts by id, what is asked of it and in which language, and the texts' times."""

    name: str
    texts: dict[str, str]
    questions: list[Question]
    language: str = "en"
    asked_in: str = "en"
    times: dict[str, datetime] = field(default_factory=dict)


def xquad(folder: Path, language: str, *, asked_in: str | None = None) -> Scope:
    """Read XQuAD: paragraphs of one language, questions of the same or of another (1,190 to 240)."""
    texts = {name: text for name, text, _ in _xquad_paragraphs(folder, language)}
    questions = [
        Question(question, frozenset({name}))
        for name, _, asked in _xquad_paragraphs(folder, asked_in or language)
        for question in asked
    ]
    return Scope(f"xquad {asked_in or language}->{language}", texts, questions, language, asked_in or language)


def _xquad_paragraphs(folder: Path, language: str) -> Iterator[tuple[str, str, list[str]]]:
    with gzip.open(folder / "xquad" / f"xquad.{language}.json.gz", "rt", encoding="utf-8") as file:
        articles = json.load(file)["data"]
    for article_number, article in enumerate(articles):
        for number, paragraph in enumerate(article["paragraphs"]):
            yield f"{article_number}.{number}", paragraph["context"], [q["question"] for q in paragraph["qas"]]


def locomo_turns(folder: Path) -> list[Scope]:
    """Read LoCoMo, a scope a conversation: turns as `speaker: text` with their captions, evidence turns as answers."""
    return [_locomo_scope(conversation) for conversation in _locomo(folder)]


def locomo_statements(folder: Path) -> list[Scope]:
    """Read LoCoMo's observations, short statements on the turns: right where they rest on an evidence turn."""
    scopes = []
    for conversation in _locomo(folder):
        texts: dict[str, str] = {}
        turns: dict[str, set[str]] = {}
        for session, speakers in sorted(conversation["observation"].items()):
            for speaker, statements in speakers.items():
                for number, (text, evidence) in enumerate(statements):
                    name = f"{session}/{speaker}/{number}"
                    texts[name] = text
                    turns[name] = set(_TURN.findall(str(evidence)))
        questions = [
            Question(
                question.text,
                frozenset(name for name, rests_on in turns.items() if rests_on & question.right),
                question.category,
            )
            for question in _locomo_scope(conversation).questions
        ]
        scopes.append(Scope(f"locomo statements {conversation['sample_id']}", texts, [q for q in questions if q.right]))
    return scopes


def _locomo(folder: Path) -> list[dict[str, Any]]:
    conversations: list[dict[str, Any]] = json.loads((folder / "locomo" / "locomo5.json").read_text("utf-8"))
    return conversations


def _locomo_scope(conversation: dict[str, Any]) -> Scope:
    texts: dict[str, str] = {}
    times: dict[str, datetime] = {}
    for session, turns in conversation["conversation"].items():
        if not re.fullmatch(r"session_\d+", session):
            continue
        stamp = conversation["conversation"][f"{session}_date_time"]
        said = datetime.strptime(f"{stamp} +0000", "%I:%M %p on %d %B, %Y %z")
        for turn in turns:
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            texts[turn["dia_id"]] = f"{turn['speaker']}: {turn['text']}{caption}"
            times[turn["dia_id"]] = said
    questions = []
    for asked in conversation["qa"]:
        right = frozenset(_TURN.findall(" ".join(asked["evidence"]))) & texts.keys()
        if right:
            questions.append(Question(asked["question"], frozenset(right), str(asked["category"])))
    return Scope(f"locomo {conversation['sample_id']}", texts, questions, times=times)


def scifact(
    folder: Path, *, documents: int = 1000, seed: int = 7, characters: int | None = SCIFACT_CHARACTERS
) -> Scope:
    """Read SciFact's small variant: all judged abstracts and random others, title first, cut at 800 characters."""
    right: dict[str, set[str]] = {}
    for line in (folder / "scifact" / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        right.setdefault(query, set()).add(document)
    with gzip.open(folder / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        corpus = {row["_id"]: f"{row['title']} {row['text']}" for row in map(json.loads, file)}
    judged = sorted(set().union(*right.values()) & corpus.keys())
    others = sorted(corpus.keys() - set(judged))
    chosen = [*judged, *random.Random(seed).sample(others, min(max(documents - len(judged), 0), len(others)))]
    lines = (folder / "scifact" / "queries.jsonl").read_text("utf-8").splitlines()
    questions = [
        Question(row["text"], frozenset(right[row["_id"]] & corpus.keys()))
        for row in map(json.loads, lines)
        if row["_id"] in right
    ]
    return Scope("scifact-1k", {name: corpus[name][:characters] for name in chosen}, questions)


def total(scopes: Sequence[Scope]) -> str:
    """Say how much a list of scopes holds."""
    return f"{sum(len(s.texts) for s in scopes)} texts, {sum(len(s.questions) for s in scopes)} questions"
