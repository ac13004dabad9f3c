"""The two neighbours of a question that went wrong: near it in form, and about nothing that is remembered."""

from __future__ import annotations

from typing import Final

from stemma.core.analyse import language_of, terms, words
from stemma.core.golden.draw import Draw

_ONSETS: Final = "br d fl g kr m n pl qu s t v z".split()
_VOWELS: Final = "a e i o u".split()
_CODAS: Final = "ff k lm nt rb x zz".split()

# What is said to open or end a talk, by language; nothing that is remembered answers it.
_TALK: Final = {
    "en": "Hello, nice to see you again!",
    "de": "Hallo, schön, dich wiederzusehen!",
    "fr": "Bonjour, ravi de te revoir !",
    "es": "¡Hola, me alegro de verte!",
    "it": "Ciao, che bello rivederti!",
    "pt": "Olá, que bom ver você de novo!",
    "ru": "Привет, рад снова тебя видеть!",
    "ar": "مرحبا، سعيد برؤيتك من جديد!",
    "hi": "नमस्ते, आपसे फिर मिलकर अच्छा लगा!",
    "zh": "你好，很高兴又见到你！",
    "ja": "こんにちは、また会えてうれしいです。",
    "ko": "안녕하세요, 다시 만나서 반가워요!",
}


def other_thing(query: str, seed: int = 1) -> str | None:
    """Ask the same of something that does not exist: every word that carries meaning is a made-up one.

    None where no word of the query carries meaning, or its script has no spaces to cut it by.
    """
    language = language_of(query)
    draw = Draw("neighbour", seed, query)
    text, is_changed = query, False
    for word in reversed(words(query)):
        if word.script.is_unspaced:
            return None
        if not word.text.isalpha() or not terms(word.text, language):
            continue
        made = _made_up(draw)
        made = made.capitalize() if word.text[0].isupper() else made
        text, is_changed = text[: word.start] + made + text[word.end :], True
    return text if is_changed else None


def talk(query: str) -> str:
    """Say something in the query's language that nothing remembered answers."""
    return _TALK.get(language_of(query), _TALK["en"])


def _made_up(draw: Draw) -> str:
    return "".join(draw.one(part) for part in (_ONSETS, _VOWELS, _ONSETS, _VOWELS, _CODAS))
