"""`stemma demo`: the whole path on real input, in a store that is thrown away unless one is named."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from stemma.app.demo import Question, Told, run
from stemma.app.demo_input import (
    SCRIPT_SUBJECT,
    Batch,
    conversation,
    git_history,
    notes,
    repository_name,
    scripted,
)
from stemma.app.models_memories import Memory
from stemma.app.runtime import open_runtime
from stemma.config import load_settings
from stemma.edges.cli_output import stderr_console, write_json
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption
from stemma.errors import SourceUnreadable

_BERLIN_WEEK = datetime(2026, 3, 4, tzinfo=UTC)
_AFTER = datetime(2026, 4, 2, tzinfo=UTC)
_QUESTIONS = (
    Question(SCRIPT_SUBJECT, "What does Stripe charge?", _AFTER),
    Question(SCRIPT_SUBJECT, "Where do I live?", _BERLIN_WEEK),
    Question(SCRIPT_SUBJECT, "Where do I live?", _AFTER),
    Question(SCRIPT_SUBJECT, "Which mode do I prefer?", _AFTER),
    Question(SCRIPT_SUBJECT, "What am I allergic to?", _AFTER),
)


def demo(
    repository: Annotated[Path, typer.Option(help="A git checkout whose history is read")] = Path(),
    chat: Annotated[Path | None, typer.Option(help="A conversation, one JSON object a line")] = None,
    question: Annotated[str | None, typer.Option(help="What to ask of the repository's history")] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ingest a git history, notes and a short script, compile twice, recall, and show a superseded pair.

    Example: stemma demo --repository . --chat talk.jsonl
    """
    began = time.perf_counter()
    console = stderr_console()
    batches, subject = _input(repository, chat, console)
    asked = list(_QUESTIONS)
    if subject is not None:
        asked.append(Question(subject, question or "What does the store do?"))
    settings = load_settings()
    with _place(store) as target, _progress(console) as bar:
        steps = {name: bar.add_task(name, total=None) for name in ("open store", "ingest", "compile")}
        opening = time.perf_counter()
        runtime = open_runtime(target, settings=settings)
        try:
            opened = time.perf_counter() - opening
            bar.update(steps["open store"], completed=1, total=1)
            told = run(
                runtime,
                tenant or settings.tenant,
                batches,
                asked,
                lambda step, done, of: bar.update(steps[step], completed=done, total=of),
            )
        finally:
            runtime.close()
    told.seconds = {"open store": opened, **told.seconds, "all": time.perf_counter() - began}
    if as_json:
        write_json(_as_json(told))
    else:
        _show(told, Console(markup=False, emoji=False, highlight=False, soft_wrap=True))


def _input(repository: Path, chat: Path | None, console: Console) -> tuple[list[Batch], str | None]:
    batches, subject = [scripted()], None
    try:
        subject = repository_name(repository)
        batches += [git_history(repository), notes(repository)]
    except SourceUnreadable as error:
        console.print(f"without a git history: {error.detail}")
    if chat is not None:
        batches.append(conversation(chat))
    return batches, subject


@contextlib.contextmanager
def _place(store: str | None) -> Iterator[str | Path]:
    """Give the store that is named, else a temporary folder that the server's user can reach."""
    if store is not None:
        yield store
        return
    folder = Path(tempfile.mkdtemp(prefix="stemma-demo-"))
    folder.chmod(0o755)
    try:
        yield folder / "store"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _progress(console: Console) -> Progress:
    return Progress(TextColumn("{task.description:<11}"), BarColumn(), MofNCompleteColumn(), console=console)


def _show(told: Told, out: Console) -> None:
    out.print("Ingested")
    for label, counts in told.ingested.items():
        out.print(
            f"  {label}: {', '.join(f'{number} {outcome}' for outcome, number in sorted(counts.items())) or 'none'}"
        )
    for line in told.rejected[:10]:
        out.print(f"  rejected {line}")
    for number, made in enumerate(told.compiles, start=1):
        out.print(
            f"Compile {number}: {made.episodes_compiled} episodes, {made.memories_created} created, "
            f"{_changed(told, number - 1)} changed, {made.memories_superseded} superseded"
        )
    for question, answer in told.answers:
        day = f" (asked on {question.now:%d %B %Y})" if question.now else ""
        out.print(f"\n{question.subject}: {question.text}{day}")
        for item in answer.items:
            if not hasattr(item, "memory"):
                continue
            out.print(f"  {item.score:.3f}  {' '.join(item.memory.text.split())}")
            out.print(f"         {_witness(item.memory)}")
        if not answer.items:
            out.print("  nothing is remembered")
    if told.pair is not None:
        decision, winner, loser = told.pair
        score = "" if decision.score is None else f", score {decision.score:.2f} of {decision.threshold:.2f} needed"
        out.print(f"\nA superseded pair, by rule {decision.rule}{score}")
        for label, memory in (("stands", winner), ("superseded", loser)):
            out.print(f"  {label}: {memory.text}")
            out.print(f"         {_witness(memory)}")
    out.print(f"\n{told.outstanding} vectors outstanding (they are made in the background of `stemma serve`)")
    out.print("  ".join(f"{step} {seconds:.2f} s" for step, seconds in told.seconds.items()))


def _changed(told: Told, index: int) -> int:
    made = told.compiles[index]
    return sum(
        (
            made.memories_restated,
            made.memories_superseded,
            made.memories_retracted,
            made.memories_reinstated,
            made.memories_quarantined,
        )
    )


def _witness(memory: Memory) -> str:
    said = [f"{each.key} ({each.source}, {each.occurred_at:%Y-%m-%d})" for each in memory.episodes[:3]]
    more = f" and {len(memory.episodes) - 3} more" if len(memory.episodes) > 3 else ""
    return f"said {memory.times_said}x by {', '.join(said)}{more}"


def _as_json(told: Told) -> str:
    return json.dumps(
        {
            "ingested": {label: dict(counts) for label, counts in told.ingested.items()},
            "rejected": told.rejected,
            "compiles": [each.model_dump(mode="json") for each in told.compiles],
            "answers": [
                {"subject_id": question.subject, "query": question.text, "answer": answer.model_dump(mode="json")}
                for question, answer in told.answers
            ],
            "superseded_pair": None if told.pair is None else [each.model_dump(mode="json") for each in told.pair],
            "vectors_outstanding": told.outstanding,
            "seconds": told.seconds,
        },
        ensure_ascii=False,
    )
