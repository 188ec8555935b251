"""`notes_revert`."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.ports.agent import AgentNotebook
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.notes.tabs import TabName, require_tab, require_writable, written

_MOST = 10


class NotesRevert(Arguments):
    """Of which tab, and how far."""

    tab: TabName
    steps: Annotated[int, Field(ge=1, le=_MOST, description="Changes to take back, 1 to 10.")] = 1


@tool("notes_revert", family="notes", effect=RECORDED)
async def notes_revert(args: NotesRevert, notebook: AgentNotebook) -> Text:
    """Take back the last changes of a tab of the user's notes that you may write."""
    tab = require_tab(await notebook.tabs(), args.tab)
    require_writable(tab)
    try:
        back = await notebook.take_back(tab.name, args.steps)
    except Rejected as refused:
        if refused.kind != ErrorKind.REJECTED:
            raise
        raise Rejected(f"Error: {refused.message}", path="/steps") from refused
    steps = "1 step" if args.steps == 1 else f"{args.steps} steps"
    return Text(text=f"{written(back, 'Reverted').removesuffix('.')} by {steps}.")
