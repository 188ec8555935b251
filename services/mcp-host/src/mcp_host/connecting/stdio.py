"""A program as the SDK speaks with servers: messages in, messages out, one a line."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter

from agent_contracts.json_lines import one_line
from agent_platform.log.storable_text import storable
from mcp_host.connecting.program import McpServerProcess

_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError)


def over_pipes(program: McpServerProcess) -> Transport:
    """The transport over a running program. It ends when either does."""
    return _streams(program)


@asynccontextmanager
async def _streams(
    program: McpServerProcess,
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    heard, to_session = _pair()
    told, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    hearing = asyncio.create_task(_hear(program, heard))
    telling = asyncio.create_task(_tell(program, from_session, heard))
    try:
        yield to_session, told
    finally:
        for task in (hearing, telling):
            task.cancel()
        await asyncio.wait({hearing, telling})
        for stream in (heard, to_session, told, from_session):
            stream.close()


def _pair() -> tuple[
    MemoryObjectSendStream[SessionMessage | Exception], MemoryObjectReceiveStream[SessionMessage | Exception]
]:
    return anyio.create_memory_object_stream(0)


async def _hear(program: McpServerProcess, heard: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Pass on what it says. A line that isn't a message is left out: some programs greet."""
    try:
        while (line := await program.line()) is not None:
            try:
                message = _message(line)
            except (ValueError, RecursionError):
                continue
            await heard.send(SessionMessage(message))
    except _GONE:
        return
    finally:
        heard.close()


def _message(line: bytes) -> JSONRPCMessage:
    """Raises ValueError for a line that is none, RecursionError for one that is nested too deep."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        # Half a character in one name, or a schema of 200 levels, would lose the whole message there.
        return jsonrpc_message_adapter.validate_python(storable(json.loads(line)), by_name=False)


async def _tell(
    program: McpServerProcess,
    from_session: MemoryObjectReceiveStream[SessionMessage],
    heard: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    try:
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            program.stdin.write(one_line(text.encode()) + b"\n")
            await program.stdin.drain()
    except (OSError, *_GONE):
        heard.close()  # whoever waits for an answer learns that there will be none
