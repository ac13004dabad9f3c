"""What shows that a reader of a page never saw an element: its attributes, its style, and the page's own rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_DECLARATION = re.compile(r"([a-z-]{1,40})\s*:\s*([^;{}]{1,200})", re.IGNORECASE)
# A comment that is never closed runs to the end: looked for once, not from every place where one opens.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LENGTH = re.compile(r"^(-?\d+(?:\.\d+)?)(px|pt|em|rem|%|vw|vh|ch|ex)?$")
_EMPTY_CLIP = re.compile(
    r"rect\(\s*(?:0|1px)[^)]*\)|inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px|%)?\s+0[\s,0px%]*\)"
)
_ZERO_SCALE = re.compile(r"scale[xy]?\(\s*0(?:\.0+)?\s*[,)]")
_FAR_MOVE = re.compile(r"translate[xy]?\([^)]*-\s*\d{4,}")
_FAR: Final = 500.0
_NEVER_SHOWN: Final = frozenset({"template", "noscript", "noembed", "noframes"})
# A page with more rules that hide something is read without the rest of them: each is a search of the whole page.
_MOST_RULES: Final = 200
_LONGEST_RULE: Final = 5_000


def hidden_by(tag: str, attributes: Mapping[str, str | None]) -> str | None:
    """Say what hides an element, by itself, or None where a reader sees it."""
    if tag in _NEVER_SHOWN:
        return tag
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return "hidden"
    if tag == "dialog" and "open" not in attributes:
        return "dialog"
    style = attributes.get("style")
    return hiding_style(style) if style else None


def hiding_style(style: str) -> str | None:
    """Give the declaration of a style that takes an element out of sight, or None."""
    found = {name.lower(): _plain(value) for name, value in _DECLARATION.findall(_COMMENT.sub("", style))}
    for name, values in _HIDING.items():
        if found.get(name) in values:
            return f"{name}:{found[name]}"
    for name in ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"):
        is_moved = name.startswith(("text", "margin")) or found.get("position") in ("absolute", "fixed", "relative")
        if is_moved and _length(found.get(name, "")) <= -_FAR:
            return f"{name}:{found[name]}"
    if _length(found.get("font-size", "100")) < 2 and not found["font-size"].endswith(("em", "%")):
        return f"font-size:{found['font-size']}"
    if found.get("overflow") in ("hidden", "clip"):
        for name in ("width", "height", "max-width", "max-height"):
            if 0 <= _length(found.get(name, "100")) <= 1 and not found[name].endswith("em"):
                return f"{name}:{found[name]}"
    for name, pattern in (
        ("clip", _EMPTY_CLIP),
        ("clip-path", _EMPTY_CLIP),
        ("transform", _ZERO_SCALE),
        ("transform", _FAR_MOVE),
    ):
        if pattern.search(found.get(name, "")):
            return f"{name}:{found[name]}"
    colour = found.get("color")
    if colour is not None and colour == (found.get("background-color") or found.get("background")):
        return f"color:{colour} on itself"
    return None


def hidden_by_rules(tree: Any, sheets: list[str]) -> dict[int, str]:
    """Map the elements that the page's own style rules hide to what hides them; of two rules the later one holds."""
    from selectolax.lexbor import SelectolaxError

    hidden: dict[int, str] = {}
    used = 0
    for sheet in sheets:
        for rule in _COMMENT.sub("", sheet).split("}")[:-1]:
            before, _, style = rule.rpartition("{")
            selector = before.rpartition("{")[2].rpartition(";")[2]
            if len(style) > _LONGEST_RULE or not 0 < len(selector) < _LONGEST_RULE or "@" in selector:
                continue
            reason, shows = hiding_style(style), re.search(r"display\s*:\s*(?!none)[a-z]", style, re.IGNORECASE)
            if (reason is None and not (shows and hidden)) or used >= _MOST_RULES or ":" in selector:
                continue
            used += 1
            try:
                nodes = tree.css(selector.strip())
            except SelectolaxError:
                continue  # a selector that this parser does not know hides nothing that we could name
            for node in nodes:
                if reason is None:
                    hidden.pop(node.mem_id, None)
                else:
                    hidden[node.mem_id] = reason
    return hidden


_HIDING: Final[dict[str, frozenset[str]]] = {
    "display": frozenset({"none"}),
    "visibility": frozenset({"hidden", "collapse"}),
    "content-visibility": frozenset({"hidden"}),
    "opacity": frozenset({"0", "0.0", "0%", "0.00", ".0"}),
    "color": frozenset({"transparent"}),
    "zoom": frozenset({"0"}),
}


def _plain(value: str) -> str:
    return value.lower().replace("!important", "").strip()


def _length(value: str) -> float:
    """Read a length; what is none counts as far on the visible side."""
    found = _LENGTH.match(value.strip())
    return float(found.group(1)) * (16 if (found.group(2) or "").endswith("em") else 1) if found else 10_000.0
