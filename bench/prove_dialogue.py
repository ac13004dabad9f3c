"""The part of issue 5 that is about dialogue: recall on LoCoMo and BEAM-100K beside plain legs and the design study.

No language model takes part. What falls short is put down by name; `main` of `bench/prove_5.py` may call `measure`.
"""

from __future__ import annotations

from typing import Any, Final

from bench.dialogue_check import SETS, run
from bench.places import sets_folder, vector_folder
from bench.proof import Figure, Proof
from bench.vector_cache import VectorCache
from stemma.models.embedding import DEFAULT_EMBEDDER, open_embedder

TARGETS: Final[dict[str, Figure]] = {
    "LoCoMo 1-4 R@10": 0.806,
    "BEAM R@5": 0.534,
    "outdated above its update": 0.10,
    "AUC of support on LoCoMo": 0.78,
}
# The study's own noise (section 7): differences below these are nothing.
NOISE: Final = {"locomo": 0.01, "beam": 0.02}


def measure(proof: Proof) -> list[str]:
    """Run both sets with and without an embedder, put all figures down, and name those below the study's."""
    proof.put("dialogue: targets", TARGETS)
    embedder = open_embedder(DEFAULT_EMBEDDER)
    vectors = None if embedder is None else VectorCache(embedder, vector_folder())
    short: list[str] = []
    for name, read in SETS.items():
        dialogues = read(sets_folder())
        for called, cache in ((f"{name}, words alone", None), (name, vectors)):
            found = run(name, dialogues, cache, ("user",))
            proof.put(f"dialogue: {called}", found)
            short += [f"{called}: {each}" for each in below(found, NOISE[name])]
    proof.put("dialogue: below the study by more than its noise", [*short])
    return short


def below(found: dict[str, Any], noise: float) -> list[str]:
    """Name the figures of ours that are below the study's by more than its noise, and those below a plain leg's."""
    listed = []
    for figure, stated in found["study"].items():
        category, measure_name = figure.rsplit(" ", 1)
        ours = found["ours"][category][measure_name]
        if ours < stated - noise:
            listed.append(f"{figure} {ours} for {stated}")
    for leg in ("plain BM25", "plain dense"):
        if leg in found:
            ours, plain = found["ours"]["all"], found[leg]["all"]
            listed += [
                f"{each} {ours[each]} for {leg}'s {plain[each]}"
                for each in ("R@5", "R@10", "MRR")
                if ours[each] < plain[each]
            ]
    return listed
