"""One text by one voice, clause by clause: gates, then declaration, then candidate, each leaving its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stemma.core import retelling
from stemma.core.candidates import Source, candidate_of, repaired
from stemma.core.claims import OWN
from stemma.core.clauses import Clause, clauses_of
from stemma.core.declare import Declaration, declare
from stemma.core.gate import THRESHOLD, Reason, Similarity, gate_of, is_suspect, sentence_gate
from stemma.core.language_table import Language
from stemma.core.reading import Reading, expand, read
from stemma.core.regions import cut
from stemma.core.rules import Rules
from stemma.core.sentences import Sentence, phrase_at, sentences_of
from stemma.core.tokens import Token, TokenKind, tokenise
from stemma.core.values import read_values
from stemma.records import Act, Candidate, GateRecord

SUSPECT = "instruction_like"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, whose it is (`own_voice` is that of its "I"), and what it is read by."""

    source: Source
    own_voice: str
    rules: Rules
    similarity: Similarity | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One judged clause: its record, and its candidate if it passed."""

    candidate: Candidate | None
    record: GateRecord


def steps_of(passage: Passage) -> Iterator[Step]:
    """Judge every clause of a text in order; what was cut out beforehand comes first."""
    text = passage.source.text
    prose, cuts = cut(text)
    for each in cuts:
        yield _refused(passage, Reason(each.reason), each.start, each.end)
    tokens = tokenise(prose)
    suspect = _suspect(tokens, passage.rules)
    around: Language | None = None
    told_until = -1
    fiction_until = -1
    for sentence in sentences_of(tokens, prose):
        language = passage.rules.language(sentence.tokens, prose[sentence.start : sentence.end], around)
        if language is None:
            yield _refused(passage, Reason.NO_PATTERNS, sentence.start, sentence.end)
            continue
        around = around or language
        whole = sentence.with_tokens(read_values(expand(sentence.tokens, language), language))
        reason = sentence_gate(whole, whole.tokens, language)
        if reason is Reason.FICTION:
            fiction_until = sentence.paragraph
        elif sentence.paragraph <= fiction_until:
            reason = Reason.FICTION
        if reason is Reason.THIRD_PARTY and prose[sentence.end : sentence.end + 2].lstrip().startswith(":"):
            told_until = sentence.paragraph
        elif reason is None and sentence.paragraph <= told_until:
            reason = Reason.THIRD_PARTY
        if reason is not None:
            yield _refused(passage, reason, sentence.start, sentence.end)
            continue
        for step in _taken_back_first(list(_clauses(whole, language, passage)), whole, language):
            yield step if suspect is None else _marked(step, suspect)


def _taken_back_first(steps: list[Step], sentence: Sentence, language: Language) -> list[Step]:
    """Let "Correction: the bees are hers, not mine" take back what was said before it, and not its own statement."""
    if not any(retelling.is_correction(clause.tokens, language) for clause in clauses_of(sentence, language)):
        return steps
    return sorted(steps, key=lambda step: step.candidate is None or step.candidate.act is not Act.WRONG_LAST)


def _suspect(tokens: Sequence[Token], rules: Rules) -> str | None:
    """Say for a whole text whether it speaks to the model: what stands around an injection is not to be trusted."""
    words = [token for token in tokens if token.kind is TokenKind.WORD]
    return SUSPECT if is_suspect(words, rules.suspect) else None


def _marked(step: Step, suspect: str) -> Step:
    return step if step.candidate is None else replace(step, candidate=replace(step.candidate, suspect=suspect))


def _clauses(sentence: Sentence, language: Language, passage: Passage) -> Iterator[Step]:
    """Judge the clauses of one sentence; corrections look at the clause before."""
    last: Candidate | None = None
    before: Clause | None = None
    is_correction = False
    for clause in clauses_of(sentence, language):
        span = clause.tokens[0].start, clause.tokens[-1].end
        if retelling.is_correction(clause.tokens, language):
            is_correction = True
            yield _refused(passage, Reason.NO_DECLARATION_FORM, *span)
            continue
        wrong = retelling.wrong_of(clause.tokens, before.tokens if before else (), is_correction, language)
        if wrong is not None:
            yield _wrong(wrong, clause, language, passage)
        elif retelling.is_retold(clause.tokens, language):
            yield _refused(passage, Reason.RETOLD, *span)
        elif clause.contrasts:
            yield _refused(passage, Reason.NEGATION_UNCLEAR, *span)
        elif clause.after_colon and before is not None and _is_label_of_another(before, clause, language):
            yield _refused(passage, Reason.THIRD_PARTY, *span)
        else:
            step = _declared(clause, last, language, passage)
            last = step.candidate or last
            yield step
        before = clause


def _declared(clause: Clause, last: Candidate | None, language: Language, passage: Passage) -> Step:
    span = clause.tokens[0].start, clause.tokens[-1].end
    if clause.repairs and last is not None:
        again = repaired(last, clause.tokens, language, passage.source)
        if again is not None:
            return _accepted(again, passage)
    reading = read(clause.tokens, language, clause.subject)
    found = declare(reading, language)
    if isinstance(found, str):
        return _refused(passage, Reason(found), *span)
    if reading.window.flag is not None:
        return _refused(passage, Reason(reading.window.flag), *span, kind=found.kind)
    if not found.keyword:
        return _built(found, reading, clause, language, passage)
    return _by_similarity(found, reading, clause, language, passage)


def _by_similarity(found: Declaration, reading: Reading, clause: Clause, language: Language, passage: Passage) -> Step:
    """Let an ambiguous word count only near enough to its kind; where that cannot be measured, let it and say so."""
    span = clause.tokens[0].start, clause.tokens[-1].end
    threshold = passage.thresholds.get(found.kind, THRESHOLD)
    if passage.similarity is None or not passage.rules.prototypes(found.kind):
        skipped = Reason.NO_EMBEDDER if passage.similarity is None else Reason.NO_PROTOTYPES
        step = _built(found, reading, clause, language, passage)
        record = replace(step.record, gate=gate_of(skipped), reason=skipped.value, threshold=threshold)
        return replace(step, record=record)
    score = round(passage.similarity(passage.source.text[span[0] : span[1]], found.kind), 3)
    if score < threshold:
        step = _refused(passage, Reason.LOW_SIMILARITY, *span, kind=found.kind)
    else:
        step = _built(found, reading, clause, language, passage)
    return replace(step, record=replace(step.record, score=score, threshold=threshold))


def _built(found: Declaration, reading: Reading, clause: Clause, language: Language, passage: Passage) -> Step:
    is_own = reading.person is not None or any(token.text in language.words["my"] for token in reading.tokens[:1])
    voice = passage.own_voice if is_own and not _is_user(reading, language) else passage.source.voice
    source = replace(passage.source, voice=voice)
    return _accepted(candidate_of(found, reading, language, source, clause.subject), passage)


def _is_user(reading: Reading, language: Language) -> bool:
    words = [token for token in reading.says if token.kind is TokenKind.WORD]
    return any(phrase_at(words, at, language.phrases["user"]) for at in range(min(len(words), 4)))


def _wrong(wrong: retelling.Wrong, clause: Clause, language: Language, passage: Passage) -> Step:
    """Build the retraction of what a clause calls wrong: a named statement, or the last one said."""
    span = clause.tokens[0].start, clause.tokens[-1].end
    text = passage.source.text[span[0] : span[1]]
    if wrong.retold:
        reading = read(wrong.retold, language)
        found = declare(reading, language)
        if isinstance(found, str):
            return _refused(passage, Reason(found), *span)
        named = candidate_of(found, reading, language, replace(passage.source, voice=passage.own_voice))
        return _accepted(
            replace(named, act=Act.WRONG, text=text, start=span[0], end=span[1], holds_when_said=True), passage
        )
    candidate = Candidate(
        place=0,
        act=Act.WRONG_LAST,
        voice=passage.own_voice,
        kind="fact",
        value=wrong.value,
        shown=wrong.value or text,
        text=text,
        start=span[0],
        end=span[1],
        message=passage.source.message,
    )
    return _accepted(candidate, passage)


def _is_label_of_another(before: Clause, clause: Clause, language: Language) -> bool:
    """Say whether "Bob: I live in Tokyo" is a line of a transcript: a name, a colon, and an own subject.

    What is announced as an example or a text ("the sentence is: …") is as little said by the one who quotes it.
    """
    label = before.tokens
    words = language.words
    if label[-1].text in words["quoting_labels"] or label[-1].text in words["copula"]:
        return True
    is_name = len(label) <= 3 and all(token.is_capitalised for token in label)
    own = words["me"] | words["we"] | words["my"]
    is_own = clause.tokens[0].text in own or clause.tokens[0].text in language.own_verbs
    return is_name and is_own and not any(token.text in words["labelled"] for token in label)


def _accepted(candidate: Candidate, passage: Passage) -> Step:
    record = GateRecord(
        gate_of(Reason.ACCEPTED),
        True,
        Reason.ACCEPTED.value,
        candidate.start,
        candidate.end,
        message=passage.source.message,
        kind=candidate.kind,
    )
    return Step(candidate, record)


def _refused(passage: Passage, reason: Reason, start: int, end: int, kind: str | None = None) -> Step:
    return Step(
        None, GateRecord(gate_of(reason), False, reason.value, start, end, message=passage.source.message, kind=kind)
    )


__all__ = ["OWN", "Passage", "Step", "steps_of"]
