"""Pages of the session's browser."""

from collections.abc import Sequence
from typing import Protocol

import msgspec


class OpenPage(msgspec.Struct, frozen=True):
    """A page of the session's browser: its id, which no other page of the session ever has, where it is, and
    the title that it was opened with, else its own."""

    page_id: str
    url: str
    title: str


class BrowserPages(Protocol):
    """The pages of the session's browser, by id. Offered to tools with `runs_on=RunsOn.BROWSER` alone, which
    find the tools of the family `browser` among `OtherTools`."""

    async def open(self, title: str) -> str:
        """Open a page, and use it: its id. `Rejected` where there are too many."""
        ...

    def use(self, page_id: str) -> None:
        """From here on, what the call's other tools do, they do on this page. `Rejected(kind="not_found")`
        with what became of it, if it isn't open."""
        ...

    async def close(self, page_id: str) -> None:
        """Close a page. `Rejected(kind="not_found")` if it isn't open."""
        ...

    async def list(self) -> Sequence[OpenPage]:
        """Those that are open, oldest first; none where the session has no browser."""
        ...
