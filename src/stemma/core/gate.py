"""Why a clause may or may not declare anything (SPEC R-32, R-33a): closed reasons, and the gates of whole sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from stemma.core.fronts import without_openers
from stemma.core.language_table import Language
from stemma.core.sections import Phrase
from stemma.core.sentences import Sentence, phrase_at, stands_at
from stemma.core.tokens import Token, TokenKind

# Similarity of a text to the prototypes of a kind: 0 is the median of unrelated pairs, 1 identical, per embedder.
Similarity = Callable[[str, str], float]
THRESHOLD = 0.5
MOST_CANDIDATES = 200
# After so many judged clauses the rest of an episode is one record: a text of nothing but questions has 100,000.
MOST_RECORDS = 2000
MOST_WORDS = 80


class Reason(StrEnum):
    """The closed list of what a gate record can say."""

    ACCEPTED = "accepted"
    NO_EMBEDDER = "no_embedder"
    NO_PROTOTYPES = "no_prototypes"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    CONDITIONAL = "conditional"
    FICTION = "fiction"
    CODE = "code"
    STAGE_DIRECTION = "stage_direction"
    QUOTED = "quoted"
    THIRD_PARTY = "third_party"
    DELIVERED = "delivered"
    SYSTEM = "system"
    TOOL = "tool"
    NO_DECLARATION_FORM = "no_declaration_form"
    NO_PATTERNS = "no_patterns"
    LOW_SIMILARITY = "low_similarity"
    PAST_STATE = "past_state"
    FUTURE = "future"
    NOT_DURABLE = "not_durable"
    UNRESOLVED_SUBJECT = "unresolved_subject"
    ADDRESSED = "addressed"
    NEGATION_UNCLEAR = "negation_unclear"
    RETOLD = "retold"
    JOKE = "joke"
    BOILERPLATE = "boilerplate"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    EMPTY_INTERVAL = "empty_interval"
    INVALID_INTERVAL = "invalid_interval"
    MIXED_PRECISION = "mixed_precision"
    UNKNOWN_KIND = "unknown_kind"


GATE_OF: dict[str, str] = {
    Reason.QUOTED: "speaker",
    Reason.THIRD_PARTY: "speaker",
    Reason.DELIVERED: "speaker",
    Reason.SYSTEM: "speaker",
    Reason.TOOL: "speaker",
    Reason.RETOLD: "speaker",
    Reason.BOILERPLATE: "speaker",
    Reason.QUESTION: "asserted",
    Reason.HYPOTHETICAL: "asserted",
    Reason.CONDITIONAL: "asserted",
    Reason.FICTION: "asserted",
    Reason.CODE: "asserted",
    Reason.STAGE_DIRECTION: "asserted",
    Reason.NEGATION_UNCLEAR: "asserted",
    Reason.JOKE: "asserted",
    Reason.LOW_SIMILARITY: "similarity",
    Reason.NO_EMBEDDER: "similarity",
    Reason.NO_PROTOTYPES: "similarity",
    Reason.NOT_DURABLE: "durable",
    Reason.PAST_STATE: "durable",
    Reason.FUTURE: "durable",
    Reason.EMPTY_INTERVAL: "window",
    Reason.INVALID_INTERVAL: "window",
    Reason.MIXED_PRECISION: "window",
    Reason.TOO_LONG: "limit",
    Reason.TOO_MANY: "limit",
}


def gate_of(reason: str) -> str:
    """Name the gate that a reason belongs to; the condition of form is the one for the rest."""
    return GATE_OF.get(reason, "form")


def sentence_gate(sentence: Sentence, tokens: Sequence[Token], language: Language) -> Reason | None:
    """Say why a whole sentence asserts nothing, in the order of the gates; None lets it on to its clauses.

    A standing instruction ("from now on, if I ask …") may hold a condition, a modal and a polite question.
    """
    if len(tokens) > MOST_WORDS:
        return Reason.TOO_LONG
    start = len(tokens) - len(without_openers(tokens, language))
    marks = _marks(tokens[start:], language)
    stands = standing_at(tokens, start, language)
    if "fiction" in marks:
        return Reason.FICTION
    if "jests" in marks or phrase_at(tokens, 0, language.phrases["jests"]):
        return Reason.JOKE
    if "boilerplate" in marks and stands != start:
        return Reason.BOILERPLATE
    if stands is None:
        if "hypothetical" in marks:
            return Reason.HYPOTHETICAL
        if "conditional" in marks or tokens[start].text in language.words["conditional_start"]:
            return Reason.CONDITIONAL
    is_polite = stands is not None and phrase_at(tokens, start, language.phrases["polite"]) > 0
    asks = asks_at(tokens, start, language)
    if stands == start and not sentence.is_question:
        # "Quand tu m'écris, …" begins as a question does.
        asks = False
    if (asks and not is_polite) or (sentence.is_question and stands is None):
        return Reason.QUESTION
    if "modal" in marks and stands is None and not _rules_all(tokens, start, language):
        return Reason.HYPOTHETICAL
    if "negation_idioms" in marks:
        return Reason.NEGATION_UNCLEAR
    if "idioms" in marks:
        return Reason.NO_DECLARATION_FORM
    return Reason.THIRD_PARTY if "attribution" in marks and stands is None else None


def _rules_all(tokens: Sequence[Token], start: int, language: Language) -> bool:
    """Say whether a sentence lays down how all of something of ours has to be: "all my recipes must be …"."""
    words = language.words
    is_all = tokens[start].text in words["quantifiers"] | words["every"]
    return is_all and start + 1 < len(tokens) and tokens[start + 1].text in words["my"]


def standing_at(tokens: Sequence[Token], start: int, language: Language) -> int | None:
    """Give the place of the words that make an instruction a lasting one: "from now on", wherever they stand."""
    phrases = language.phrases["standing"]
    for at in range(start, len(tokens)):
        if tokens[at].text in phrases and phrase_at(tokens, at, phrases):
            return at
    return None


def _marks(tokens: Sequence[Token], language: Language) -> set[str]:
    """Collect the kinds of unmaking phrases that stand in a sentence."""
    found: set[str] = set()
    harmless, alerts = language.harmless, language.alerts
    skip_to = 0
    for at, token in enumerate(tokens):
        if token.kind is not TokenKind.WORD or at < skip_to:
            continue
        text = token.text
        if text in harmless and (used := phrase_at(tokens, at, harmless)):
            # "You told me I keep bees" tells nothing new, and what it retells is judged with the clause; "I'd rather"
            # supposes nothing.
            skip_to = at + used
            continue
        if text not in alerts:
            continue
        listed = alerts[text]
        second = tokens[at + 1].text if at + 1 < len(tokens) else ""
        for phrase, name in (*listed.get("", ()), *(listed.get(second, ()) if second else ())):
            # "In may" as well as "in May": a month, and nothing that may be.
            is_led = at > 0 and tokens[at - 1].text in language.words["prepositions"]
            is_month = name == "modal" and at > 0 and (token.is_capitalised or is_led)
            if name not in found and not is_month and stands_at(tokens, at, phrase):
                found.add(name)
    return found


def asks_at(tokens: Sequence[Token], start: int, language: Language) -> bool:
    """Say whether a sentence begins as a question does, with or without its sign."""
    words = language.words
    if phrase_at(tokens, start, language.phrases["question_start"]):
        return True
    if tokens[start].text not in words["question"] or start + 1 >= len(tokens):
        return False
    follower = tokens[start + 1].text
    if _leaves_out_itself(tokens[start].text, follower, language):
        return False
    if language.inverts and start > 0 and (follower in words["me"] or follower in words["we"]):
        # "Übrigens habe ich zwei Katzen": the verb comes second.
        return tokens[start].text in words["wh"]
    return (
        tokens[start].text in words["wh"]
        or follower in words["me"]
        or follower in words["we"]
        or follower in words["you"]
        or follower in words["others"]
        or follower in words["determiners"]
        or (follower in words["negation"] and _is_pronoun(tokens, start + 2, language))
    )


def _leaves_out_itself(verb: str, follower: str, language: Language) -> bool:
    """Say whether a verb of the speaker stands first without "ich": "hab eine Katze" tells, "hab ich …" asks."""
    words = language.words
    is_mine = language.inverts and verb in language.own_verbs and verb not in language.third
    is_plural = any(verb.endswith(end) for end in words["we_endings"])
    return is_mine and not is_plural and verb not in words["wh"] and follower in words["determiners"]


def _is_pronoun(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a negated verb is followed by its subject: "don't you", but not "don't call me Annie"."""
    words = language.words
    return at < len(tokens) and any(tokens[at].text in words[name] for name in ("me", "we", "you", "others"))


def is_suspect(tokens: Sequence[Token], phrases: dict[str, tuple[Phrase, ...]]) -> bool:
    """Say whether words speak to the model as an instruction would (SPEC R-39), by the phrases of all languages."""
    return any(token.text in phrases and phrase_at(tokens, at, phrases) for at, token in enumerate(tokens))
