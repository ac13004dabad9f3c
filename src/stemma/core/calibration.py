"""What was measured of one embedder: how its leg is fused, and what its scores mean. Figures only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from stemma.core.fuse import Fusion
from stemma.core.score import Scale

_SCHEMA = "calibration/1"
_FUSION_FIELDS = frozenset(field.name for field in fields(Fusion))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The record of one embedder, or of the lexical leg alone (`embedder` "none", no `prototype`).

    `scale` turns a fused score into the similarity of R-40, `prototype` a cosine of two passages into that of R-32.
    """

    embedder: str
    dimensions: int
    fusion: Fusion
    scale: Scale
    prototype: Scale | None

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
        )

    def is_of(self, embedder_id: str) -> bool:
        """Say whether the record was measured on just this embedder and version."""
        return self.embedder == embedder_id


def _scale(record: Mapping[str, float]) -> Scale:
    return Scale(record["zero"], record["one"])
