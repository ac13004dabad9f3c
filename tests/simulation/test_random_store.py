"""A store at random: anything that the faces allow, in any order, by one to three threads. After every compile it is
sound, a second compile changes nothing, and a new store that imports its export, in parts and shuffled, is the same.
"""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

import pytest

from stemma import Stemma
from tests.simulation.fleet import fresh_served
from tests.simulation.stories import Story
from tests.stores import Server


def tell(seed: int, steps: int, server: Server) -> None:
    """Tell one story and check it after every compile; after a third of them, and the last, against a new store."""
    with ExitStack() as stack:
        store = stack.enter_context(fresh_served(server))
        stemma = stack.enter_context(Stemma(store, clock=lambda: story.now, embedder="none"))
        story = Story(Random(seed), stemma)
        compiles = story.random.choice((0.1, 0.25, 0.6))
        try:
            for number in range(1, steps + 1):
                story.step()
                if story.random.random() < compiles or number == steps:
                    story.compile()
                    if number % 3 == 0 or number == steps:
                        import_elsewhere(story, server)
        except BaseException:
            print(f"seed {seed}", *story.told, sep="\n")
            raise


def import_elsewhere(story: Story, server: Server) -> None:
    """Make a new store and hold that an import of the story's log makes it the same."""
    with fresh_served(server) as new, Stemma(new, clock=lambda: story.now, embedder="none") as other:
        story.assert_an_import_is_the_same(other)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_every_compile_a_random_store_is_sound_and_equals_the_import_of_its_export(
    seed: int, served_server: Server
) -> None:
    """R-1, R-2, R-13, R-37, R-92, D-1, D-22: no order, split, repeat, act or erasure leaves what the log lacks."""
    tell(seed, 30, served_server)


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(100, 200))
def test_a_hundred_longer_stories_end_as_their_logs_say(seed: int, served_server: Server) -> None:
    """R-2, R-13: the same over a hundred stories of ninety steps."""
    tell(seed, 90, served_server)
