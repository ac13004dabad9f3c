"""The socket that the server listens on."""

from __future__ import annotations

import asyncio
import socket

from stemma.edges.serve import bind


def test_an_answer_is_sent_at_once_and_not_held_until_the_client_has_acknowledged_the_first_part() -> None:
    """R-81: what asyncio accepts on it has no delay, which otherwise is 40 ms for each answer of a kept connection."""

    async def delayed() -> bool:
        told: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            told.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = bind("127.0.0.1", 0)
        async with await asyncio.start_server(accepted, sock=listening):
            _, writer = await asyncio.open_connection("127.0.0.1", listening.getsockname()[1])
            writer.close()
            return not await told

    assert asyncio.run(delayed()) is False
