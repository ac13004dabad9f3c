"""What holds for every text: words, folding and hashes of the analyser."""

import os
import subprocess
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from stemma.core.analyse import fold, language_of, overlap_words, term_hash, terms, words
from stemma.core.language import LANGUAGES

# Small alphabets with what has gone wrong: joiners, marks, apostrophes, unspaced scripts, letters that decompose.
PIECES = st.one_of(
    st.sampled_from("aÉßİ'’_.3٣๓कि北がทёйإى한ﬁ😀%\\ς \n\u0301\u200d\u00ad\u0941\u0e49\u064b\u0654\ufe0f\u20e3"),
    st.sampled_from(["don't", "l'eau", "file_name"]),
)
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=40))


@given(TEXTS)
def test_words_are_slices_in_order_without_overlap(text: str) -> None:
    """R-35, R-45a: a word is its own slice of the text."""
    end = 0
    for word in words(text):
        assert end <= word.start < word.end <= len(text)
        assert text[word.start : word.end] == word.text
        end = word.end


@given(TEXTS)
def test_every_letter_and_digit_is_in_a_word(text: str) -> None:
    """R-11: the analyser drops no content."""
    covered = {at for word in words(text) for at in range(word.start, word.end)}
    assert all(at in covered for at, char in enumerate(text) if char.isalnum())


@given(st.text(alphabet="aB3_'. -%\n", max_size=30))
def test_an_ascii_text_is_cut_as_the_same_text_beside_other_letters(text: str) -> None:
    """R-2: the short way for ASCII is the long way."""
    assert words(text) == words(text + " é")[:-1]


@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    """R-38: folded forms are compared, so folding has a fixed point."""
    assert fold(fold(text)) == fold(text)


@given(TEXTS)
def test_composed_and_decomposed_spellings_fold_alike(text: str) -> None:
    """R-20, R-34: the same text in NFC and NFD is the same text."""
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_terms_are_folded_and_never_empty(text: str, language: str) -> None:
    """R-41: what is indexed is what is searched."""
    for term in [*terms(text, language), *overlap_words(text, language)]:
        assert term
        assert fold(term) == term


@given(TEXTS)
def test_the_guess_is_a_known_language(text: str) -> None:
    """R-33."""
    assert language_of(text) in LANGUAGES


@given(st.text())
def test_a_hash_is_a_dimension(term: str) -> None:
    """R-41: 1 to 1,000,000,000 fits an int4 and a sparse vector's dimensions."""
    assert 1 <= term_hash(term) <= 1_000_000_000


def test_other_processes_and_hash_seeds_give_the_same_terms_and_hashes() -> None:
    """R-2: equal across processes with other PYTHONHASHSEED."""
    program = (
        "import sys; sys.stdout.reconfigure(encoding='utf-8')\n"
        "from stemma.core.analyse import *\n"
        "t = 'We don\\'t deploy v1.2.3 on Fridays in 北京, говорят книги'\n"
        "print(terms(t), sorted(overlap_words(t)), language_of(t))\n"
        "print([term_hash(x) for x in terms(t)], scope_hash('tenant', 'a'))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(answers) == 1
