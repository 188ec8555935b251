"""`notes_write`."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.entities.notebook import LONGEST_NOTES
from agent_tools.ports.agent import AgentNotebook
from agent_tools.text import Text
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_protoagent.notes.tabs import TabName, require_tab, require_writable, written


class NotesWrite(Arguments):
    """What, and where."""

    tab: TabName
    content: Annotated[str, Field(max_length=LONGEST_NOTES, description="Markdown.")]
    mode: Annotated[Literal["append", "replace"], Field(description="append: below what is there.")] = (
        "append"
    )


@tool("notes_write", family="notes", effect=RECORDED)
async def notes_write(args: NotesWrite, notebook: AgentNotebook) -> Text:
    """Write into a tab of the user's notes that is there already and that you may write. The user sees it at
    once; notes_revert takes it back."""
    tab = require_tab(await notebook.tabs(), args.tab)
    require_writable(tab)

    def change(before: str) -> str:
        if args.mode == "replace":
            return args.content
        gap = "" if not before or before.endswith("\n") else "\n"
        return f"{before}{gap}{args.content}"

    how = "Replaced" if args.mode == "replace" else "Appended to"
    return Text(text=written(await notebook.change(tab.name, change), how))
