"""What only laughs, in words or in a picture: the same in every language. Judges no statement."""

from __future__ import annotations

import re

_WORD = re.compile(
    r"(?:ha){2,9}h?|(?:he){2,9}|(?:ja){2,9}|(?:je){2,9}|(?:lo)+l|k{3,9}|x+d+|lma+o|lmf?ao|rofl|mdr|ptdr|(?:rs){1,9}"
)
_MARKS = frozenset("😂🤣😆😹🙃😜🤪😝😏🙄")
_FACES = (";)", ";-)", ":p", ":-p", "/s", "xd")


def is_laugh(word: str) -> bool:
    """Say whether a folded word is a laugh: lol, haha, kkk, jaja, mdr."""
    return 1 < len(word) <= 20 and _WORD.fullmatch(word) is not None


def laughs_behind(text: str, at: int) -> bool:
    """Say whether a laugh stands right behind a place: a picture, a face, or the mark of irony."""
    behind = text[at : at + 8].lstrip(" .!,")
    return behind[:1] in _MARKS or behind.lower().startswith(_FACES)
