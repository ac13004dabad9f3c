"""An explicit remember: exactly one memory of the whole text, its slot, kind, window and polarity read as in ingest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stemma.core.analyse import language_of
from stemma.core.candidates import SUSPECT, Source, candidate_of
from stemma.core.choices import with_choices
from stemma.core.claims import OWN
from stemma.core.clauses import Clause, clauses_of
from stemma.core.comparing import filled, over, plainer, standing, undeclared
from stemma.core.cutting import tokens_of
from stemma.core.declare import Declaration, declare
from stemma.core.framing import frame_of, plain_frame
from stemma.core.fronted import fronts_behind
from stemma.core.gate import Reason, gate_of, is_suspect, sentence_gate
from stemma.core.language_table import Language
from stemma.core.reading import Reading, expand, read
from stemma.core.registry import REMEMBER_KIND, SLOT_PREFIX
from stemma.core.rewording import reworded
from stemma.core.roles import is_of_role
from stemma.core.rules import Rules
from stemma.core.sentences import sentences_of
from stemma.core.tokens import Token, TokenKind, tokenise
from stemma.core.values import WEEKDAY, read_values
from stemma.records import Act, Candidate, Content, Frame, GateRecord, Polarity, Registry
from stemma.text import hash_parts

# A text of more words and signs is remembered as a whole; its clauses are not looked for.
_MOST_TOKENS = 2000
JOB = "job"
# Within so many words the copula of a short statement stands.
_MOST_SUBJECT = 5


def remembered(content: Content, rules: Rules, registry: Registry) -> tuple[Candidate | None, GateRecord]:
    """Make the one memory that was asked for; the gates of declarations do not apply, the check for injections does.

    A text with one declaring clause has that clause's slot or frame; any other is remembered as it stands.
    """
    message = None if content.text is not None else 0
    text = content.text if content.text is not None else "\n".join(each.content for each in content.messages)
    start = len(text) - len(text.lstrip())
    shown = text.strip()
    if not shown:
        return None, GateRecord("form", False, Reason.NO_DECLARATION_FORM.value, 0, len(text))
    source = Source(text, message, OWN)
    found = _read(source, rules)
    kind = found.kind
    if content.remember is not None and content.remember.kind is not None:
        kind = content.remember.kind
    elif kind not in registry.kinds:
        kind = REMEMBER_KIND
    candidate = replace(
        found,
        kind=kind,
        shown=found.shown or shown,
        text=shown,
        start=start,
        end=start + len(shown),
        importance=content.remember.importance if content.remember else None,
    )
    record = GateRecord(
        gate_of(Reason.ACCEPTED),
        True,
        Reason.ACCEPTED.value,
        candidate.start,
        candidate.end,
        message=message,
        kind=kind,
    )
    return candidate, record


def _read(source: Source, rules: Rules) -> Candidate:
    tokens = tokenise(source.text)
    words = [token for token in tokens if token.kind is TokenKind.WORD]
    is_injection = is_suspect(words, rules.suspect)
    if len(tokens) > _MOST_TOKENS:
        return _as_a_whole(source, tokens, is_injection)
    language = rules.spoken(tokens, source.text)
    if language is None:
        return _as_it_stands(source, (), rules.default, language_of(source.text), is_injection)
    clauses: list[Clause] = []
    found: list[Candidate] = []
    sentences = tuple(sentences_of(tokens_of(source.text, language), source.text))
    for sentence in sentences:
        expanded = plainer(reworded(plainer(expand(sentence.tokens, language), language), language), language)
        if len(sentences) == 1:
            expanded = standing(expanded, language)
        typed = read_values(expanded, language)
        whole = sentence.with_tokens(fronts_behind(typed, language) if len(sentences) == 1 else typed)
        parts = clauses_of(whole, language)
        clauses.extend(parts)
        if sentence_gate(whole, whole.tokens, language) is None:
            # A question may be remembered, but it fills no slot.
            found.extend(each for part in parts if (each := _best(part, source, language)) is not None)
    if len(found) == 1:
        return replace(found[0], suspect=SUSPECT) if is_injection else found[0]
    if len(clauses) == 1:
        led = _with_article(clauses[0], source, language)
        return led if led is not None else _alone(clauses[0], source, language, is_injection)
    every = tuple(token for clause in clauses for token in clause.tokens)
    return _as_it_stands(source, every, language, language.code, is_injection)


def _declared(clause: Clause, source: Source, language: Language) -> Candidate | None:
    reading = read(clause.tokens, language, clause.subject)
    role = filled(clause.tokens, reading, language)
    found = role or declare(reading, language, is_remembered=True)
    if isinstance(found, str) or reading.window.flag is not None:
        return None
    if role is None and (_is_no_name(found, language) or _is_chosen(found, language)):
        return None
    is_claim = found.claim_key is not None and not found.claim_key.startswith(SLOT_PREFIX)
    if is_claim and any(token.text in language.comparing.not_values for token in found.value):
        # "姉は札幌に住んでいます": somebody else lives there.
        return None
    if found.claim_key == JOB and (_is_beside(reading.says, language) or _names_more(found, reading)):
        # A nurse here is no nurse there: role and place are told together.
        return None
    return candidate_of(over(found, reading, language), reading, language, source)


def _is_no_name(found: Declaration, language: Language) -> bool:
    """Say whether a slot gives a role what is no name: "mein Trainer ist Weltmeister"."""
    is_slot = found.claim_key is not None and found.claim_key.startswith(SLOT_PREFIX)
    has_value = any(token.kind is not TokenKind.WORD for token in found.value)
    return is_slot and not has_value and is_of_role((found.claim_key or "").removeprefix(SLOT_PREFIX), language)


def _is_chosen(found: Declaration, language: Language) -> bool:
    """Say whether a statement tells a closed choice: "is green" passes no more than "is white" does."""
    return found.name == "statement" and with_choices(found.frame, language) is not found.frame


def _names_more(found: Declaration, reading: Reading) -> bool:
    """Say whether a name stands behind the value: "a nurse at Hill Clinic"."""
    end = found.value[-1].end if found.value else 0
    behind = [token for token in reading.tokens if token.start >= end]
    return any(token.is_capitalised or token.kind is TokenKind.NAME for token in behind)


def _is_beside(says: Sequence[Token], language: Language) -> bool:
    """Say whether a job is told of as one beside another: "at weekends", "on Mondays", "as a volunteer"."""
    beside = language.comparing.beside | language.numerals.weekday_plurals
    return any(token.text in beside or token.type == WEEKDAY for token in says)


def _best(clause: Clause, source: Source, language: Language) -> Candidate | None:
    """Read a clause as it stands; where it says a slot but for its article ("sprint length is …"), as that slot."""
    found = _declared(clause, source, language)
    if found is None or found.claim_key is not None or found.frame is None or clause.subject:
        return found
    led = _with_article(clause, source, language, names=("slot",))
    return led if led is not None else found


def _with_article(
    clause: Clause, source: Source, language: Language, names: tuple[str, ...] = ("statement",)
) -> Candidate | None:
    """Read a clause whose subject lacks its article ("spare key is in shed 3") as if it had one."""
    first = clause.tokens[0]
    article = language.comparing.colon[0] if language.comparing.colon else ""
    words = language.words
    closed = language.closed | words["adverbs"] | words["openers"] | words["negation"]
    has_copula = any(token.text in words["copula"] for token in clause.tokens[1:_MOST_SUBJECT])
    is_verb = first.text in language.third or first.text in language.verbs
    is_noun = first.kind is TokenKind.WORD and first.text not in closed and (has_copula or not is_verb)
    if not article or not is_noun or clause.subject:
        return None
    led = first._replace(text=article, raw=article, end=first.start)
    reading = read((led, *clause.tokens), language)
    found = declare(reading, language, is_remembered=True)
    if isinstance(found, str) or found.name not in names or reading.window.flag is not None:
        return None
    return candidate_of(over(found, reading, language), reading, language, source)


def _alone(clause: Clause, source: Source, language: Language, is_injection: bool) -> Candidate:
    """Remember one clause that has no form: its own words, window and polarity, as a note."""
    reading = read(clause.tokens, language, clause.subject)
    window = reading.window if reading.window.flag is None else None
    found = undeclared(reading, clause.tokens, language)
    candidate = candidate_of(found, reading, language, source)
    if window is None:
        candidate = replace(candidate, valid_from=None, valid_to=None)
    return replace(candidate, suspect=SUSPECT) if is_injection else candidate


def _as_a_whole(source: Source, tokens: list[Token], is_injection: bool) -> Candidate:
    """Remember a text of the length of a document: one digest of its folded words stands for its frame."""
    frame = Frame((hash_parts(*(token.text for token in tokens)),), (), ())
    return _note(source, frame, "", is_injection)


def _as_it_stands(
    source: Source, tokens: tuple[Token, ...], language: Language, code: str, is_injection: bool
) -> Candidate:
    if tokens:
        frame, value, flips = frame_of(
            [token for token in tokens if token.kind is not TokenKind.SIGN], language, is_ordered=True, has_parts=True
        )
    else:
        frame, value, flips = plain_frame(source.text, code), "", False
    candidate = _note(source, frame, value, is_injection)
    return replace(candidate, polarity=Polarity.NEGATED) if flips else candidate


def _note(source: Source, frame: Frame, value: str, is_injection: bool) -> Candidate:
    return Candidate(
        place=0,
        act=Act.SAY,
        voice=OWN,
        kind=REMEMBER_KIND,
        value=value,
        shown=source.text.strip(),
        text=source.text,
        start=0,
        end=len(source.text),
        frame=frame,
        message=source.message,
        suspect=SUSPECT if is_injection else None,
    )
