"""A whole list of a server, page by page, within bounds; what is missing of it is said."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp import Client, MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, PaginatedResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_host import limits
from mcp_host.definitions.sifting import FlawedEntry, found_in

Entry = TypeVar("Entry")
Page = TypeVar("Page", bound=PaginatedResult)
_LOST = (CONNECTION_CLOSED, REQUEST_TIMEOUT)
_WORDS = 200


class NotListed(TimeoutError):
    """Not one page came in time; the words say so."""


@dataclass
class McpListing(Generic[Entry]):
    """The `entries` that can be used, in the server's order, and those that can't. `incomplete` says why
    there may be more; empty: these are all. `was_slow`: more may come if it is given more time."""

    entries: list[Entry] = field(default_factory=list)
    flawed: list[FlawedEntry] = field(default_factory=list)
    incomplete: str = ""
    was_slow: bool = False


async def all_pages(
    client: Client,
    page: Callable[[str | None], Awaitable[Page]],
    entries: Callable[[Page], Sequence[Entry]],
    within_s: float,
    clean: Callable[[str], str],
) -> McpListing[Entry]:
    """Every page until the server names no next one. `clean` takes secrets out of a server's words. Raises
    NotListed where none came in time, and what the server answers instead of the first one."""
    listing: McpListing[Entry] = McpListing()
    pages = _Pages(listing, client.protocol_version in MODERN_PROTOCOL_VERSIONS)
    try:
        async with asyncio.timeout(within_s):
            while pages.has_next:
                try:
                    found = await page(pages.cursor)
                except (MCPError, ValueError, RuntimeError) as error:
                    if not pages.number or (isinstance(error, MCPError) and error.code in _LOST):
                        raise
                    words = clean(str(error))[:_WORDS]
                    listing.incomplete = f"the server did not give page {pages.number + 1} of it: {words}"
                    break
                pages.take(found, entries(found))
    except TimeoutError as error:
        if not pages.number:
            raise NotListed(f"it connected, but did not list anything within {within_s:g} seconds") from error
        listing.incomplete = f"only {pages.number} pages of it came within {within_s:g} seconds"
        listing.was_slow = True
    return listing


class _Pages:
    """Where in the list we are."""

    def __init__(self, listing: McpListing[Any], is_modern: bool) -> None:
        self._listing = listing
        self._is_modern = is_modern
        self._seen: set[str] = set()
        self._taken = self._bytes = 0
        self.cursor: str | None = None
        self.number = 0
        self.has_next = True

    def take(self, page: PaginatedResult, entries: Sequence[Any]) -> None:
        """Add a page, and see whether there is another."""
        found = found_in(page)
        self.number += 1
        self._listing.entries += entries
        before = self._taken
        self._listing.flawed += [FlawedEntry(one.name, before + one.at, one.flaw) for one in found.flawed]
        self._taken += len(entries) + len(found.flawed)
        self._bytes += found.size
        cursor = page.next_cursor
        # An empty cursor is one since 2026-07-28; before, servers say by it that there is no next page.
        self.has_next = cursor is not None and (cursor != "" or self._is_modern)
        if found.notes:
            self._listing.incomplete = f"page {self.number} of it: {'; '.join(found.notes)}"[: 2 * _WORDS]
        if not self.has_next or cursor is None:
            return
        over = self._why_over(cursor)
        if over:
            self._listing.incomplete = over
            self.has_next = False
        self._seen.add(cursor)
        self.cursor = cursor

    def _why_over(self, cursor: str) -> str:
        if cursor in self._seen:
            return f"after page {self.number} the server named a page again that it had named before"
        if self.number >= limits.PAGES:
            return f"it has more than {limits.PAGES} pages, which are the most that are read"
        if self._taken >= limits.ENTRIES:
            return f"it has more than {self._taken:,} entries, and at most {limits.ENTRIES:,} are read"
        if self._bytes >= limits.LIST_BYTES:
            return f"it has more than {self._bytes // limits.MIB} MiB, which are the most that are read"
        return ""
