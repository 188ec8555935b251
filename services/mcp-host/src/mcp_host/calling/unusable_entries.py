"""What can't be used of a list, as models and people are told it."""

from typing import Any

from agent_tools.tool import Result
from mcp_host.definitions.paging import McpListing
from mcp_host.limits import MOST_LISTED


class UnusableEntry(Result):
    """An entry that is malformed: what it calls itself, or its place in the list, and its flaw."""

    name: str
    flaw: str


def unusable_of(*listings: McpListing[Any]) -> tuple[UnusableEntry, ...]:
    """Those of all the lists, within bounds."""
    flawed = [one for listing in listings for one in listing.flawed]
    return tuple(
        UnusableEntry(name=one.name[:200] or f"entry {one.at + 1}", flaw=one.flaw)
        for one in flawed[:MOST_LISTED]
    )
