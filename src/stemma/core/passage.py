"""One text by one voice, clause by clause: gates, then declaration, then candidate, each leaving its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stemma.core import joking, retelling
from stemma.core.asides import anew, parted
from stemma.core.asserted import judge
from stemma.core.candidates import Source, candidate_of, repaired
from stemma.core.claims import OWN
from stemma.core.clauses import Clause
from stemma.core.cutting import tokens_of
from stemma.core.declaration import Declaration
from stemma.core.declare import declare
from stemma.core.gate import MOST_WORDS, THRESHOLD, Reason, Similarity, gate_of, is_suspect
from stemma.core.inserts import dated_event, inserted, is_note, kin_of, spoken_of, without_apposition
from stemma.core.language_table import Language
from stemma.core.own_world import OF_OUR_WORLD
from stemma.core.reading import Reading, expand, read
from stemma.core.regions import cut
from stemma.core.registry import REMEMBER_KIND, SLOT_PREFIX
from stemma.core.rules import Rules
from stemma.core.sentences import Sentence, holds_phrase, phrase_at, sentences_of
from stemma.core.surroundings import Surroundings, is_puzzle
from stemma.core.tokens import Token, TokenKind, tokenise
from stemma.core.values import read_values
from stemma.records import Act, Candidate, GateRecord

SUSPECT = "instruction_like"
_QUOTES = '"“”«»„'
# "Please remember that" stands within so many words of the front of a clause, and so many more make a note.
_MOST_OPENING = 4
_FEWEST_NOTED = 3
# Values of several words become one; no sentence within the gate's limit has so many tokens before, or so many signs.
_MOST_RAW = 5 * MOST_WORDS
_MOST_SIGNS = 4000


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, whose it is (`own_voice` is that of its "I"), and what it is read by."""

    source: Source
    own_voice: str
    rules: Rules
    similarity: Similarity | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence and those beside it."""

    sentence: Sentence
    before: Sentence | None
    after: Sentence | None


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
    surroundings = Surroundings(prose, passage.rules)
    sentences = list(sentences_of(tokens, prose))
    for at, sentence in enumerate(sentences):
        if len(sentence.tokens) > _MOST_RAW or sentence.end - sentence.start > _MOST_SIGNS:
            # Not read at all: what is read of a run without end costs more than it could ever say.
            yield _refused(passage, Reason.TOO_LONG, sentence.start, sentence.end)
            continue
        language = passage.rules.language(sentence.tokens, prose[sentence.start : sentence.end], around)
        if language is None:
            yield _refused(passage, Reason.NO_PATTERNS, sentence.start, sentence.end)
            continue
        around = around or language
        if language.comparing.is_unspaced:
            sentence = sentence.with_tokens(_cut_again(sentence, prose, language))
        whole = sentence.with_tokens(read_values(expand(sentence.tokens, language), language))
        whole = surroundings.resolved(whole, language)
        near = Near(whole, sentences[at - 1] if at else None, sentences[at + 1] if at + 1 < len(sentences) else None)
        parts = [without_apposition(part, language) for part in parted(whole, language)]
        for part in (*parts, *inserted(whole, language)):
            for step in _sentence(part, near, language, surroundings, passage):
                yield step if suspect is None else _marked(step, suspect, language, passage)


def _sentence(
    sentence: Sentence, near: Near, language: Language, surroundings: Surroundings, passage: Passage
) -> Iterator[Step]:
    """Judge one sentence: as a whole, then what of it is asserted, clause by clause."""
    judged = judge(sentence, language)
    if is_puzzle(sentence, near.after, language):
        yield _refused(passage, Reason.HYPOTHETICAL, sentence.start, sentence.end)
        return
    reason = surroundings.reason_for(sentence, judged.reason, language)
    if reason is not None and (reason is not judged.reason or not judged.clauses):
        yield _refused(passage, reason, sentence.start, sentence.end)
        return
    steps = list(_clauses(judged.clauses, near, language, passage))
    yield from _taken_back_first(steps, judged.clauses, language)
    if judged.reason is not None and judged.rest is not None:
        yield _refused(passage, judged.reason, *judged.rest)


def _cut_again(sentence: Sentence, prose: str, language: Language) -> list[Token]:
    """Cut a sentence of a language that writes no blanks by the words that its file lists."""
    cut_anew = tokens_of(prose[sentence.start : sentence.end], language)
    return [token._replace(start=token.start + sentence.start, end=token.end + sentence.start) for token in cut_anew]


def _taken_back_first(steps: list[Step], clauses: Sequence[Clause], language: Language) -> list[Step]:
    """Let "Correction: the bees are hers, not mine" take back what was said before it, and not its own statement."""
    if not any(retelling.is_correction(clause.tokens, language) for clause in clauses):
        return steps
    return sorted(steps, key=lambda step: step.candidate is None or step.candidate.act is not Act.WRONG_LAST)


def _suspect(tokens: Sequence[Token], rules: Rules) -> str | None:
    """Say for a whole text whether it speaks to the model: what stands around an injection is not to be trusted."""
    words = [token for token in tokens if token.kind is TokenKind.WORD]
    return SUSPECT if is_suspect(words, rules.suspect) else None


def _marked(step: Step, suspect: str, language: Language, passage: Passage) -> Step:
    """Mark what stands around an injection; what it wants kept of "the user" is the injection itself."""
    found = step.candidate
    if found is None:
        return step
    words = tokenise(found.text)
    if holds_phrase(words, language.phrases["user"]):
        return _refused(passage, Reason.QUOTED, found.start, found.end, kind=found.kind)
    return replace(step, candidate=replace(found, suspect=suspect))


def _clauses(clauses: Sequence[Clause], near: Near, language: Language, passage: Passage) -> Iterator[Step]:
    """Judge the clauses of one sentence; corrections look at the clause before."""
    last: Candidate | None = None
    before: Clause | None = None
    is_correction = False
    kin: tuple[Token, ...] = ()
    for clause in clauses:
        clause = spoken_of(clause, kin, language)
        kin = kin_of(clause.tokens, language) or kin
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
            is_noted = clause.after_colon and is_note(before, near.sentence, language)
            clause = dated_event(before, anew(before, clause, language), language)
            step = _unless_jest(_declared(clause, last, language, passage, is_noted), clause, near, language, passage)
            last = step.candidate or last
            yield step
        before = clause


def _unless_jest(step: Step, clause: Clause, near: Near, language: Language, passage: Passage) -> Step:
    """Refuse what is said with a laugh or in irony; who they are and what harms them people say laughing too."""
    found = step.candidate
    if found is None or found.act is not Act.SAY:
        return step
    is_plain = found.kind == "health" or (found.claim_key is not None and not found.claim_key.startswith(SLOT_PREFIX))
    laughs = not is_plain and joking.laughs(clause.tokens, passage.source.text)
    laughs = laughs or (not is_plain and joking.is_pun(near.sentence, near.after, passage.source.text, language))
    if laughs or joking.is_irony(clause.tokens, near.sentence, near.before, near.after, language):
        return _refused(passage, Reason.JOKE, found.start, found.end, kind=found.kind)
    return step


def _declared(
    clause: Clause, last: Candidate | None, language: Language, passage: Passage, is_noted: bool = False
) -> Step:
    span = clause.tokens[0].start, clause.tokens[-1].end
    if clause.repairs and last is not None:
        again = repaired(last, clause.tokens, language, passage.source)
        if again is not None:
            return _accepted(again, passage)
    reading = read(clause.tokens, language, clause.subject)
    found = declare(reading, language)
    if isinstance(found, str):
        if not is_noted and not _is_to_remember(clause, reading, language):
            return _refused(passage, Reason(found), *span)
        found = Declaration("note", REMEMBER_KIND, reading.act, (), frame=reading.tokens)
    if found.name in OF_OUR_WORLD and holds_phrase(clause.tokens, language.phrases["moment"]):
        return _refused(passage, Reason.NOT_DURABLE, *span, kind=found.kind)
    if _quotes(reading, language):
        return _refused(passage, Reason.QUOTED, *span, kind=found.kind)
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


def _is_to_remember(clause: Clause, reading: Reading, language: Language) -> bool:
    """Say whether a clause asks outright to be kept: "remember that …", "note that …"."""
    phrases = language.phrases["remembering"]
    places = range(min(len(clause.tokens), _MOST_OPENING))
    asks = any(phrase_at(clause.tokens, at, phrases) for at in places)
    return asks and len(reading.tokens) >= _FEWEST_NOTED


def _quotes(reading: Reading, language: Language) -> bool:
    """Say whether a clause speaks of sentences: a quotation in it says "I" or "my" itself."""
    words = language.words
    own = words["me"] | words["we"] | words["my"]
    for token in reading.tokens:
        if token.kind is TokenKind.NAME and token.raw[:1] in _QUOTES:
            inside = token.text.strip(_QUOTES).replace("'", " ").split()
            if len(inside) > 1 and any(word in own for word in inside):
                return True
    return False


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
    last = label[-1].text
    is_copied = any(token.text in words["copying"] for token in label)
    if is_copied or last in words["quoting_labels"] or last in words["copula"]:
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
