"""A member set in JSON as people write it: comments, order, spacing and commas of everything else stay."""

from __future__ import annotations

import json

import pytest

from stemma.edges.json_text import read, set_member
from stemma.errors import MalformedJson

ENTRY = {"command": "stemma", "args": ["mcp"]}
PATH = ("servers", "stemma")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "{ }\n",
        '{"servers": {}}',
        '{"servers": {}, "a": 1}',
        '{\n  "servers": {\n  }\n}\n',
        '{"a": [1, 2.5e3, true, null, "x\\"y//z"], "servers": {"other": {"url": "http://x"}}}',
        '{\n\t"servers": {\n\t\t"other": {"command": "a"},\n\t},\n}\n',
        '{\r\n    "a": 1\r\n}\r\n',
        '// mine\n{\n  // of the team\n  "servers": {\n    "other": 1 /* here */ // there\n  } // end\n}\n// bye\n',
        '{"servers": {"stemma": {"command": "old", "args": []}, "z": 1}}',
        '{"servers": {/* none yet */}}',
    ],
)
def test_an_entry_is_set_and_all_else_means_what_it_meant(text: str) -> None:
    """R-82: other entries are kept."""
    before = read(text).value if text.strip() else {}
    made = set_member(text, PATH, ENTRY)
    assert read(made).value == {**before, "servers": {**before.get("servers", {}), "stemma": ENTRY}}
    assert set_member(made, PATH, ENTRY) == made
    for comment in ("// mine", "// of the team", "/* here */", "// there", "// end", "// bye", "/* none yet */"):
        assert made.count(comment) == text.count(comment)
    assert made.count("\r\n") in (0, made.count("\n"))
    assert all(line.strip().endswith("// there") for line in made.splitlines() if '"other": 1' in line)


def test_what_is_not_touched_stays_byte_by_byte() -> None:
    """R-82: a person's own formatting is theirs."""
    text = '{\n   "z" : [1,2],   // two\n   "servers": {\n      "other": {"command":"a"}\n   }\n}'
    assert set_member(text, PATH, {"command": "b"}) == (
        '{\n   "z" : [1,2],   // two\n   "servers": {\n      "other": {"command":"a"},\n'
        '      "stemma": {\n         "command": "b"\n      }\n   }\n}'
    )


def test_a_new_file_is_plain_json() -> None:
    """R-82."""
    assert json.loads(set_member("", PATH, ENTRY)) == {"servers": {"stemma": ENTRY}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "no }"),
        ("[]", "the file is no JSON object"),
        ('{"servers": []}', "servers is no JSON object"),
        ('{"a": 1 "b": 2}', "no comma"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ('{"a": nothing}', "is no JSON"),
        ('{"a"}', "no :"),
        ("{} {}", "more than one value"),
        ('{"a": "x', "no value"),
        ("[" * 300, "nested too deep"),
    ],
)
def test_what_cannot_be_read_for_certain_is_refused(text: str, told: str) -> None:
    """R-82: a file is never guessed at."""
    with pytest.raises(MalformedJson, match=told):
        set_member(text, PATH, ENTRY)
