"""The public sets as documents with titles, for whoever indexes them through the product. Nothing of them is kept."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.public_sets import SCIFACT_CHARACTERS, Question, scifact, xquad
from stemma.core.documents import indexed_text

LANGUAGES = ("en", "de", "es", "zh", "ar", "el", "hi", "ro", "ru", "th", "tr", "vi")
SETS = ("SciFact", "Cranfield", *(f"XQuAD {language}" for language in LANGUAGES))
_DOCUMENT = re.compile(r"<docno>\s*(\d+)\s*</docno>\s*<title>(.*?)</title>.*?<text>(.*?)</text>\s*</doc>", re.DOTALL)
# Left by a wrong decoding in a few texts; the product refuses them by name.
_CONTROL = re.compile(r"[\x80-\x9f]")
_QUERY = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a set by its own id."""

    name: str
    title: str | None
    text: str

    @property
    def whole(self) -> str:
        """Give what the baselines read: the title before the text, as the product indexes it."""
        return indexed_text(self.title, "", self.text)


@dataclass(frozen=True, slots=True)
class Collection:
    """A set to index and what is asked of it; `right` of a question names documents."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    language: str = "en"

    def first(self, documents: int) -> "Collection":
        """Keep so many documents and the questions that one of them answers, for a trial of the script itself."""
        kept = self.documents[:documents]
        names = {one.name for one in kept}
        asked = tuple(replace(q, right=q.right & names) for q in self.questions if q.right & names)
        return Collection(self.name, kept, asked, self.language)


def scifact_documents(
    folder: Path, *, documents: int = 1000, characters: int | None = SCIFACT_CHARACTERS
) -> Collection:
    """Read SciFact: the study's slice of 1,000 abstracts cut at 800 characters, or with None the abstracts whole."""
    scope = scifact(folder, documents=documents, characters=characters)
    titles = scifact_titles(folder)
    found = tuple(
        Document(name, _printed(titles[name]), _printed(text[len(titles[name]) :]))
        for name, text in scope.texts.items()
    )
    return Collection(f"SciFact {len(found):,} abstracts", found, tuple(scope.questions))


def scifact_titles(folder: Path) -> dict[str, str]:
    """Read the titles of all abstracts by id."""
    with gzip.open(folder / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        return {row["_id"]: row["title"] for row in map(json.loads, file)}


def cranfield(folder: Path) -> Collection:
    """Read Cranfield: 1,400 abstracts, 225 questions; right is any grade above 0. A record without words is left out.

    The judgements count the questions from 1 in the order of the file, whatever the numbers in it say. They hold one
    grade of 0 a question: by its title the paper whose author asked it, which was not judged (decision 0008).
    """
    right: dict[int, set[str]] = {}
    source: dict[int, set[str]] = {}
    for line in (folder / "cranfield" / "cranqrel.trec.txt").read_text("utf-8").splitlines():
        number, _, name, grade = line.split()
        (right if int(grade) > 0 else source).setdefault(int(number), set()).add(name)
    written = (folder / "cranfield" / "cran.all.1400.xml").read_text("utf-8")
    found = tuple(_cranfield_documents(written))
    names = {one.name for one in found}
    asked = _QUERY.findall((folder / "cranfield" / "cran.qry.xml").read_text("utf-8"))
    questions = (
        Question(
            " ".join(text.split()),
            right=frozenset(right.get(number, set()) & names),
            source=frozenset(source.get(number, set())),
        )
        for number, text in enumerate(asked, start=1)
    )
    return Collection("Cranfield", found, tuple(one for one in questions if one.right))


def xquad_documents(folder: Path, language: str) -> Collection:
    """Read XQuAD in one language: 240 paragraphs without titles, 1,190 questions."""
    scope = xquad(folder, language)
    found = tuple(Document(name, None, _printed(text)) for name, text in scope.texts.items())
    return Collection(f"XQuAD {language}", found, tuple(scope.questions), language)


def is_there(folder: Path, name: str) -> bool:
    """Say whether a folder holds the files of a set: of XQuAD some hold a few languages alone."""
    if name.startswith("XQuAD "):
        return (folder / "xquad" / f"xquad.{name.removeprefix('XQuAD ')}.json.gz").is_file()
    return (folder / name.lower().partition(" ")[0]).is_dir()


def read_set(folder: Path, name: str) -> Collection:
    """Read one set by its name among `SETS`."""
    if name == "SciFact":
        return scifact_documents(folder)
    if name == "SciFact whole":
        return scifact_documents(folder, documents=10_000, characters=None)
    if name == "Cranfield":
        return cranfield(folder)
    return xquad_documents(folder, name.removeprefix("XQuAD "))


def _printed(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def _cranfield_documents(written: str) -> Iterator[Document]:
    for name, title, text in _DOCUMENT.findall(written):
        # The text begins with the title once more.
        title, text = title.strip(), text.strip()
        body = text.removeprefix(title).strip()
        called = " ".join(title.split())
        if body:
            yield Document(name, called or None, body)
        elif called:
            yield Document(name, None, called)


def written_slice(path: Path) -> Collection:
    """Read a collection from a gzipped file of JSON lines: documents (id, title, text), then questions with `right`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    found = tuple(Document(row["id"], row["title"], row["text"]) for row in rows if "id" in row)
    asked = tuple(Question(row["question"], frozenset(row["right"])) for row in rows if "question" in row)
    return Collection(f"SciFact {len(found):,} abstracts", found, asked)
