"""Who has credentials is let in, whatever becomes of the reader that follows their changes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

import pytest

from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.services.embedded.nats_server import NatsServer
from foldline.supervisor import admitting


class Register:
    """Tells who there is now, and never a change; its first reader breaks."""

    def __init__(self) -> None:
        self.users: list[Any] = []
        self.readers = 0
        self.read_again = asyncio.Event()

    async def nats_users(self) -> list[Any]:
        return list(self.users)

    async def changes(self) -> AsyncGenerator[list[Any], None]:
        self.readers += 1
        if self.readers == 1:
            raise RuntimeError("not foreseen")
        yield list(self.users)
        self.read_again.set()
        await asyncio.Event().wait()


class Server:
    def __init__(self) -> None:
        self.admitted: asyncio.Queue[Sequence[Any]] = asyncio.Queue()

    def admit(self, others: Sequence[Any]) -> None:
        self.admitted.put_nowait(others)


class User:
    source = "shop"


async def test_a_change_that_nobody_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admitting, "_LOOK_S", 0.05)
    monkeypatch.setattr(admitting, "_AGAIN_S", 0.01)
    register, server = Register(), Server()
    following = asyncio.create_task(
        admitting._follow(cast(CredentialsRegister, register), cast(NatsServer, server), ())
    )
    early, shop = User(), User()
    register.users.append(early)
    async with asyncio.timeout(10):
        assert await server.admitted.get() == [early], (
            "who came after the server was told, before changes were followed"
        )
        await register.read_again.wait()
        register.users.append(shop)
        assert await server.admitted.get() == [early, shop]
    following.cancel()
    await asyncio.wait([following])
