"""`notes_list`."""

from agent_tools.ports.agent import AgentNotebook
from agent_tools.text import Text
from agent_tools.tool import PURE, Arguments, tool


class NotesList(Arguments):
    """Nothing."""


@tool("notes_list", family="notes", effect=PURE)
async def notes_list(args: NotesList, notebook: AgentNotebook) -> Text:
    """List the tabs of the notes that the user keeps on the page Notes, and whether you may read and write
    each."""
    switch = {True: "on", False: "off"}
    lines = [
        f"{tab.name} (read: {switch[tab.agent_read]}, write: {switch[tab.agent_write]})"
        for tab in await notebook.tabs()
    ]
    return Text(text="\n".join(lines) or "No tabs.")
