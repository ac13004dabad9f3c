"""Score the labelled sets of `tests/sets` through the public face, by language, as JSON.

`python -m bench.labelled_sets utterances|pairs FILE [--misses]`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from stemma import Stemma
from stemma.records import Act

SAID = datetime(2026, 4, 14, 9, 30, tzinfo=UTC)
Line = dict[str, Any]
Score = dict[str, Any]


def lines_of(path: Path) -> list[Line]:
    """Read a set: one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score_utterances(lines: list[Line], store: str, embedder: str) -> tuple[Score, list[Line]]:
    """Say each utterance as its own user; it counts as declared where a memory comes of it, or where it ends one.

    "Not allergic any more" is about something said before; alone it makes no row, but it is read.
    """
    misses: list[Line] = []
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    with Stemma(store, clock=lambda: SAID, embedder=embedder) as stemma:
        for line in lines:
            said = {"role": "user", "content": line["text"]}
            stemma.add_episodes(
                [{"subject_id": line["id"], "key": "said", "messages": [said], "occurred_at": SAID.isoformat()}]
            )
        stemma.compile_memories()
        for line in lines:
            found = _read_of(stemma, line["id"], line["declaration"])
            cell = {(True, True): "hit", (True, False): "missed", (False, True): "false", (False, False): "quiet"}[
                (line["declaration"], bool(found))
            ]
            for name in ("all", line["language"]):
                tallies[name][cell] += 1
            if cell in ("missed", "false"):
                misses.append({"cell": cell, **line, "found": found})
    return {name: _figures(tally) for name, tally in sorted(tallies.items())}, misses


def score_pairs(lines: list[Line], store: str, embedder: str) -> tuple[Score, list[Line]]:
    """Remember the two statements of each pair a month apart, and compare what became of them with the label."""
    clock = [SAID]
    outcomes: dict[str, str] = {}
    with Stemma(store, clock=lambda: clock[0], embedder=embedder) as stemma:
        for said, half in ((SAID - timedelta(days=30), "first"), (SAID, "second")):
            clock[0] = said
            for line in lines:
                stemma.remember(line["id"], line[half], occurred_at=said)
        for line in lines:
            outcomes[line["id"]] = outcome_of(stemma, line["id"])
    tallies: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    misses: list[Line] = []
    for line in lines:
        label, found = line["label"], outcomes[line["id"]]
        if label != found:
            misses.append({"found": found, **line})
        for name in ("all", line["language"]):
            for verdict in ("same", "conflict"):
                cell = {(True, True): "hit", (True, False): "missed", (False, True): "false", (False, False): "quiet"}
                tallies[name][verdict][cell[(label == verdict, found == verdict)]] += 1
    return {
        name: {verdict: _figures(tally) for verdict, tally in verdicts.items()}
        for name, verdicts in sorted(tallies.items())
    }, misses


def outcome_of(stemma: Stemma, subject: str) -> str:
    """Name what the two statements of a subject are to one another: `same`, `conflict` or `unrelated`."""
    rows = stemma.list_memories(subject, status="all").items
    if len(rows) == 1:
        return "same" if rows[0].times_said == 2 and str(rows[0].status) == "active" else "conflict"
    ruled = stemma.list_decisions(subject).items or stemma.list_conflicts(subject).items
    return "conflict" if ruled else "unrelated"


def _read_of(stemma: Stemma, subject: str, with_ends: bool) -> list[str]:
    found = [one.text for one in stemma.list_memories(subject, status="all").items]
    if not with_ends:
        return found
    for episode in stemma.find_episodes(subject).items:
        read = stemma.get_episode(episode.episode_id).statements
        found += [f"(ends) {one.text}" for one in read if one.act is Act.END]
    return found


def _figures(tally: Counter[str]) -> Score:
    hit, false, missed = tally["hit"], tally["false"], tally["missed"]
    return {
        **dict(tally),
        "precision": round(hit / (hit + false), 3) if hit + false else None,
        "recall": round(hit / (hit + missed), 3) if hit + missed else None,
    }


def main(arguments: list[str]) -> None:
    """Score one file and print the figures, and with `--misses` what was read wrongly."""
    what, path, *options = arguments
    with tempfile.TemporaryDirectory() as folder:
        named = next((each.partition("=")[2] for each in options if each.startswith("--embedder=")), "none")
        score, misses = {"utterances": score_utterances, "pairs": score_pairs}[what](
            lines_of(Path(path)), folder, named
        )
    print(json.dumps(score, indent=1))
    if "--misses" in options:
        for miss in misses:
            print(json.dumps(miss, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
