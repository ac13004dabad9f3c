"""Real input for the demo: a git history, notes, a conversation file, and the seeds' short scripted case."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemma.errors import InvalidInput, SourceUnreadable

Episode = dict[str, Any]
NOTE_BYTES = 200_000
SCRIPT_SUBJECT = "demo"
_FIELD, _RECORD = "\x1f", "\x1e"


@dataclass(frozen=True, slots=True)
class Batch:
    """Some episodes of one origin, ready for the door."""

    label: str
    episodes: tuple[Episode, ...]


def git_history(folder: Path) -> Batch:
    """Read one episode a commit; the subject is the repository's name, the speaker the author.

    Raises SourceUnreadable where git cannot be run or the folder is no repository.
    """
    form = _FIELD.join(("%H", "%an", "%cI", "%B")) + _RECORD
    listing = _git(folder, "log", "--no-color", f"--format={form}")
    subject = repository_name(folder)
    episodes = []
    for record in listing.split(_RECORD):
        parts = record.strip("\n").split(_FIELD)
        if len(parts) == 4 and parts[3].strip():
            sha, author, committed, message = parts
            episodes.append(
                {
                    "subject_id": subject,
                    "key": f"git:commit:{sha}",
                    "source": "git",
                    "speaker": author,
                    "text": message.strip(),
                    "occurred_at": committed,
                }
            )
    return Batch("git history", tuple(episodes))


def repository_name(folder: Path) -> str:
    """Return the name of the repository's top folder."""
    return Path(_git(folder, "rev-parse", "--show-toplevel").strip()).name


def notes(folder: Path) -> Batch:
    """Read the repository's Markdown documents, one episode a document as last committed."""
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    subject = top.name
    episodes: list[Episode] = []
    for name in _git(top, "ls-files", "-z", "--", "*.md").split("\0"):
        path = top / name
        if name and path.is_file() and path.stat().st_size <= NOTE_BYTES:
            episodes.append(
                {
                    "subject_id": subject,
                    "key_parts": ["note", name],
                    "key_policy": "revision",
                    "source": "notes",
                    "text": path.read_text(encoding="utf-8"),
                    "occurred_at": _git(top, "log", "-1", "--format=%cI", "--", name).strip(),
                }
            )
    return Batch("notes", tuple(each for each in episodes if each["occurred_at"] and str(each["text"]).strip()))


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments],
            capture_output=True,
            check=True,
            timeout=60,
        )
    except FileNotFoundError as error:
        raise SourceUnreadable("git is not installed; install it to read a history") from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise SourceUnreadable(f"git could not read {folder}; give --repository a git checkout") from error
    return done.stdout.decode("utf-8", errors="replace")


def conversation(path: Path) -> Batch:
    """Read a conversation, one JSON object a line: role, content, name?, at, session_id?; key `chat:<session>:<line>`.

    Raises InvalidInput naming the line.
    """
    return Batch(f"conversation {path.name}", tuple(_turns(path)))


def _turns(path: Path) -> Iterator[Episode]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(f"{path} cannot be read as UTF-8 text") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            turn = json.loads(line)
            role, content, at = turn["role"], turn["content"], turn["at"]
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(f"{path.name} line {number} is no object with role, content and at") from error
        session = str(turn.get("session_id") or path.stem)
        message = {"role": role, "content": content, "name": turn.get("name")}
        yield {
            "subject_id": f"chat {path.stem}",
            "key_parts": ["chat", session, str(number)],
            "source": "chat",
            "session_id": session,
            "messages": [{key: value for key, value in message.items() if value is not None}],
            "occurred_at": at,
        }


def scripted() -> Batch:
    """Return the seeds' cases in a few lines: a corrected rate, a short stay, a move, a restated preference."""
    said = (
        ("docs-crawl", "2026-01-10T09:00:00Z", "Stripe charges 3.5% + 35c"),
        ("pricing-page", "2026-02-03T09:00:00Z", "Stripe charges 2.9% + 30c"),
        ("chat", "2026-02-04T10:00:00Z", "I live in Lisbon."),
        ("chat", "2026-02-05T10:00:00Z", "I prefer dark mode."),
        ("chat", "2026-03-02T09:00:00Z", "I am in Berlin this week."),
        ("chat", "2026-03-02T10:00:00Z", "I like dark mode."),
        ("ledger", "2026-03-03T10:00:00Z", "Invoice 1001 is paid"),
        ("ledger", "2026-03-03T10:05:00Z", "Invoice 1002 is paid"),
        ("chat", "2026-03-04T10:00:00Z", "I am allergic to peanuts."),
        ("chat", "2026-04-01T10:00:00Z", "I live in Porto."),
    )
    episodes = tuple(
        {
            "subject_id": SCRIPT_SUBJECT,
            "key_parts": ["script", str(number)],
            "source": source,
            "text": text,
            "occurred_at": at,
        }
        for number, (source, at, text) in enumerate(said, start=1)
    )
    return Batch("seed script", episodes)
