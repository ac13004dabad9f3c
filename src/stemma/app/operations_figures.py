"""The rows of the operation table for figures over time."""

from __future__ import annotations

from typing import Final

from stemma.app import figures, models_figures
from stemma.app.operation import Command, Operation, Scope

FIGURES: Final[tuple[Operation, ...]] = (
    Operation(
        name="figures",
        method="GET",
        path="/v1/figures",
        request=models_figures.FiguresRequest,
        answer=models_figures.Figures,
        function=figures.figures,
        scope=Scope.READ,
        example={"subject_id": "ana", "days": 7},
        command=Command("figures", (), "stemma figures --subject ana --days 7"),
    ),
)
