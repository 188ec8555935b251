"""What a program says on its standard output: messages are passed on, and anything else is passed over."""

import json
from typing import cast

import anyio
from mcp.shared.message import SessionMessage

from mcp_host.connecting.program import McpServerProcess
from mcp_host.connecting.stdio import _hear


class Says:
    """A program that says these lines, and ends."""

    def __init__(self, *lines: bytes) -> None:
        self._lines = list(lines)

    async def line(self) -> bytes | None:
        return self._lines.pop(0) if self._lines else None


def message(number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()


async def test_greetings_torn_lines_and_endless_nesting_keep_nothing_from_being_heard() -> None:
    deep = b'{"jsonrpc":"2.0","id":9,"method":"x","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    odd = (b"Welcome!", b"", b"{", b"[]", b"\xff\xfe", deep, b'{"jsonrpc":"2.0"}', b"null")
    lines = [line for number, one in enumerate(odd) for line in (one, message(number))]
    send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    await _hear(cast("McpServerProcess", Says(*lines)), send)
    async with receive:
        heard = [one.message.id async for one in receive if isinstance(one, SessionMessage)]  # type: ignore[union-attr]
    assert heard == list(range(len(odd)))
