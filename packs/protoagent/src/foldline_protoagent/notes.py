"""notes that people share in tabs"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.entities.notebook import LONGEST_NOTES, LONGEST_TAB_NAME, NoteTab
from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.ports.agent import AgentNotebook
from agent_tools.text import TextResult
from agent_tools.tool import PURE, RECORDED, Arguments, tool


class NotesList(Arguments):
    """Nothing."""


@tool("notes_list", family="notes", effect=PURE)
async def notes_list(args: NotesList, notebook: AgentNotebook) -> TextResult:
    """List the tabs of the notes that the user keeps on the page Notes, and whether you may read and write
    each."""
    switch = {True: "on", False: "off"}
    lines = [
        f"{tab.name} (read: {switch[tab.agent_read]}, write: {switch[tab.agent_write]})"
        for tab in await notebook.tabs()
    ]
    return TextResult(text="\n".join(lines) or "No tabs.")


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


class NotesRead(Arguments):
    """Which."""

    tab: Annotated[
        str, Field(max_length=LONGEST_TAB_NAME, description="Its name; empty: each that you may read.")
    ] = ""


@tool("notes_read", family="notes", effect=PURE)
async def notes_read(args: NotesRead, notebook: AgentNotebook) -> TextResult:
    """Read what the user noted: one tab, or all that are shared with you."""
    tabs = await notebook.tabs()
    if args.tab.strip():
        tab = require_tab(tabs, args.tab.strip())
        if not tab.agent_read:
            raise not_shared(tab)
        return TextResult(text=tab.content or "(empty)")
    shared = [f"# {tab.name}\n{tab.content or '(empty)'}" for tab in tabs if tab.agent_read]
    return TextResult(text="\n\n".join(shared) or "No tabs are shared.")


_MOST = 10


class NotesRevert(Arguments):
    """Of which tab, and how far."""

    tab: TabName
    steps: Annotated[int, Field(ge=1, le=_MOST, description="Changes to take back, 1 to 10.")] = 1


@tool("notes_revert", family="notes", effect=RECORDED)
async def notes_revert(args: NotesRevert, notebook: AgentNotebook) -> TextResult:
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
    return TextResult(text=f"{written(back, 'Reverted').removesuffix('.')} by {steps}.")


class NotesWrite(Arguments):
    """What, and where."""

    tab: TabName
    content: Annotated[str, Field(max_length=LONGEST_NOTES, description="Markdown.")]
    mode: Annotated[Literal["append", "replace"], Field(description="append: below what is there.")] = (
        "append"
    )


@tool("notes_write", family="notes", effect=RECORDED)
async def notes_write(args: NotesWrite, notebook: AgentNotebook) -> TextResult:
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
    return TextResult(text=written(await notebook.change(tab.name, change), how))
