"""Names are asked for beside everything else: a server of names that doesn't answer holds up nobody."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from egress.dialing import SystemResolver


async def test_names_that_nobody_answers_for_hold_up_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered, real = threading.Event(), socket.getaddrinfo

    def ask(host: Any, *args: Any, **more: Any) -> Any:
        if str(host).endswith(".slow.test"):
            answered.wait(60)
            raise OSError("no answer")
        return real(host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", ask)
    asking = [asyncio.create_task(SystemResolver().addresses(f"{n}.slow.test")) for n in range(64)]
    try:
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        assert await asyncio.wait_for(loop.getaddrinfo("127.0.0.1", 80), 30)
        assert await asyncio.wait_for(asyncio.to_thread(str, 7), 30) == "7"
    finally:
        answered.set()
        failed = await asyncio.gather(*asking, return_exceptions=True)
    assert all(isinstance(one, OSError) for one in failed)
    assert await SystemResolver().addresses("127.0.0.1") == ["127.0.0.1"]
