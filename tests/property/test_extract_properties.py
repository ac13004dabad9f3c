"""What holds of every extraction: exact spans, stable places, one clause one candidate, exact round trips."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stemma.core import times
from stemma.core.claims import unit_of
from stemma.core.codec import from_json, to_json
from stemma.core.extract import extract
from stemma.core.gate import MOST_CANDIDATES, Reason
from stemma.core.tokens import tokenise
from stemma.errors import InvalidInput
from stemma.records import Act, Candidate, Content, Extraction, Frame, GateRecord, Message, Polarity
from tests.extracting import read, shipped

PIECES = [
    "I live in",
    "I don't",
    "use",
    "Lisbon",
    "Porto",
    "no",
    "not",
    ",",
    ".",
    "?",
    ";",
    ":",
    "and",
    "my",
    "favourite",
    "editor",
    "is",
    "vim",
    "2.9%",
    "30c",
    "since 2010",
    "until Friday",
    "this week",
    "that was wrong",
    "Correction",
    "if",
    "suppose",
    "says",
    "*",
    "`",
    '"',
    ">",
    "\n",
    "\n\n",
    "    ",
    "```",
    "[[stemma:delivered]]",
    "[[/stemma:delivered]]",
    "ich",
    "wohne in",
    "vivo en",
    "😀",
    "ā̈",
    "3 May",
    "1001",
    "invoice",
    "we",
    "the user",
    "Stripe charges",
    "don't",
    "'",
    "(",
    ")",
    "-",
    "住在",
    "٣",
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(max_size=60)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_every_span_is_exact_and_every_place_counts(text: str) -> None:
    """R-32, D-9: spans are code points of the text, in bounds; places run from 0 without a gap."""
    extraction = read(text)
    assert [each.place for each in extraction.candidates] == list(range(len(extraction.candidates)))
    assert len(extraction.candidates) <= MOST_CANDIDATES
    spans = [(each.start, each.end) for each in extraction.candidates]
    spans += [(record.start, record.end) for record in extraction.gates]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    for candidate in extraction.candidates:
        assert (candidate.claim_key is None) != (candidate.frame is None) or candidate.act is Act.WRONG_LAST
        assert candidate.text
        assert all(times.is_moment(each) for each in (candidate.valid_from, candidate.valid_to) if each is not None)
    accepted = [record for record in extraction.gates if record.passed]
    assert len(accepted) == len(extraction.candidates)
    assert {record.reason for record in extraction.gates} <= {reason.value for reason in Reason}


@settings(max_examples=200, deadline=None)
@given(texts)
def test_an_extraction_survives_its_writing(text: str) -> None:
    """R-2: the cached form is canonical and exact."""
    extraction = read(text)
    written = to_json(extraction)
    assert from_json(written) == extraction
    assert to_json(from_json(written)) == written


@settings(max_examples=100, deadline=None)
@example(":-?")
@given(texts)
def test_a_message_says_what_a_text_says(text: str) -> None:
    """R-31: the same words in a user's turn and in a text are the same statements."""
    alone = read(text).candidates
    turn = extract(Content(messages=(Message("user", text),)), extractor=shipped()).candidates
    assert [replace(each, message=None) for each in turn] == list(alone)


@settings(max_examples=100, deadline=None)
@given(texts, texts)
def test_what_stands_in_another_message_changes_nothing(first: str, second: str) -> None:
    """R-33a: extraction of a message depends on that message; another's words join no sentence of it."""
    both = extract(Content(messages=(Message("user", first), Message("user", second))), extractor=shipped())
    alone = extract(Content(messages=(Message("user", first),)), extractor=shipped())
    of_first = [each for each in both.candidates if each.message == 0]
    assert of_first == list(alone.candidates)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_tokens_never_overlap_and_say_where_they_stand(text: str) -> None:
    """API: offsets are code points."""
    last = 0
    for token in tokenise(text):
        assert last <= token.start < token.end
        assert text[token.start : token.end] == token.raw
        last = token.end


moments = st.floats(0, 4e9, width=32).map(lambda seconds: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))
anchors = st.sampled_from(["said", "hour", "day", "week", "month", "year"])


@given(anchors, st.integers(-500, 500), moments)
def test_shifts_of_a_moment_keep_the_order_of_time(anchor: str, count: int, said: datetime) -> None:
    """R-35a: a later shift is never an earlier instant."""
    one, other = times.resolve(f"{anchor}{count:+d}", said), times.resolve(f"{anchor}{count + 1:+d}", said)
    assert one < other


@given(st.integers(1, 7), moments)
def test_the_next_and_the_last_weekday_lie_around_the_saying(weekday: int, said: datetime) -> None:
    """R-35a: until Friday ends within a week, since Monday began within one."""
    ahead, behind = times.resolve(f"weekday:{weekday}>", said), times.resolve(f"weekday:{weekday}<", said)
    assert ahead.isoweekday() == behind.isoweekday() == weekday
    assert 0 < (ahead - said).total_seconds() <= 7 * 86400
    assert 0 < (said - behind).total_seconds() <= 8 * 86400


words = st.text("ab|<n>", min_size=0, max_size=3)
frames = st.builds(Frame, *[st.lists(words, max_size=3).map(tuple)] * 3)
candidates = st.builds(
    Candidate,
    place=st.integers(0, 5),
    act=st.sampled_from(Act),
    voice=st.sampled_from(["own", "assistant", "name:bo"]),
    kind=st.sampled_from(["fact", "habit"]),
    value=words,
    shown=st.text(max_size=5),
    text=st.text(max_size=5),
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    claim_key=st.none() | words,
    scope=words,
    frame=st.none() | frames,
    polarity=st.sampled_from(Polarity),
    valid_from=st.none() | st.just("week+1"),
    holds_when_said=st.booleans(),
    message=st.none() | st.integers(0, 3),
    confidence=st.floats(0, 1) | st.just(1),
    importance=st.none() | st.floats(0, 1),
    suspect=st.none() | st.just("instruction_like"),
)
records = st.builds(
    GateRecord,
    gate=st.text(max_size=3),
    passed=st.booleans(),
    reason=st.text(max_size=3),
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    message=st.none() | st.just(0),
    kind=st.none() | st.just("fact"),
    score=st.none() | st.floats(0, 1),
    threshold=st.none() | st.just(0.5),
)


@given(
    st.builds(
        Extraction,
        st.text(max_size=5),
        st.lists(candidates, max_size=3).map(tuple),
        st.lists(records, max_size=3).map(tuple),
    )
)
def test_any_extraction_is_read_back_as_it_was(extraction: Extraction) -> None:
    """R-2: what was cached, exported or restored is what was extracted."""
    again = from_json(to_json(extraction))
    assert again == extraction
    assert repr(again) == repr(extraction)


@given(frames, frames)
def test_two_frames_share_a_unit_only_if_they_are_equal(one: Frame, other: Frame) -> None:
    """D-4, D-6: length-prefixed parts; no word of one list can pass for a word of the next."""
    base = Candidate(
        place=0, act=Act.SAY, voice="own", kind="fact", value="", shown="", text="", start=0, end=0, frame=one
    )
    assert (unit_of(base) == unit_of(replace(base, frame=other))) is (one == other)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"extractor": "x", "candidates": [{}], "gates": []}', "null"])
def test_what_is_no_extraction_is_refused_by_name(text: str) -> None:
    """R-11: a damaged cache is an error with a name."""
    with pytest.raises(InvalidInput):
        from_json(text)
