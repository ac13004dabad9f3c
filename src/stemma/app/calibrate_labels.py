"""Labelled texts as the gates see them: what each meets, what the gates say of it, and how near it is to its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from stemma.app.models_base import ItemError
from stemma.app.models_calibrate import BadLine, LabelledLine
from stemma.app.problems import ask
from stemma.app.runtime import Runtime, require_kinds
from stemma.app.similarity import Prototypes
from stemma.core.analyse import language_of
from stemma.core.extract import Extractor, extract
from stemma.core.gate import Reason
from stemma.core.keywords import Condition, condition_of, words_of
from stemma.core.rules import Rules
from stemma.core.tokens import tokenise
from stemma.errors import InvalidInput
from stemma.records import Content

TEXTS_AT_ONCE = 64
Advance = Callable[[int, int], None]


@dataclass(slots=True)
class Judged:
    """One labelled text. `spans` are its clauses as the gates cut them, `doubtful` those that pass on similarity alone.

    `is_plain` says that some clause passes without it, `score` is the nearest clause's similarity to the kind.
    """

    line: LabelledLine
    kind: str
    language: str
    words: frozenset[str]
    spans: tuple[str, ...]
    doubtful: tuple[str, ...]
    is_plain: bool
    score: float = 0.0
    doubtful_score: float = 0.0

    @property
    def label(self) -> bool:
        """Say what the person said; a text without a label is never judged."""
        return bool(self.line.label)

    @property
    def has_form(self) -> bool:
        """Say whether some clause declares the kind, similarity apart."""
        return self.is_plain or bool(self.doubtful)


@dataclass(slots=True)
class Labels:
    """A labelled file as read: what can be judged, and what cannot and why."""

    lines: int = 0
    unlabelled: int = 0
    rejected: list[BadLine] = field(default_factory=list)
    read: list[tuple[LabelledLine, str]] = field(default_factory=list)

    def contradicted(self) -> int:
        """Count the texts that are labelled both ways for one kind."""
        said: dict[tuple[str, str], set[bool]] = {}
        for line, kind in self.read:
            said.setdefault((kind, line.text.strip()), set()).add(bool(line.label))
        return sum(len(each) > 1 for each in said.values())


def read_labels(runtime: Runtime, lines: Iterable[Mapping[str, Any] | ItemError], kind: str | None) -> Labels:
    """Check every line; a bad one is named and stops nothing."""
    found = Labels()
    for number, fields in enumerate(lines, start=1):
        found.lines += 1
        if isinstance(fields, ItemError):
            found.rejected.append(BadLine(line=number, code=fields.code, detail=fields.detail))
            continue
        try:
            line = ask(LabelledLine, fields)
            about = line.kind or kind
            if about is None:
                raise InvalidInput("the line names no kind; give it one, or name the kind of all such lines")
            require_kinds(runtime, [about])
        except InvalidInput as error:
            found.rejected.append(BadLine(line=number, code=error.code, detail=error.detail))
            continue
        if line.label is None:
            found.unlabelled += 1
        else:
            found.read.append((line, about))
    return found


def judge(runtime: Runtime, extractor: Extractor, labels: Labels, advance: Advance | None) -> list[Judged]:
    """Run the gates over every labelled text, and measure its clauses against the kind's prototypes."""
    # Similarity is measured below, in batches, for every clause and not only for those that ask for it.
    without = replace(extractor, similarity=None)
    judged = [_judged(line, kind, without) for line, kind in labels.read]
    if runtime.prototypes is not None:
        _measure(judged, runtime.prototypes, advance)
    return judged


def conditions_of(rules: Rules, judged: Iterable[Judged]) -> dict[tuple[str, str], Condition | None]:
    """Give the keyword condition of every kind and language that the labels are about."""
    named = sorted({(each.kind, each.language) for each in judged})
    return {
        (kind, code): condition_of(kind, rules.languages[code]) if code in rules.languages else None
        for kind, code in named
    }


def _judged(line: LabelledLine, kind: str, extractor: Extractor) -> Judged:
    records = extract(Content(text=line.text), extractor=extractor).gates
    passed = [each for each in records if each.passed and each.kind == kind]
    spans = dict.fromkeys(line.text[each.start : each.end].strip() for each in records)
    doubtful = [each for each in passed if each.reason == Reason.NO_EMBEDDER and extractor.rules.prototypes(kind)]
    return Judged(
        line=line,
        kind=kind,
        language=line.language or _language(line.text, extractor.rules),
        words=words_of(line.text, extractor.rules),
        spans=tuple(each for each in spans if each) or (line.text,),
        doubtful=tuple(line.text[each.start : each.end].strip() for each in doubtful),
        is_plain=len(doubtful) < len(passed),
    )


def _language(text: str, rules: Rules) -> str:
    found = rules.language(tokenise(text), text)
    return found.code if found is not None else language_of(text)


def _measure(judged: list[Judged], prototypes: Prototypes, advance: Advance | None) -> None:
    wanted = list(dict.fromkeys((each.kind, text) for each in judged for text in (*each.spans, *each.doubtful)))
    near: dict[tuple[str, str], float] = {}
    for kind in sorted({kind for kind, _ in wanted}):
        texts = [text for about, text in wanted if about == kind]
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = texts[start : start + TEXTS_AT_ONCE]
            scores = prototypes.similarities(part, kind)
            near |= {(kind, text): score for text, score in zip(part, scores, strict=True)}
            if advance is not None:
                advance(len(near), len(wanted))
    for each in judged:
        each.score = max(near[each.kind, text] for text in each.spans)
        each.doubtful_score = max((near[each.kind, text] for text in each.doubtful), default=0.0)
