"""The versioned analyser: words with offsets, stems, index terms and their hashes; the same at ingest and query.

Pure. Weights of terms are `lexical`'s, values and function words of statements the extractor's.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

import Stemmer

from stemma.core.dates import date_terms, date_terms_of_query
from stemma.core.folding import fold
from stemma.core.language import language_of
from stemma.core.scripts import Script, is_mark, mark_class, script_of
from stemma.core.stopwords import stop_words

__all__ = [
    "ANALYSER_VERSION",
    "TERM_SPACE",
    "Script",
    "Word",
    "date_terms",
    "date_terms_of_query",
    "fold",
    "language_of",
    "overlap_words",
    "scope_hash",
    "stem",
    "term_hash",
    "terms",
    "words",
]

# The stemmer's tables and the Unicode tables are part of what a text becomes, so both stand in the version.
ANALYSER_VERSION = f"a3+pystemmer{Stemmer.version()}+ucd{unicodedata.unidata_version}"
TERM_SPACE = 1_000_000_000

_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "ru": "russian",
    "ar": "arabic",
    "hi": "hindi",
    "el": "greek",
    "ro": "romanian",
    "tr": "turkish",
}
# A word of these scripts is of that language whatever surrounds it.
_LANGUAGE_OF_SCRIPT = {Script.GREEK: "el", Script.CYRILLIC: "ru", Script.ARABIC: "ar", Script.DEVANAGARI: "hi"}
_ELIDING = frozenset({"fr", "it"})
# Spaces part its syllables, not its words, and folding takes the tones that tell syllables apart: two that stand side
# by side say which are meant, also where a question is typed without tones (XQuAD vi, R@1 of words: .88 to .91).
_SYLLABIC = frozenset({"vi"})
# What is left of contractions behind their apostrophes; on the list of stop words because questions are full of them.
_CONTRACTED = {"en": frozenset({"s", "t", "d", "m"})}
_APOSTROPHES = "'’ʼ＇"
_JOINERS = "\u00ad\u200c\u200d\u2060"
# What the pattern for any text amounts to where the text is ASCII, at a third of its cost.
_ASCII_WORD = re.compile(r"[A-Za-z0-9]\w*(?:(?<=[A-Za-z])'[A-Za-z]\w*)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in its text; `start` and `end` are code-point offsets, `text` the exact slice."""

    text: str
    start: int
    end: int
    script: Script

    @property
    def is_unspaced(self) -> bool:
        """Say whether this is a run of a script without spaces (CJK, Thai), of which callers make pairs."""
        return self.script.is_unspaced


def words(text: str) -> list[Word]:
    """Cut a text into words, in order.

    A word starts with a letter or digit and goes on over letters, digits, `_`, combining marks and zero-width joiners;
    an apostrophe between two letters stays inside, so `don't`, `I'm`, `l'eau`, `O'Brien` are one word each; a trailing
    `_` is not part of it. `3.5%` gives 3 and 5, `v1.2.3` gives v1, 2 and 3, `file_name` one word. A stretch of a script
    without spaces is a word of its own: `用Docker部署` gives three.
    """
    return [Word(run, start, start + len(run), script) for run, start, script in _runs(text)]


def stem(word: str, language: str) -> str:
    """Give a word's folded stem; a language without a stemmer (zh, ja, ko, th, unknown ones) leaves the folded word.

    Folding comes first, so a word with and without its accents has one stem.
    """
    return _stem(fold(word), language)


def terms(text: str, language: str | None = None) -> list[str]:
    """Give a text's index terms in order, with repeats.

    Folded stems without the language's stop words; numbers stay; runs of CJK and Thai as overlapping pairs and single
    characters, Vietnamese as syllables and as pairs of them, written in one (`Hà Nội` gives ha, noi, hanoi). What is
    written in one piece is one term and its parts as well: `file_name` gives file_name, file, name; `3.5` gives 3.5, 3,
    5; so the exact spelling ranks first and the parts still find it.
    """
    language = language or language_of(text)
    found: list[str] = []
    for run, _, script in _runs(text):
        found.extend(_terms_of_word(run, script, language))
    found.extend(_compound_numbers(text))
    if language in _SYLLABIC:
        found.extend(_pairs_of_syllables(text))
    return found


def overlap_words(text: str, language: str | None = None) -> frozenset[str]:
    """Give the set of folded stems that word overlap (Jaccard) is measured on; CJK and Thai as pairs of characters.

    Nothing is left out: function words are the extractor's to judge. A contraction is one word (don't), an elided
    article or pronoun of French and Italian its own (l'eau gives l, eau).
    """
    language = language or language_of(text)
    found: set[str] = set()
    for run, _, script in _runs(text):
        folded = fold(run)
        if script.is_unspaced:
            found.update(_pairs(_clusters(folded)))
        else:
            pieces = folded.split("'") if language in _ELIDING else [folded]
            found.update(_stem(piece, _language_in(script, language)) for piece in pieces if piece)
    return frozenset(found)


def term_hash(term: str) -> int:
    """Give a term's stable hash, 1 to `TERM_SPACE`: a dimension of the sparse vector and an int4."""
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % TERM_SPACE + 1


def scope_hash(kind: str, name: str) -> int:
    """Give the hash of a scope token (`tenant`, `subject` …), stored among the terms; no word has its spelling."""
    return term_hash(f"\0{len(kind)}:{kind}:{name}")


# A word as text, start and script; records for them would cost as much as finding them.
_Run = tuple[str, int, Script]


def _runs(text: str) -> Iterator[_Run]:
    if text.isascii():
        for match in _ASCII_WORD.finditer(text):
            run = match.group().rstrip("_")
            yield run, match.start(), _script_of_word(run)
        return
    for match in _word_pattern().finditer(text):
        run = match.group().rstrip("_" + _JOINERS)
        if run.isascii():
            yield run, match.start(), _script_of_word(run)
        else:
            yield from _by_script(run, match.start())


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    inside = rf"[\w{mark_class()}{_JOINERS}]"
    letter = r"[^\W\d_]"
    return re.compile(rf"[^\W_]{inside}*(?:(?<=[^\W\d_{_APOSTROPHES}])[{_APOSTROPHES}]{letter}{inside}*)*")


@lru_cache(maxsize=1)
def _number_pattern() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.,])[^\W_]*\d(?:[.,]\d+)+(?![\w])")


def _script_of_word(word: str) -> Script:
    """Name the script of a word's first letter; `OTHER` for a bare number."""
    if word.isascii():
        return Script.LATIN if word.lower() != word.upper() else Script.OTHER
    return next((script_of(char) for char in word if char.isalpha()), Script.OTHER)


def _by_script(run: str, offset: int) -> Iterator[_Run]:
    """Cut a run where an unspaced script begins or ends; marks stay with what they follow."""
    start, unspaced = 0, _is_unspaced(run[0])
    for at, char in enumerate(run):
        if at == 0 or is_mark(char) or char in _JOINERS or char in _APOSTROPHES:
            continue
        if (now := _is_unspaced(char)) != unspaced:
            yield from _word(run, start, at, offset)
            start, unspaced = at, now
    yield from _word(run, start, len(run), offset)


def _is_unspaced(char: str) -> bool:
    return script_of(char).is_unspaced and not char.isdecimal()


def _word(run: str, start: int, end: int, offset: int) -> Iterator[_Run]:
    lead = len(run[start:end]) - len(run[start:end].lstrip("_" + _JOINERS))
    piece = run[start + lead : end].rstrip("_" + _JOINERS + _APOSTROPHES)
    if piece:
        yield piece, offset + start + lead, _script_of_word(piece)


@lru_cache(maxsize=16384)
def _terms_of_word(word: str, script: Script, language: str) -> tuple[str, ...]:
    folded = fold(word)
    if script.is_unspaced:
        clusters = _clusters(folded)
        return (*clusters, *_pairs(clusters)) if len(clusters) > 1 else tuple(clusters)
    language = _language_in(script, language)
    parts = [part for part in re.split(r"['_]", folded) if part]
    whole = [folded] if "_" in folded else []
    idle = stop_words(language)
    if "'" not in folded:
        # The `t` of "don't" says nothing; that of "T cell" and the `d` of "vitamin D" do (SciFact: .010 Recall@10).
        idle -= _CONTRACTED.get(language, frozenset())
    return tuple(whole + [_stem(part, language) for part in parts if part not in idle])


def _language_in(script: Script, language: str) -> str:
    return _LANGUAGE_OF_SCRIPT.get(script, language)


@lru_cache(maxsize=16384)
def _stem(folded: str, language: str) -> str:
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None or not folded:
        return folded
    # A stemmer object is not for two threads at once; making one costs less (0.3 µs) than any way of sharing it.
    return fold(Stemmer.Stemmer(algorithm, 0).stemWord(folded))


def _compound_numbers(text: str) -> Iterator[str]:
    for match in _number_pattern().finditer(text):
        yield fold(match.group())


def _pairs_of_syllables(text: str) -> Iterator[str]:
    """Join each two words of letters that blanks alone part, folded."""
    letters = (one for one in _runs(text) if one[2] is Script.LATIN)
    for (first, start, _), (second, after, _) in pairwise(letters):
        if text[start + len(first) : after].isspace():
            yield fold(first) + fold(second)


def _clusters(folded: str) -> list[str]:
    clusters: list[str] = []
    for char in folded:
        if clusters and is_mark(char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _pairs(clusters: list[str]) -> list[str]:
    return [first + second for first, second in pairwise(clusters)] or clusters
