"""Spoiled files never crash a reader, never hold it up, and never fill the memory (R-60)."""

from __future__ import annotations

import random
import resource
import time
from typing import Final

import pytest

from stemma.core.split import split
from stemma.errors import InvalidInput
from stemma.readers import read
from tests.property.test_split_properties import check
from tests.seeds_of_documents import seeds, spoiled

SECONDS_A_READ: Final = 5.0
MEGABYTES: Final = 400


def _run(seed: int, seconds: float) -> tuple[int, int, float]:
    """Read spoiled files for so long; give how many were tried, how many could be read, and the slowest reading."""
    draw, ending = random.Random(seed), time.monotonic() + seconds
    tried = good = 0
    slowest = 0.0
    files = seeds()
    while time.monotonic() < ending:
        media_type, content = draw.choice(files)
        content = spoiled(content, draw)
        started = time.monotonic()
        tried += 1
        try:
            found = read(content, media_type=media_type, admit_hidden=draw.random() < 0.3)
        except InvalidInput as error:
            assert error.code not in ("invalid", "internal"), (seed, media_type, content[:400])
        else:
            good += 1
            assert "\0" not in found.text
            assert (
                "\ufffd" not in found.text
                or b"\xef\xbf\xbd" in content
                or found.media_type in ("application/pdf", "text/html", "message/rfc822")
            )
            if len(found.text) < 2_000:
                check(found.text, split(found, count=lambda text: len(text.split()), limit=20))
        slowest = max(slowest, time.monotonic() - started)
        assert slowest <= SECONDS_A_READ, (seed, media_type, content[:400])
    return tried, good, slowest


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("seed", [1, 2])
def test_spoiled_files_are_read_or_refused_by_name(seed: int) -> None:
    before = _megabytes()
    tried, good, _ = _run(seed, 4.0)
    assert tried > 50
    assert 0 < good < tried
    assert _megabytes() - before < MEGABYTES


_LARGE: Final = {
    "one line": b"word " * 1_000_000,
    "many lines": b"a\n" * 150_000,
    "blank lines": b"\r\n" * 90_000,
    "a word": b"x" * 5_000_000,
    "quotations": b"> " * 1_000_000,
    "items": b"- x\n" * 90_000,
    "pipes": b"|a" * 500_000 + b"\n" + b"|-" * 500_000,
    "tags": b"<p>x</p>" * 190_000,
    "open tags": b"<" * 5_000_000,
    "comments": b"<!--" * 1_000_000,
    "attributes": b"<p " + b"a=b " * 1_000_000 + b">x",
    "styles": b"<style>" + b".a{display:none}" * 100_000 + b"</style>" + b"<p class=a>x</p>" * 5_000,
    "a sheet without rules": b"<style>" + b"a" * 4_000_000 + b"</style>x",
    "comments of a sheet": b"<style>" + b"/*" * 1_000_000 + b"</style>x",
    "closed comments": b"<!---->" * 500_000 + b"x",
    "tags that never end": b"<a" * 1_000_000,
    "a heading of spaces": b"# a" + b" " * 1_000_000 + b"b",
    "dashes": b"-" * 1_000_000 + b"x",
    "commas": b"," * 5_000_000,
    "quotes": b'"' * 4_999_999,
    "numbers": b"[" + b"1," * 1_500_000 + b"1]",
    "backslashes": b'["' + b'\\"' * 2_000_000,
    "headers": b"From: a\nSubject: b\n" + b"X: y\n" * 400_000,
    "encoded words": b"From: a\nSubject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n\nx",
    "dashes in a body": b"From: a\nSubject: b\n\n" + b"-" * 1_000_000 + b"x",
    "half-encoded words": b"From: a\nSubject: " + b"=?utf-8?q?J=C3==: " * 20_000 + b"\n\nx",
    "parts": b"From: a\nSubject: b\nContent-Type: multipart/mixed; boundary=B\n\n" + b"--B\n\nx\n" * 100_000,
    "not utf-8": "Причал три. ".encode("cp1251") * 300_000,
}


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/html", "text/csv", "application/json"])
@pytest.mark.parametrize("shape", _LARGE)
@pytest.mark.prove
def test_large_files_of_one_shape_take_no_longer_than_five_seconds(shape: str, media_type: str) -> None:
    started = time.process_time()
    try:
        read(_LARGE[shape], media_type=media_type)
    except InvalidInput as error:
        assert error.code != "invalid"
    assert time.process_time() - started <= SECONDS_A_READ


@pytest.mark.parametrize(
    ("shape", "media_type"),
    [
        ("tags", "text/html"),
        ("tags that never end", "text/html"),
        ("a sheet without rules", "text/html"),
        ("comments of a sheet", "text/html"),
        ("closed comments", "text/plain"),
        ("dashes in a body", "text/plain"),
        ("a heading of spaces", "text/markdown"),
        ("items", "text/markdown"),
        ("half-encoded words", "message/rfc822"),
        ("backslashes", "application/json"),
    ],
)
def test_large_files_of_their_kind_take_no_longer_than_five_seconds(shape: str, media_type: str) -> None:
    test_large_files_of_one_shape_take_no_longer_than_five_seconds(shape, media_type)


@pytest.mark.prove
@pytest.mark.timeout(900)
def test_spoiled_files_for_ten_minutes() -> None:
    before = _megabytes()
    for seed in range(100, 160):
        print(seed, *_run(seed, 10.0), round(_megabytes()), flush=True)
    assert _megabytes() - before < MEGABYTES
