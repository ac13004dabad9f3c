"""One folded form for spellings that a reader takes for the same: width, case, accents, digits.

Says nothing about stems, stop words or languages.
"""

import unicodedata

from stemma.core.scripts import Script, is_mark, script_of

# Latin letters whose stroke is no combining mark, typographic apostrophes, and Arabic letters that writers exchange.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ħ": "h",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "’": "'",
        "ʼ": "'",
        "‘": "'",
        "\u0671": "\u0627",  # alef wasla
        "\u0649": "\u064a",  # alef maksura
        "\u06cc": "\u064a",  # Farsi yeh
        "\u06a9": "\u0643",  # keheh
        "\u0640": None,  # tatweel
        "\u00ad": None,  # soft hyphen
        "\u200b": None,
        "\u200c": None,
        "\u200d": None,
        "\u2060": None,
        "\ufeff": None,
    }
)
_CYRILLIC_VOWELS = frozenset("аеиоуыэюяіѵ")
_ALEF = "\u0627"
_HAMZA_AND_MADDA = "\u0653\u0654\u0655"


def fold(text: str) -> str:
    """Fold width, case, accents and digits, idempotently.

    NFKC and full case folding; then accents go where they are an ornament of the letter: all marks on Latin and Greek
    letters (also ø, ł, đ, ħ, ı, æ, œ), Hebrew points, Arabic harakat and tatweel with alef and yeh variants unified
    (hamza on waw and yeh stays), Cyrillic stress marks and ё to е (й, ї, ў stay). The vowel signs of Devanagari, Thai
    and the like and the voicing marks of kana are letters and stay. Decimal digits of any script become ASCII digits;
    typographic apostrophes become '; soft hyphens, joiners and other zero-width characters go.
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_LETTERS)
    if text.isascii():
        return text
    kept = _without_accents(unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFKC", kept.translate(_LETTERS))


def _without_accents(decomposed: str) -> str:
    kept: list[str] = []
    base = ""
    script = Script.OTHER
    for char in decomposed:
        if char < "\u0300":
            base, script = char, Script.LATIN
        elif is_mark(char):
            if _is_ornament(char, base, script):
                continue
        else:
            if char.isdecimal():
                char = str(unicodedata.decimal(char))
            base, script = char, script_of(char) if char >= "\u0300" else Script.LATIN
        kept.append(char)
    return "".join(kept)


def _is_ornament(mark: str, base: str, script: Script) -> bool:
    if not base:
        return False
    match script:
        case Script.LATIN | Script.GREEK | Script.HEBREW:
            return True
        case Script.CYRILLIC:
            return (base == "е" and mark == "\u0308") or (base in _CYRILLIC_VOWELS and mark in "\u0300\u0301")
        case Script.ARABIC:
            return mark not in _HAMZA_AND_MADDA or base == _ALEF
        case Script.DEVANAGARI | Script.THAI | Script.CJK | Script.OTHER:
            return "\ufe00" <= mark <= "\ufe0f"
