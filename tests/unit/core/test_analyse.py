"""Words, stems and index terms of the analyser (R-2, R-35, R-41, F34)."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer

from stemma.core import analyse
from stemma.core.analyse import Script, language_of, overlap_words, scope_hash, stem, term_hash, terms, words


def spelt(text: str) -> list[str]:
    return [word.text for word in words(text)]


def test_the_version_names_the_stemmer_and_the_unicode_tables() -> None:
    """R-2: the analyser is part of the extractor version, so what it depends on stands in its own."""
    assert analyse.ANALYSER_VERSION.startswith(f"a3+pystemmer{Stemmer.version()}+ucd")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, I'm sure.", ["I", "don't", "I'm", "sure"]),
        ("L’eau de l'été d'O'Brien", ["L’eau", "de", "l'été", "d'O'Brien"]),
        ("'quoted' dogs' rock'n'roll", ["quoted", "dogs", "rock'n'roll"]),
        ("3.5% + 35c", ["3", "5", "35c"]),
        ("v1.2.3", ["v1", "2", "3"]),
        ("file_name __init__ _emphasis_", ["file_name", "init", "emphasis"]),
        ("नमस्ते दुनिया में हिन्दी", ["नमस्ते", "दुनिया", "में", "हिन्दी"]),
        ("كِتَابٌ إلى", ["كِتَابٌ", "إلى"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("用Docker部署了３台", ["用", "Docker", "部署了", "３", "台"]),
        ("東京タワーは、高い。", ["東京タワーは", "高い"]),
        ("ที่นี่ดี", ["ที่นี่ดี"]),
        ("e\u0301te\u0301 naïve", ["e\u0301te\u0301", "naïve"]),
        ("_ % \\ — …", []),
        ("", []),
    ],
)
def test_words_are_cut_where_a_reader_cuts_them(text: str, expected: list[str]) -> None:
    """R-35: Unicode words with marks, apostrophes and underscores; unspaced scripts as runs."""
    assert spelt(text) == expected


def test_offsets_count_code_points_of_the_text_as_it_came() -> None:
    """R-45a: an excerpt is cut by these offsets, so an astral character counts one."""
    found = words("😀 Straße, 北京")
    assert [(word.text, word.start, word.end) for word in found] == [("Straße", 2, 8), ("北京", 10, 12)]
    assert [word.script for word in found] == [Script.LATIN, Script.CJK]
    assert [word.is_unspaced for word in found] == [False, True]


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("preferences", "en", "prefer"),
        ("Prefers", "en", "prefer"),
        ("Häuser", "de", "haus"),
        ("canciones", "es", "cancion"),
        ("canción", "es", "cancion"),
        ("книгами", "ru", "книг"),
        ("الكتاب", "ar", "كتاب"),
        ("東京", "ja", "東京"),
        ("서울", "ko", "서울"),
        ("βιβλία", "el", "βιβλ"),
        ("cărțile", "ro", "cart"),
        ("kitapların", "tr", "kitap"),
        ("Kirjoja", "fi", "kirjoja"),
        ("", "en", ""),
    ],
)
def test_a_stem_is_folded_and_a_language_without_a_stemmer_leaves_the_word(
    word: str, language: str, expected: str
) -> None:
    """R-34: equal stems make equal frames."""
    assert stem(word, language) == expected


def test_eight_threads_get_the_stems_that_one_gets() -> None:
    """A stemmer object is not for two threads at once, so none is shared."""
    vocabulary = [
        f"{base}{ending}{n}" for base in ("run", "hous", "relat") for ending in ("ing", "es") for n in range(300)
    ]
    alone = [Stemmer.Stemmer("english", 0).stemWord(word) for word in vocabulary]
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: [stem(word, "en") for word in vocabulary], range(8)):
            assert result == alone


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the theme that we use in the dashboard?", "en"),
        ("Stripe charges 2.9%", "en"),
        ("Wie hoch sind die Gebühren von Stripe?", "de"),
        ("In welchem Jahr starb Tesla?", "de"),
        ("Wen kontrollieren Gurus?", "de"),
        ("Made in Germany", "en"),
        ("Quelle est la couleur de notre tableau de bord ?", "fr"),
        ("¿Cuál es el color de nuestro panel?", "es"),
        ("Qual è il colore del nostro cruscotto?", "it"),
        ("Qual é a cor do nosso painel? Não sei.", "pt"),
        ("Какого цвета наша панель?", "ru"),
        ("ما هو لون لوحتنا؟", "ar"),
        ("हमारे डैशबोर्ड का रंग क्या है?", "hi"),
        ("我们的仪表板是什么颜色？", "zh"),
        ("ダッシュボードの色は何ですか？", "ja"),
        ("대시보드 색상은 무엇입니까?", "ko"),
        ("แดชบอร์ดสีอะไร", "th"),
        ("Τι χρώμα έχει ο πίνακάς μας;", "el"),
        ("Ce culoare are tabloul nostru de bord în aplicație?", "ro"),
        ("Panomuzun rengi nedir ve bunu kim seçti?", "tr"),
        ("Bảng điều khiển của chúng ta màu gì?", "vi"),
        (unicodedata.normalize("NFD", "Bảng điều khiển của chúng ta"), "vi"),
        ("Ben likes a health care plan", "en"),
        ("Ben wohnt in München", "de"),
        ("", "en"),
        ("12345", "en"),
    ],
)
def test_the_language_is_guessed_from_script_and_function_words(text: str, expected: str) -> None:
    """R-33: which stems and stop words count is decided by the text alone."""
    assert language_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like what you did", ["like"]),
        ("The dashboards are dark", ["dashboard", "dark"]),
        ("vitamin D", ["vitamin", "d"]),
        ("T cells don't", ["t", "cell"]),
        ("that's what they'd say, I'm told", ["say", "told"]),
        ("Stripe charges 3.5%", ["stripe", "charg", "3", "5", "3.5"]),
        ("v1.2.3", ["v1", "2", "3", "v1.2.3"]),
        ("file_name", ["file_name", "file", "name"]),
        ("file-name", ["file", "name"]),
        ("北京", ["北", "京", "北京"]),
        ("水", ["水"]),
        ("नमस्ते दुनिया में", ["नमस्त", "दुनिय"]),
        ("l'eau de mer", ["eau", "mer"]),
        ("Hà Nội, Sài Gòn", ["ha", "noi", "sai", "gon", "hanoi", "saigon"]),
        ("năm 1990 ở Huế", ["nam", "1990", "o", "hue", "ohue"]),
        ("_", []),
        ("%", []),
        ("\\", []),
        ("who are you?", []),
    ],
)
def test_terms_are_stems_without_stop_words_and_pairs_of_unspaced_characters(text: str, expected: list[str]) -> None:
    """R-41: one analyser at ingest and query."""
    language = "fr" if "eau" in text else None
    assert terms(text, language) == expected


def test_accents_width_and_case_make_no_other_term() -> None:
    """R-41: a question typed without accents finds the text."""
    assert terms("La canción de Málaga", "es") == terms("la CANCION de malaga", "es")
    assert terms("ＡＢＣ１２", "en") == terms("abc12", "en")
    assert terms("إسلام", "ar") == terms("اسلام", "ar")
    assert terms("Ёлка", "ru") == terms("елка", "ru")


def test_a_word_of_another_script_is_stemmed_in_its_own_language() -> None:
    """R-41: an English text with a Russian word in it finds that word's other forms."""
    assert set(terms("the word книгами", "en")) & set(terms("книга", "ru"))


def test_overlap_words_keep_function_words_and_pair_unspaced_scripts() -> None:
    """R-35: the Jaccard measure is over all words; the retrieval stop list takes no part."""
    assert overlap_words("The heating is on") == {"the", "heat", "is", "on"}
    assert overlap_words("The heating is on") != overlap_words("The heating is off")
    assert overlap_words("我住在北京", "zh") == {"我住", "住在", "在北", "北京"}
    assert overlap_words("l'eau", "fr") == {"l", "eau"}
    assert overlap_words("I don't smoke", "en") == {"i", "don't", "smoke"}


def test_hashes_are_fixed_for_ever_and_fit_an_int4() -> None:
    """R-1, R-2: a stored hash must be the same in every process and release."""
    assert term_hash("dashboard") == 873576250
    assert scope_hash("tenant", "acme") == 227352735
    assert scope_hash("tenant", "acme") != term_hash("tenant:acme")
    assert scope_hash("a", "b:c") != scope_hash("a:b", "c")
    assert all(1 <= term_hash(str(number)) <= 1_000_000_000 for number in range(1000))


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        ("Kitapların yazarı kimdir?", "Kitap için yazarlar daha sonra teşekkür etti.", {"kitap"}),
        (
            "Câți profesori predau la universitate?",
            "Profesorul era la Universitatea din Iași.",
            {"profesor", "univers"},
        ),
        ("Πόσες πόλεις έχει η χώρα;", "Οι χώρες με πολλές πόλεις.", {"πολ", "χωρ"}),
        ("Hà Nội ở đâu?", "Thủ đô của Việt Nam là Hà Nội.", {"hanoi", "ha", "noi"}),
    ],
)
def test_a_question_and_a_text_of_one_language_are_cut_alike(question: str, text: str, shared: set[str]) -> None:
    """R-105: Turkish was cut as German here and as French there, so that few of its words met."""
    assert shared <= set(terms(question)) & set(terms(text))


def test_vietnamese_typed_without_tones_meets_its_text() -> None:
    """R-41: many type it so; pairs of syllables say which are meant."""
    typed = terms("thu do Viet Nam", "vi")
    assert {"thudo", "vietnam"} <= set(typed) & set(terms("Thủ đô của Việt Nam"))
