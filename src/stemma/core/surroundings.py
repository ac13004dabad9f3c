"""What the sentences before make of a sentence: fiction, a text to work on, a signature; and what "it" speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from stemma.core.fronts import is_finite, without_openers
from stemma.core.gate import Reason
from stemma.core.language_table import Language
from stemma.core.rules import Rules
from stemma.core.sections import Listed, Phrase
from stemma.core.sentences import Sentence, holds_phrase, phrase_at
from stemma.core.tokens import Token, TokenKind

_MOST_TOPIC = 6
_MOST_HEADING = 3
_MOST_ANSWER = 3
# So many words are not said twice in one sentence of prose.
_REFRAIN = 4
# Stands for the end of the text where paragraphs are counted.
_TO_THE_END = 1 << 30


class Surroundings:
    """What goes on from sentence to sentence of one text."""

    def __init__(self, text: str, rules: Rules) -> None:
        """Begin at the start of a text."""
        self._text = text
        self._closings = _closings(rules)
        self._until: dict[Reason, int] = {}
        self._topic: tuple[Token, ...] = ()

    def reason_for(self, sentence: Sentence, own: Reason | None, language: Language) -> Reason | None:
        """Give the reason why a sentence asserts nothing: its own, else that of what it stands in."""
        if own is None and is_verse(sentence.tokens):
            return Reason.QUOTED
        opened = self._opened(sentence, own, language)
        if opened is not None:
            reason, until = opened
            self._until[reason] = max(until, self._until.get(reason, -1))
            if own is None or reason is Reason.BOILERPLATE:
                return reason
        for reason, until in self._until.items():
            is_strong = reason in (Reason.FICTION, Reason.BOILERPLATE)
            if sentence.paragraph <= until and (own is None or is_strong):
                return reason
        return own

    def resolved(self, sentence: Sentence, language: Language) -> Sentence:
        """Put what was just asked about in the place of a pronoun: "My shoe size? It's 43"."""
        tokens, topic = sentence.tokens, self._topic
        self._topic = _topic_of(sentence, language)
        if topic and _answers(tokens, topic, language) and not sentence.is_question:
            copula = language.comparing.colon[-1]
            joint = tokens[0]._replace(kind=TokenKind.WORD, text=copula, raw=copula, type="", end=tokens[0].start)
            return sentence.with_tokens([*topic, joint, *tokens])
        if not topic or len(tokens) < 2 or tokens[0].text not in language.words["pronouns"]:
            return sentence
        if tokens[0].text in language.words["persons"]:
            topic = _person_of(topic, language) or topic
            is_verb = is_finite(tokens[1].text, language) or tokens[1].kind is TokenKind.WORD
            return sentence.with_tokens([*topic, *tokens[1:]]) if is_verb else sentence
        return sentence.with_tokens([*topic, *tokens[1:]]) if is_finite(tokens[1].text, language) else sentence

    def _opened(self, sentence: Sentence, own: Reason | None, language: Language) -> tuple[Reason, int] | None:
        """Say what begins with a sentence, and through which paragraph it goes."""
        here = sentence.paragraph
        rest = without_openers(sentence.tokens, language)
        phrases = language.phrases
        if self._signs_off(sentence):
            return Reason.BOILERPLATE, _TO_THE_END
        if _is_heading(sentence.tokens, language) or _is_cast(sentence.tokens, language):
            return Reason.FICTION, _TO_THE_END
        if own is Reason.JOKE and phrase_at(sentence.tokens, 0, phrases["jokes"]):
            return Reason.JOKE, here
        if phrase_at(sentence.tokens, 0, phrases["letters"]):
            # "Dear Sir or Madam, …": a letter of somebody's, pasted or to be written.
            return Reason.QUOTED, here
        if own is Reason.BOILERPLATE or own is Reason.FICTION:
            return own, here
        if own is Reason.HYPOTHETICAL and phrase_at(rest, 0, phrases["scenes"]):
            return own, here
        is_open = self._text[sentence.end : sentence.end + 2].lstrip().startswith(":")
        if own is Reason.THIRD_PARTY and is_open:
            return Reason.THIRD_PARTY, here
        if self._announces(sentence, own, language):
            return Reason.THIRD_PARTY, here + 1
        if is_open or any(token.raw == ":" for token in sentence.tokens):
            polite = phrase_at(rest, 0, phrases["polite"])
            asks = own is Reason.QUESTION and any(token.text in language.words["quoting_labels"] for token in rest)
            if asks or phrase_at(rest, polite if polite < len(rest) else 0, phrases["text_work"]):
                return Reason.THIRD_PARTY, here + is_open
        return None

    def _announces(self, sentence: Sentence, own: Reason | None, language: Language) -> bool:
        """Say whether a line of its own announces a text that comes below: "can you shorten this?"."""
        if not self._text[sentence.end :].lstrip(" .?!").startswith("\n"):
            return False
        words = language.words
        rest = without_openers(sentence.tokens, language)
        is_shown = rest[0].text in words["here"] or rest[0].text in words["shows"]
        if own is Reason.THIRD_PARTY and is_shown:
            return True
        polite = phrase_at(rest, 0, language.phrases["polite"])
        place = polite if polite < len(rest) else 0
        is_work = phrase_at(rest, place, language.phrases["text_work"]) > 0
        return is_work and any(token.text in words["below"] for token in rest)

    def _signs_off(self, sentence: Sentence) -> bool:
        """Say whether a line of its own closes a letter: what comes below is a signature."""
        tokens = sentence.tokens
        used = phrase_at(tokens, 0, self._closings)
        if not used or len(tokens) > used + _MOST_HEADING:
            return False
        before = self._text[: sentence.start].rstrip(" \t")
        behind = self._text[sentence.end :].lstrip(" \t,.!-–—")
        is_whole = used == len(tokens) or tokens[used].raw in ",-–—" or tokens[used].is_capitalised
        # In the middle of a line, or followed by nothing, it is no close but a word: "best", "thanks".
        return is_whole and before[-1:] in ("", "\n") and behind[:1] == "\n"


@lru_cache(maxsize=8)
def _closings(rules: Rules) -> dict[str, tuple[Phrase, ...]]:
    """Join the closes of letters of all languages: two words hardly say what language they are in."""
    found: dict[str, set[Phrase]] = {}
    for language in rules.languages.values():
        for first, phrases in language.phrases["closings"].items():
            found.setdefault(first, set()).update(phrases)
    return {first: Listed(each) for first, each in found.items()}


def is_verse(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence says some words twice, as songs do: "my bonnie lies over …, my bonnie lies over …"."""
    said = [token.text for token in tokens if token.kind is TokenKind.WORD]
    runs = [tuple(said[at : at + _REFRAIN]) for at in range(len(said) - _REFRAIN + 1)]
    return len(set(runs)) < len(runs)


def is_puzzle(sentence: Sentence, after: Sentence | None, language: Language) -> bool:
    """Say whether a sentence only poses what the next one asks: "Tom has five apples. How many are left?"."""
    if after is None or not after.is_question or not holds_phrase(after.tokens, language.phrases["puzzles"]):
        return False
    words = language.words
    own = words["my"] | words["we"] | words["me"]
    return not any(token.text in own for token in sentence.tokens)


def _topic_of(sentence: Sentence, language: Language) -> tuple[Token, ...]:
    tokens = without_openers(sentence.tokens, language)
    if not sentence.is_question or not 1 < len(tokens) <= _MOST_TOPIC:
        return ()
    words = language.words
    starts = tokens[0].text in words["definite"] or tokens[0].text in words["my"]
    has_verb = any(
        (is_finite(token.text, language) or token.text in language.own_verbs)
        and token.text not in words["prepositions"]
        for token in tokens[1:]
    )
    return tuple(tokens) if starts and not has_verb else ()


def _answers(tokens: Sequence[Token], topic: Sequence[Token], language: Language) -> bool:
    """Say whether a few words answer what was asked of something of one's own: "My height? 1.83 m"."""
    if (
        not language.comparing.colon
        or not 1 <= len(tokens) <= _MOST_ANSWER
        or topic[0].text not in language.words["my"]
    ):
        return False
    found = [token for token in tokens if token.text not in language.words["articles"]]
    is_liking = any(token.text in language.words["liking"] for token in topic)
    is_word = is_liking and all(token.kind is TokenKind.WORD for token in found)
    return bool(found) and (is_word or all(token.kind in (TokenKind.VALUE, TokenKind.NUMBER) for token in found))


def _person_of(topic: Sequence[Token], language: Language) -> tuple[Token, ...]:
    """Give whom a pronoun means where something of somebody's was asked about: "my mother's tablets? She …"."""
    for at, token in enumerate(topic[:-1]):
        used = phrase_at(topic, at + 1, language.phrases["relatives"])
        if token.text in language.words["my"] and used:
            return tuple(topic[at : at + 1 + used])
    return ()


def _is_heading(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a text begins as a chapter or a scene does: the word, then its number."""
    if len(tokens) < 2 or tokens[0].text not in language.words["fiction_start"]:
        return False
    number = tokens[1]
    is_roman = number.kind is TokenKind.WORD and number.raw.isupper() and set(number.raw) <= set("IVXLC")
    return number.kind in (TokenKind.NUMBER, TokenKind.VALUE) or number.type != "" or is_roman or number.raw == ":"


def _is_cast(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether parts are given out: "you are the customer, I am the barista"."""
    words = language.words
    casts: set[str] = set()
    for at, token in enumerate(tokens[:-2]):
        if tokens[at + 1].text in words["copula"] and tokens[at + 2].text in words["articles"]:
            casts.update(name for name in ("me", "you") if token.text in words[name])
    return len(casts) == 2
