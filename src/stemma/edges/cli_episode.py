"""`stemma episode`: one episode by its id, or by its key and subject."""

from __future__ import annotations

from typing import Annotated

import typer

from stemma.app.episodes import find_episodes, get_episode
from stemma.app.models_episodes import EpisodeById, FindEpisodes
from stemma.app.problems import ask
from stemma.edges.cli_output import write_json, write_shown
from stemma.edges.cli_show import show
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.errors import NotFound


def episode(
    episode_id: Annotated[
        str, typer.Argument(help="The id of an episode; or its key, with --subject", metavar="ID", show_default=False)
    ],
    subject: Annotated[
        str | None, typer.Option("--subject", "--subject-id", help="The subject whose episode has this key")
    ] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read an episode: what was said, what was read of it, and why no memory came of the rest.

    Example: stemma episode 4e7c… --json
    Example: stemma episode github:acme:issue:4471 --subject ana
    """
    request = ask(EpisodeById, {"episode_id": episode_id})
    by_key = None if subject is None else ask(FindEpisodes, {"subject_id": subject, "key": episode_id})
    with opened(store, tenant) as session:
        named = session.runtime, session.tenant
        if by_key is not None and (found := find_episodes(*named, by_key).items):
            request = ask(EpisodeById, {"episode_id": found[0].episode_id})
        try:
            answer = get_episode(*named, request)
        except NotFound as error:
            raise NotFound(
                f"there is no episode with the id {'' if subject is None else 'or key '}{episode_id!r}; "
                "`stemma episode KEY --subject SUBJECT` looks a key up, `stemma episodes --subject SUBJECT` lists both",
                field="episode_id",
            ) from error
    if as_json:
        write_json(answer.model_dump_json(by_alias=True, indent=2))
    else:
        write_shown(answer, show)
