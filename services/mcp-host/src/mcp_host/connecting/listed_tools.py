"""What a server lists as its tools, now and after each change that it tells."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import structlog
from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.errors import ErrorKind, Rejected
from egress.redaction import Redaction
from mcp_host import limits
from mcp_host.connecting.background import beside
from mcp_host.definitions.app_pages import pages
from mcp_host.definitions.listing import app_of, kept
from mcp_host.definitions.paging import McpListing, all_pages
from mcp_host.definitions.sifting import FlawedEntry

log = structlog.get_logger()


class ListedTools:
    """The tools of one connection. `told` is told each time what the server lists. Nothing of the values that
    `redaction` takes out gets into the log."""

    def __init__(
        self,
        told: Callable[[McpTools], Awaitable[None]],
        ended: asyncio.Event,
        redaction: Callable[[], Redaction],
    ) -> None:
        """`ended`: the connection is over."""
        self._told = told
        self._ended = ended
        self._again = asyncio.Event()
        self._up_to_date = asyncio.Event()
        self.tools = McpTools()
        self._output: dict[str, dict[str, Any]] = {}
        self._redaction = redaction

    def again(self) -> None:
        """They may be others now."""
        self._up_to_date.clear()
        self._again.set()

    async def up_to_date(self) -> None:
        """Until `tools` are what the server lists after the last change that it told. `Rejected` where it
        tells changes all the time."""
        try:
            async with asyncio.timeout(limits.LIST_S):
                while not self._ended.is_set() and not self._up_to_date.is_set():
                    async with beside(self._up_to_date.wait(), self._ended.wait()) as tasks:
                        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError as error:
            message = f"the server's tools were not listed in {limits.LIST_S:g} seconds: nothing was sent"
            raise Rejected(message, kind=ErrorKind.TIMEOUT) from error

    async def first(self, client: Client) -> None:
        """List them for the first time."""
        if client.server_capabilities.tools is not None and await self._listed(client, limits.LIST_S):
            self._again.set()
        self._up_to_date.set()

    async def now(self, client: Client) -> None:
        """List them."""
        await self._listed(client, limits.LIST_S)

    async def _listed(self, client: Client, within_s: float) -> bool:
        """Whether more would have come with more time."""
        clean = self._redaction().text

        async def page(cursor: str | None) -> types.ListToolsResult:
            return await client.list_tools(cursor=cursor)

        found = await all_pages(client, page, lambda one: one.tools, within_s, clean)
        self._output = {one.name: one.output_schema for one in found.entries if one.output_schema is not None}
        apps = await pages(client, filter(None, map(app_of, found.entries)), self._redaction())
        named = client.server_info.name if client.server_info is not None else ""
        listing = McpListing(
            [self._without_secrets(one) for one in found.entries],
            [FlawedEntry(clean(one.name), one.at, clean(one.flaw)) for one in found.flawed],
            found.incomplete,
        )
        self.tools = kept(listing, clean(named), apps)
        await self._told(self.tools)
        return found.was_slow

    def output_schema(self, name: str) -> dict[str, Any] | None:
        """How the server says that the tool's structured results are; None where it doesn't."""
        return self._output.get(name)

    async def follow(self, client: Client) -> None:
        """List them again when the server says so; until cancelled."""
        modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
        listening = asyncio.create_task(self._listen(client)) if modern else None
        try:
            while True:
                await self._again.wait()
                self._again.clear()
                await self._listed(client, limits.LONG_LIST_S)
                if not self._again.is_set():
                    self._up_to_date.set()
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait({listening})

    async def _listen(self, client: Client) -> None:
        """Changes, as servers of the newer protocol tell them. Once it tells none any more, as it was started
        anew, say, the tools may be others."""
        if client.server_capabilities.tools is None:
            return
        delay = limits.FIRST_DELAY_S
        while True:
            listened_at = None
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    listened_at = time.monotonic()
                    if delay > limits.FIRST_DELAY_S:
                        self.again()  # what changed before it told changes again
                    async for _ in changes:
                        self.again()
            except (MCPError, SubscriptionLost, TimeoutError, RuntimeError) as error:
                if listened_at is None and delay == limits.FIRST_DELAY_S:
                    log.info("server.does_not_tell_changes", reason=str(error))
                    return
            self.again()
            if listened_at is not None and time.monotonic() - listened_at > limits.LONGEST_DELAY_S:
                delay = limits.FIRST_DELAY_S
            await asyncio.sleep(delay)
            delay = min(2 * delay, limits.LONGEST_DELAY_S)

    def _without_secrets(self, tool: types.Tool) -> types.Tool:
        redaction = self._redaction()
        if not redaction.finds(tool.model_dump_json(by_alias=True)):
            return tool
        said = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        return types.Tool.model_validate(redaction.json(said))
