"""What a program wrote, or who set a model up: logs, code, comments, prompts; and verses in one line. Spans only."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

_QUERY, _CLAUSE = "UPDATE|SELECT|INSERT|DELETE|CREATE|ALTER|DROP", "SET|FROM|INTO|TABLE|VALUES"
_LEVEL = "WARN|WARNING|ERR|ERROR|INFO|DEBUG|FATAL|TRACE"
_DAY = r"(?:\d{4}[-/]\d\d[-/]\d\d|\d{1,2}/\w{3}/\d{4}|[A-Z][a-z]{2} {1,2}\d{1,2})"
# Before the level of a log line stand times, places and names of programs, no words of a sentence.
_BEFORE_LEVEL = r"(?:[\w.,/+\[-]*[\d:\]][\w\[\]:.,/+-]*|npm|yarn|pip|make|git)"
_LOG = re.compile(
    r"^[\w.]*(?:Error|Exception|Warning): [^\n]*$|^Traceback \(most recent call last\):$|^\$ [^\n]*$"
    rf"|^\W?{_DAY}[T :]{{1,2}}\d\d:\d\d(?::\d\d)?[^\n]*$"
    rf"|^(?:{_BEFORE_LEVEL} ){{0,3}}[\[<(]?(?:{_LEVEL})\b[^\n]*$|^[^\n]*\blevel=\w+[^\n]*$"
    rf"|^\s{{0,8}}(?:{_QUERY}) [^\n]{{0,200}}?\b(?:{_CLAUSE})\b[^\n]*$",
    re.MULTILINE,
)
_LOG_MARKS = (
    *("Error: ", "Exception: ", "Warning: ", "Traceback (", "WARN", "ERR", "INFO", "DEBUG", "FATAL", "TRACE", "$ "),
    *("level=", "UPDATE", "SELECT", "INSERT", "DELETE", "TABLE"),
)
_CLOCK = re.compile(r"\d:\d\d")
_DEFINES = (
    r"(?:async )?(?:def|function|fn|func) \w+ ?\(|class \w+ ?[:({]|(?:const|let|var) [\w{}, ]+(?:: ?[^=\n]+)?="
    r"|(?:export|public|private|static|final) [\w<>\[\]]+ [^\n]*[({=]|from [\w.]+ import |import [\w.]+(?: as \w+)?;?$"
    r"|import [{*\"'\w][^\n]* from |#include|#define|print(?:f|ln)?\(|console\."
)
_CODE = re.compile(
    r"^[ \t]*(?://|/\*|<!--|-- )[^\n]*$"
    r"|^[ \t]*\W{0,4}(?:TODO|FIXME|XXX|HACK)\b[^\n]*$"
    rf"|^[ \t]*(?:{_DEFINES})[^\n]*$"
    r"|^[ \t]*(?:if|for|while|elif|switch|except|with)\b[^\n]*[({=][^\n]*[:;{]$|^[ \t]*return\b[^\n]*[;)\]]$"
    r"|^[ \t]*(?:\w*[_.\[][\w.\[\]'\"]*|\w+(?= ?= ?(?:[\[{('\"]|[^\n]*;$))) ?[-+|]?= ?[^\s=][^\n]*$"
    r"|^[ \t]*[{\[<][^\n]*[}\]>][,;]?$|^[ \t]*[\"'][\w -]+[\"'] ?: [^\n]*$",
    re.MULTILINE,
)
_CODE_MARKS = ("//", "/*", "<!--", "-- ", "TODO", "FIXME", "XXX", "HACK", "(", "=", "{", "[", "<", '":', "':", "#")
_SETTING = re.compile(r"^[ \t]*[\w.-]+: ?[^\n]*$", re.MULTILINE)
_NOTED = re.compile(r"^[ \t]*# [a-z][^\n]*$", re.MULTILINE)
_HASHED = re.compile(r"^[ \t]*#[ !][^\n]*$", re.MULTILINE)
_COMMAND = re.compile(
    r"^[ \t]{0,3}(?:sudo )?(?:docker|git|npm|npx|yarn|pip|kubectl|helm|curl|wget|export|apt|brew|ssh|scp"
    r"|make|cargo|psql|aws) [^\n]{0,200}?(?: -|=)[^\n]*$",
    re.MULTILINE,
)
# What was written to a model by whoever set it up, pasted with its label or its tags.
_LABELS = r"(?:SYSTEM|DEVELOPER|ADMIN|ASSISTANT|AI|BOT)(?: [A-Z]+)?|Assistant|[Ss]ystem (?:prompt|message)"
_TO_MODEL = "you are|you must|you will|always|never|the user|respond|answer|ignore|act as|as an"
_PROMPT = re.compile(
    r"\[INST\].*?(?:\[/INST\]|\Z)|<<SYS>>.*?(?:<</SYS>>|\Z)|<\|\w+\|>.*?(?:<\|(?:im_end|end|eot_id)\|>|\Z)"
    r"|<(system|instructions?|prompt|assistant)>.*?(?:</\1>|\Z)"
    r"|^#{2,4} ?(?:Instructions?|System|Response)\b.*?(?:\n[ \t]*\n|\Z)"
    rf"|^\W{{0,3}}(?:{_LABELS}|[Ss]ystem(?=\W{{0,3}}:\W{{0,3}}(?i:{_TO_MODEL})\b))\W{{0,3}}:.*?(?:\n[ \t]*\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_PROMPT_MARKS = (
    *("[INST]", "<<SYS>>", "<|", "<system", "<instruction", "<prompt", "<assistant", "##"),
    *("SYSTEM", "ystem", "ASSISTANT", "Assistant", "DEVELOPER", "ADMIN", "AI", "BOT"),
)
_FEWEST_VERSE = 3
_FEWEST_TURNS = 2
_TURN = re.compile(
    r"^[ \t]*(?P<hour>[\[(<]?(?:[\d/.-]{4,10},? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?[\])>]?,?(?: -)? )?"
    r"(?P<name><?@?[^\W\d][\w.-]{0,19}(?: [^\W\d]\w{0,14})?>?): [^\n]*$",
    re.MULTILINE,
)


def logged(text: str) -> Iterator[Span]:
    """Give the spans of log lines, traces and queries."""
    if any(mark in text for mark in _LOG_MARKS) or _CLOCK.search(text) is not None:
        yield from (match.span() for match in _LOG.finditer(text))


def coded(text: str) -> Iterator[Span]:
    """Give the spans of lines of code, of their comments, and of notes to whoever works on them."""
    if not any(mark in text for mark in _CODE_MARKS):
        return
    found = [match.span() for match in _CODE.finditer(text)]
    if "# " in text or (found and "#" in text):
        # In small letters it comments on code; in capitals it is a heading, save beside code.
        hashed = [match.span() for match in (_HASHED if found else _NOTED).finditer(text)]
        settings = [match.span() for match in _SETTING.finditer(text)] if hashed and not found else []
        found += hashed + settings
    last = 0
    for start, end in sorted(found):
        if start >= last:
            yield start, end
            last = end


def commanded(text: str) -> Iterator[Span]:
    """Give the spans of commands to a shell."""
    if " -" in text or "=" in text:
        yield from (match.span() for match in _COMMAND.finditer(text))


def prompted(text: str) -> Iterator[Span]:
    """Give the spans of prompts: from a label or tag to its end, else to the end of the paragraph."""
    if any(mark in text for mark in _PROMPT_MARKS):
        yield from (match.span() for match in _PROMPT.finditer(text))


def talked(text: str) -> Iterator[Span]:
    """Give the spans of a talk between others: lines with an hour and a name, or two names that take turns."""
    found = [match for match in _TURN.finditer(text) if match["hour"] or match["name"]]
    names = [match["name"] for match in found]
    takes_turns = len(names) > _FEWEST_TURNS and len(set(names)) < len(names)
    yield from (match.span() for match in found if (match["hour"] and len(found) > 1) or takes_turns)


def versed(text: str) -> Iterator[Span]:
    """Give the spans of verses written in one line, with strokes between them: no choice of words, no numbers."""
    if " / " not in text:
        return
    at = 0
    for line in text.split("\n"):
        parts = line.split(" / ")
        is_verse = len(parts) > 1 and all(len(part.split()) >= _FEWEST_VERSE for part in parts)
        if is_verse and not any(char.isdigit() for char in line):
            yield at, at + len(line)
        at += len(line) + 1


__all__ = ["Span", "coded", "commanded", "logged", "prompted", "talked", "versed"]
