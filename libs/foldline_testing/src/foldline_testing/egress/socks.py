"""For tests: a SOCKS 5 proxy on this machine, behind which every name is one server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def socks_proxy(port: int, user: str | None = None) -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that leads whatever it is asked for to `port` of this machine; its `host:port`, and the names
    that it was asked for. With `user` it wants that user, with the password `secret`."""
    asked: list[str] = []
    under_way: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        under_way.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            _, several = await reader.readexactly(2)
            await reader.readexactly(several)
            writer.write(b"\x05\x00" if user is None else b"\x05\x02")
            if user is not None:
                _, length = await reader.readexactly(2)
                said = await reader.readexactly(length)
                [length] = await reader.readexactly(1)
                password = await reader.readexactly(length)
                is_known = (said, password) == (user.encode(), b"secret")
                writer.write(b"\x01\x00" if is_known else b"\x01\x01")
            _, _, _, kind = await reader.readexactly(4)
            size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
            name = await reader.readexactly(size)
            await reader.readexactly(2)
            asked.append(name.decode("latin-1"))
            to, back = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
            async with asyncio.TaskGroup() as group:
                group.create_task(_copied(reader, back))
                group.create_task(_copied(to, writer))
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
        await asyncio.gather(*under_way)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
