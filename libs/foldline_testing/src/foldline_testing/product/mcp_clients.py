"""Programs that use an agent by MCP, as the tests of the whole product start them."""

import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from foldline.cli.client import Gateway
from foldline_testing.product.forked import Forked, Streams
from foldline_testing.product.stack import Stack

ERAS = ("2026-07-28", "legacy")
RIGHTS = ("read", "say", "fork", "tools")
# sh gives a program in the background an empty input, unless it is told another one.
_RELAY = 'exec 3<&0; cat <&3 >"$1" & exec cat "$2"'


def mcp_token(door: Gateway, name: str, agent: str, rights: Sequence[str] = RIGHTS) -> str:
    """A token for an agent."""
    body = {"name": name, "agent_id": agent, "rights": list(rights)}
    return str(door.post("/program-tokens", body)["token"])


@contextlib.asynccontextmanager
async def client(stack: Stack, token: str, mode: str = ERAS[0], **more: Any) -> AsyncIterator[Client]:
    """A client by HTTP."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
        transport = streamable_http_client(f"{stack.url}/mcp", http_client=http)
        async with Client(transport, mode=mode, **more) as opened:
            yield opened


@contextlib.asynccontextmanager
async def by_stdio(stack: Stack, token: str, mode: str, **more: Any) -> AsyncIterator[Client]:
    """A client that starts a program, whose input and output are those of `foldline mcp serve`.

    That is forked from a process that has imported it, which takes three seconds of a processor. The
    conformance tests have a client start the command itself.
    """
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")},
        "FOLDLINE_DATA_DIR": str(stack.data_dir),
        "FOLDLINE_MCP_TOKEN": token,
    }
    with tempfile.TemporaryDirectory() as kept:
        streams = Streams(*(Path(kept) / name for name in ("in", "out", "err")))
        for pipe in (streams.stdin, streams.stdout):
            os.mkfifo(pipe)
        streams.stderr.touch()
        server = Forked(["mcp", "serve"], env, Path.cwd(), streams)
        try:
            words = ["-c", _RELAY, "relay", str(streams.stdin), str(streams.stdout)]
            async with Client(StdioServerParameters(command="sh", args=words), mode=mode, **more) as opened:
                yield opened
        finally:
            server.kill()
            sys.stderr.write(streams.stderr.read_text(errors="replace"))


def opening(stack: Stack, token: str, by: str, mode: str) -> Any:
    """A client `by` http or stdio; untyped, since tests read what they expect of its results."""
    return client(stack, token, mode) if by == "http" else by_stdio(stack, token, mode)
