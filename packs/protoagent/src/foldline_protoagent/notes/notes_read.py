"""`notes_read`."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.notebook import LONGEST_TAB_NAME
from agent_tools.ports.agent import AgentNotebook
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool
from foldline_protoagent.notes.tabs import not_shared, require_tab


class NotesRead(Arguments):
    """Which."""

    tab: Annotated[
        str, Field(max_length=LONGEST_TAB_NAME, description="Its name; empty: each that you may read.")
    ] = ""


@tool("notes_read", family="notes", effect=PURE)
async def notes_read(args: NotesRead, notebook: AgentNotebook) -> Text:
    """Read what the user noted: one tab, or all that are shared with you."""
    tabs = await notebook.tabs()
    if args.tab.strip():
        tab = require_tab(tabs, args.tab.strip())
        if not tab.agent_read:
            raise not_shared(tab)
        return Text(text=tab.content or "(empty)")
    shared = [f"# {tab.name}\n{tab.content or '(empty)'}" for tab in tabs if tab.agent_read]
    return Text(text="\n\n".join(shared) or "No tabs are shared.")
