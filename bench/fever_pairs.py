"""How many of FEVER Symmetric's pairs are ruled on, and how often rightly? Through the public face, without vectors.

`python -m bench.fever_pairs FILE [--pairs labelled|claims|evidence] [--way remembered|said] [--limit N] [--show]`: the
first of a pair is told a month before the second, each pair as its own subject; a ruling is right if they contradict.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stemma import Stemma

FIRST_SAID, SECOND_SAID = "2026-03-01T09:00:00Z", "2026-04-01T09:00:00Z"
NOW = datetime(2026, 4, 2, 9, tzinfo=UTC)
BATCH = 500
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"', "--": "–"}
_SPACED = ((re.compile(r" ([.,;:!?%)\]]|'s\b|n't\b|'re\b|'ll\b)"), r"\1"), (re.compile(r"([(\[$£]) "), r"\1"))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences, and whether they contradict each other."""

    subject: str
    first: str
    second: str
    refutes: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a pair: which of the two are memories, and what stands between them."""

    read: frozenset[str]
    between: str


def pairs_of(path: Path, which: str, limit: int | None) -> list[Pair]:
    """Read the labelled pairs, or the claims of one evidence (the evidence of one claim) with one fact changed.

    Every evidence and every claim has both labels; of the sides with opposite labels the nearest in words are paired.
    """
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if which == "labelled":
        made = [(line["evidence"], line["claim"], line["gold_label"] == "REFUTES") for line in lines]
    else:
        side, shared = ("claim", "evidence") if which == "claims" else ("evidence", "claim")
        groups: dict[str, list[dict[str, str]]] = defaultdict(list)
        for line in lines:
            groups[line[shared]].append(line)
        made = [
            (
                min((near(line[side], other[side]), other[side]) for other in group if _supports(other))[1],
                line[side],
                True,
            )
            for group in groups.values()
            for line in group
            if not _supports(line) and any(map(_supports, group))
        ]
    return [
        Pair(f"pair {number}", plain(first), plain(second), refutes)
        for number, (first, second, refutes) in enumerate(made[:limit])
    ]


def _supports(line: dict[str, str]) -> bool:
    return line["gold_label"] == "SUPPORTS"


def near(one: str, other: str) -> float:
    """Measure how little two sentences have in common, 0 to 1."""
    words, others = set(one.lower().split()), set(other.lower().split())
    return 1 - len(words & others) / len(words | others)


def plain(text: str) -> str:
    """Write a tokenised sentence as people write it."""
    for token, sign in _BRACKETS.items():
        text = text.replace(token, sign)
    for pattern, closed in _SPACED:
        text = pattern.sub(closed, text)
    return text.strip()


def tell(stemma: Stemma, pairs: list[Pair], way: str) -> None:
    """Remember both sentences of each pair, or say them and let the extractor find what they declare."""
    sides = [
        {"subject_id": pair.subject, "key": key, "text": text, "occurred_at": said}
        for pair in pairs
        for key, text, said in (("first", pair.first, FIRST_SAID), ("second", pair.second, SECOND_SAID))
    ]
    if way == "remembered":
        for side in sides:
            stemma.remember(
                side["subject_id"], side["text"], kind="fact", key=side["key"], occurred_at=side["occurred_at"]
            )
        return
    for start in range(0, len(sides), BATCH):
        stemma.add_episodes(sides[start : start + BATCH])
    stemma.compile_memories()


def fate_of(stemma: Stemma, pair: Pair) -> Fate:
    """Ask what the store holds of a pair; a ruling counts only with one side of each sentence."""
    memories = stemma.list_memories(pair.subject, status="all", limit=500).items
    keys = {one.id: frozenset(each.key for each in one.episodes) for one in memories}
    read = frozenset(key for found in keys.values() for key in found)
    both = frozenset(("first", "second"))
    if any(found == both for found in keys.values()):
        return Fate(read, "restated")
    for conflict in stemma.list_conflicts(pair.subject).items:
        if frozenset().union(*(keys.get(one, frozenset()) for one in conflict.memory_ids)) == both:
            return Fate(read, "conflict")
    for decision in stemma.list_decisions(pair.subject, limit=500).items:
        sides = (keys.get(one or "", frozenset()) for one in (decision.winner_id, decision.loser_id))
        if frozenset().union(*sides) == both:
            return Fate(read, f"decision {decision.rule}")
    return Fate(read, "nothing")


def share(part: int, whole: int) -> str:
    """Print a count as a share."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"


def main() -> None:
    """Run the pairs and print what was ruled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", choices=["labelled", "claims", "evidence"], default="labelled")
    parser.add_argument("--way", choices=["remembered", "said"], default="remembered")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", action="store_true", help="print every pair that is ruled or restated")
    asked = parser.parse_args()
    pairs = pairs_of(asked.file, asked.pairs, asked.limit)
    folder = Path(tempfile.mkdtemp(prefix="stemma-fever-"))
    folder.chmod(0o755)
    try:
        with Stemma(folder / "store", clock=lambda: NOW, embedder="none") as stemma:
            started = time.monotonic()
            tell(stemma, pairs, asked.way)
            fates = [fate_of(stemma, pair) for pair in pairs]
            seconds = time.monotonic() - started
    finally:
        shutil.rmtree(folder)
    report(pairs, fates, seconds)
    if asked.show:
        for pair, fate in zip(pairs, fates, strict=True):
            if fate.between != "nothing":
                print(f"{fate.between:<20} {'contradict' if pair.refutes else 'agree'}")
                print(f"    {pair.first}\n    {pair.second}")


def report(pairs: list[Pair], fates: list[Fate], seconds: float) -> None:
    """Print shares: of what is read, of what is ruled, of what of that is right."""
    told = list(zip(pairs, fates, strict=True))
    refuting = sum(pair.refutes for pair in pairs)
    print(f"{len(pairs)} pairs, {refuting} contradicting, {seconds:.0f} s")
    print(f"both sentences are memories: {share(sum(len(fate.read) == 2 for fate in fates), len(fates))}")
    ruled = [pair for pair, fate in told if fate.between.startswith(("decision", "conflict"))]
    restated = [pair for pair, fate in told if fate.between == "restated"]
    print(f"ruled on: {share(len(ruled), len(pairs))}")
    print(f"  right (they contradict each other): {share(sum(one.refutes for one in ruled), len(ruled))}")
    print(f"  of the contradicting pairs, ruled on: {share(sum(one.refutes for one in ruled), refuting)}")
    print(f"taken for one statement: {share(len(restated), len(pairs))}")
    print(f"  right (they agree): {share(sum(not one.refutes for one in restated), len(restated))}")
    for between, count in sorted(Counter(fate.between for fate in fates).items()):
        print(f"  {between}: {count}")


if __name__ == "__main__":
    main()
