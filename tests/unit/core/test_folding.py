"""Folding: one form for spellings that a reader takes for the same."""

import pytest

from stemma.core.analyse import fold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straße NAÏVE Œuvre Łódź", "strasse naive oeuvre lodz"),
        ("İstanbul ısı", "istanbul isi"),
        ("Άλφα ὁδός", "αλφα οδοσ"),
        ("Ёлка, йод, Київ, за́мок", "елка, йод, київ, замок"),
        ("كِتَابٌ إلى أُمّي آلة", "كتاب الي امي الة"),
        ("مـــرحبا یک", "مرحبا يك"),
        ("مؤمن شاطئ", "مؤمن شاطئ"),
        ("שָׁלוֹם", "שלום"),
        ("क़िताब में हिन्दी", "क़िताब में हिन्दी"),
        ("がぎぐ ﾊﾟ", "がぎぐ パ"),
        ("ＡＢＣ　１２３", "abc 123"),
        ("٣٫٥ ४२", "3٫5 42"),
        ("co\u00adoperate Don’t", "cooperate don't"),
        ("ﬁle ½", "file 1⁄2"),
        ("Việt Nam", "viet nam"),
        ("서울 北京", "서울 北京"),
    ],
)
def test_case_width_accents_and_digits_fold_and_letters_stay(text: str, expected: str) -> None:
    """R-35, R-38: accents go where they ornament a letter; vowel signs, voicing marks and other letters stay."""
    assert fold(text) == fold(expected) == expected
