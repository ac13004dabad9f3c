"""What a check of a machine and a store answers: one finding after the other, and what to do about it."""

from __future__ import annotations

from typing import Literal

from stemma.app.models_base import AnswerModel

Verdict = Literal["ok", "warn", "fail"]


class Finding(AnswerModel):
    """One thing that was looked at; `advice` says what to do where it is not `ok`."""

    name: str
    verdict: Verdict
    detail: str
    advice: str | None = None


class Examination(AnswerModel):
    """All findings in order, and the worst of their verdicts. `reached` is false where the store was not."""

    verdict: Verdict
    reached: bool
    findings: tuple[Finding, ...]


def ok(name: str, detail: str) -> Finding:
    """Say that a thing is as it should be."""
    return Finding(name=name, verdict="ok", detail=detail)


def warn(name: str, detail: str, advice: str) -> Finding:
    """Say what is not as it should be, and that all works so far."""
    return Finding(name=name, verdict="warn", detail=detail, advice=advice)


def fail(name: str, detail: str, advice: str) -> Finding:
    """Say what does not work."""
    return Finding(name=name, verdict="fail", detail=detail, advice=advice)
