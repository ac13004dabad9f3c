"""Small probes and bundles of the golden set, built by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stemma.core.golden.judged import Answer, Judged, judge
from stemma.core.golden.probe import Anchor, Delivered, Evidence, Forbidden, Probe, ProbeClass, Saying


def item(
    key: str, *, kind: str = "fact", section: str = "memories", rule: str | None = None, **more: bool
) -> Delivered:
    """An item whose id, text and only saying are named by one key."""
    return Delivered(f"m-{key}", section, f"text of {key}", (Saying(key),), kind=kind, rule=rule, **more)


def probe(
    name: str,
    *,
    anchors: Sequence[str] = (),
    relevant: Sequence[str] = (),
    forbid: Sequence[str] = (),
    never: Sequence[str] = (),
    **more: object,
) -> Probe:
    """A probe whose evidence is named by keys; `forbid` may not come first, `never` not at all."""
    fields: dict[str, object] = {"type": ProbeClass.ANCHOR, "subject_id": "ana", "query": f"about {name}?"} | more
    return Probe(
        id=name,
        anchors=tuple(Anchor((Evidence(key),), max_rank=2, must_survive=True) for key in anchors),
        relevant=tuple(map(Evidence, relevant)),
        forbidden=tuple(
            [Forbidden(Evidence(key)) for key in forbid] + [Forbidden(Evidence(key), at_all=True) for key in never]
        ),
        **fields,  # type: ignore[arg-type]
    )


def came(
    asked: Probe,
    lines: Iterable[Delivered | str],
    *,
    verdict: str = "grounded",
    coverage: float = 1.0,
    tokens: int = 100,
    earlier: Iterable[str] = (),
) -> Judged:
    """What came for a probe, judged."""
    delivered = tuple(item(each) if isinstance(each, str) else each for each in lines)
    return judge(asked, Answer(verdict, coverage, tokens, delivered, frozenset(earlier)))
