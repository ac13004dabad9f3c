"""An answer by a model: what it is asked, and its text checked sentence by sentence as it comes (R-63)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from stemma.app.document_search import Cited, title_of
from stemma.app.prompt_files import load_prompt
from stemma.app.runtime import Runtime
from stemma.chat_errors import ChatError
from stemma.core import answering
from stemma.core.answer_text import Coming, Sentence, finished, harmless, is_thinking, without_thinking
from stemma.core.answering import Removed, Shown, Source
from stemma.core.prompting import Block, fitting, question
from stemma.core.rules import Rules
from stemma.models.chat import Chat, Turn, Usage

PROMPT = "answer"


@dataclass(slots=True)
class Draft:
    """A model's answer while it comes: what of it is shown, what is not, and what is still open."""

    chat: Chat
    turns: Sequence[Turn]
    sources: dict[int, Source]
    rules: Rules
    shown: list[Shown] = field(default_factory=list)
    removed: list[Removed] = field(default_factory=list)
    failure: str | None = None
    is_cut: bool = False
    usage: Usage = field(default_factory=Usage)
    _whole: str = ""
    _begun: str | None = ""
    _coming: Coming = field(default_factory=Coming)
    _waiting: list[Sentence] = field(default_factory=list)

    @classmethod
    def to(cls, runtime: Runtime, chat: Chat, found: Cited, query: str) -> Self:
        """Write what the model is asked, and read what it may cite: the passages that fit, and no other."""
        blocks = fitting(_blocks(found), runtime.settings.chat_characters)
        turns = [Turn("system", load_prompt(PROMPT).text), Turn("user", question(query, blocks))]
        sources = {one.number: answering.source(one.number, _said_in(one), runtime.rules) for one in blocks}
        return cls(chat, turns, sources, runtime.rules)

    @property
    def is_refusal(self) -> bool:
        """Say whether the model answered that the passages do not answer."""
        return answering.is_refusal(self._whole)

    def ask(self) -> None:
        """Ask for the whole answer at once; a failure of the model is kept as such."""
        try:
            reply = self.chat.reply(self.turns)
        except ChatError as error:
            self.failure = error.code
            return
        self.usage, self.is_cut = reply.usage or Usage(), reply.is_cut
        self._take(reply.text)
        self._end()

    def streamed(self) -> Iterator[str]:
        """Ask, and give the text of each sentence that stands the check, with what parts it from the one before."""
        try:
            for piece in self.chat.stream(self.turns):
                self.usage, self.is_cut = piece.usage or self.usage, self.is_cut or piece.is_cut
                yield from self._pieces(self._take(piece.text))
        except ChatError as error:
            self.failure, self.is_cut = error.code, True
        yield from self._pieces(self._end())

    def _pieces(self, added: Sequence[Shown]) -> Iterator[str]:
        first = len(self.shown) - len(added)
        for place, one in enumerate(added, start=first):
            yield answering.piece(one, is_first=place == 0)

    def _take(self, text: str) -> list[Shown]:
        if self._begun is not None:
            self._begun += harmless(text)
            answer = without_thinking(self._begun)
            if answer is None:
                return []
            text, self._begun = answer, None
        return self._judged(harmless(text))

    def _end(self) -> list[Shown]:
        """Take what is left as the end; of an answer that was cut off, its last sentence is not whole."""
        rest, self._begun = self._begun, None
        if rest and not is_thinking(rest):
            self._judged(rest)
        if self.is_cut:
            self._coming = Coming()
        added = self._judged("\n")
        self.removed += [Removed(one.text, answering.Reason.UNCITED) for one in self._waiting]
        self._waiting = []
        return added

    def _judged(self, text: str) -> list[Shown]:
        self._whole += text
        said, self._coming = finished(self._coming, text)
        shown, removed, self._waiting = answering.judged([*self._waiting, *said], self.sources, self.rules)
        self.shown += shown
        self.removed += removed
        return shown


def _blocks(found: Cited) -> list[Block]:
    return [
        Block(
            one.number,
            title_of(found.heads[one.document_id]),
            tuple((passage.heading, found.text_of(passage)) for passage in one.passages),
            one.copy_of,
        )
        for one in found.citations
    ]


def _said_in(block: Block) -> str:
    return "\n\n".join([block.title, *(part for passage in block.passages for part in passage if part)])
