"""What was measured of one embedder: how its leg is fused, and what its scores mean. Figures only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from stemma.core.dialogue.parameters import Dialogue, Shares, SupportWeights
from stemma.core.fuse import Fusion
from stemma.core.score import Scale

_SCHEMA = "calibration/1"
_FUSION_FIELDS = frozenset(each.name for each in fields(Fusion))
_DIALOGUE_FIELDS = frozenset(each.name for each in fields(Dialogue))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The record of one embedder, or of the lexical leg alone (`embedder` "none", no `prototype`).

    `scale` turns a fused score into the similarity of R-40, `prototype` a cosine of two passages into that of R-32.
    `dialogue` holds the recipe for what was said, with a scale of its own.
    """

    embedder: str
    dimensions: int
    fusion: Fusion
    scale: Scale
    prototype: Scale | None
    dialogue: Dialogue = field(default_factory=Dialogue)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a record; one of another schema, or with an unknown or missing figure, is a ValueError."""
        record: dict[str, Any] = json.loads(text)
        if record.get("schema") != _SCHEMA:
            raise ValueError(f"a calibration record of schema {record.get('schema')!r}; {_SCHEMA} is wanted")
        fusion = record["fusion"]
        if unknown := fusion.keys() - _FUSION_FIELDS:
            raise ValueError(f"calibration of {record['embedder']}: unknown fusion figure {sorted(unknown)[0]}")
        return cls(
            embedder=record["embedder"],
            dimensions=record["dimensions"],
            fusion=Fusion(**fusion),
            scale=_scale(record["scale"]),
            prototype=None if record["prototype"] is None else _scale(record["prototype"]),
            dialogue=_dialogue(record["embedder"], record.get("dialogue", {})),
        )

    def is_of(self, embedder_id: str) -> bool:
        """Say whether the record was measured on just this embedder and version."""
        return self.embedder == embedder_id


def _scale(record: Mapping[str, float]) -> Scale:
    return Scale(record["zero"], record["one"])


def _dialogue(embedder: str, record: Mapping[str, Any]) -> Dialogue:
    """Read the recipe for dialogue; a record without one has the figures of the study."""
    if unknown := record.keys() - _DIALOGUE_FIELDS:
        raise ValueError(f"calibration of {embedder}: unknown figure of dialogue {sorted(unknown)[0]}")
    read: dict[str, Any] = dict(record)
    for name in ("lexical", "mixed"):
        if name in read:
            read[name] = Shares(**read[name])
    if "scale" in read:
        read["scale"] = _scale(read["scale"])
    if "support" in read:
        read["support"] = SupportWeights(**read["support"])
    return Dialogue(**read)
