"""What the tools for notes share: which tab is meant, and its arguments."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from agent_contracts.entities.notebook import LONGEST_TAB_NAME, NoteTab
from agent_contracts.errors import ErrorKind, Rejected

TabName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TAB_NAME, description="As notes_list says it.")
]


def require_tab(tabs: Sequence[NoteTab], name: str) -> NoteTab:
    """The tab of this name, whether in capitals or not. `Rejected(kind="not_found")` if there is none."""
    by_name = {tab.name: tab for tab in tabs}
    found = by_name.get(name) or {tab.name.casefold(): tab for tab in tabs}.get(name.casefold())
    if found is None:
        known = ", ".join(by_name) or "none"
        raise Rejected(f"Error: no such tab {name!r}. Tabs: {known}", kind=ErrorKind.NOT_FOUND, path="/tab")
    return found


def not_shared(tab: NoteTab) -> Rejected:
    """The refusal to read it."""
    return Rejected(
        f"Error: tab {tab.name!r} is not shared: its Agent read is off", kind=ErrorKind.BLOCKED, path="/tab"
    )


def written(tab: NoteTab, how: str) -> str:
    """What became of it, in words; of one that the agent may not read, not how much it says."""
    size = f" ({len(tab.content.split())} words, {len(tab.content)} chars)" if tab.agent_read else ""
    return f"{how} {tab.name!r}{size}."


def require_writable(tab: NoteTab) -> None:
    """`Rejected(kind="blocked")` for a tab that people don't let the agent write."""
    if not tab.agent_write:
        raise Rejected(
            f"Error: tab {tab.name!r} is read-only for you: its Agent write is off",
            kind=ErrorKind.BLOCKED,
            path="/tab",
        )
