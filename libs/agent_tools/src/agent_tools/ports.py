"""The ports that a tool may ask for by type. A runner says how each is built; tests put fakes in their place.

Besides these: `CallContext` (which call it is), the platform's `Blobs` and `Clock`, and what a runner offers
of its own. Reads of an agent's things are strong: they see every write that was acknowledged before, whoever
made it. A write raises `Transient` where too many others write the same thing at the same time.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, BinaryIO, Protocol, TypeVar

import msgspec

from agent_contracts.entities.agent_texts import AgentText
from agent_contracts.entities.definitions import D, Defined, DefinitionKind
from agent_contracts.entities.delegates import Delegate
from agent_contracts.entities.notebook import NoteTab
from agent_contracts.entities.schedules import Again, Reminder
from agent_contracts.files import FileScope, FileSource
from agent_contracts.json_value import Json
from agent_contracts.policies import Judged
from agent_contracts.questions.generation import Generate
from agent_contracts.session_events.results import Usage
from agent_domain.files.file import Content, File, FileRef, Stored
from agent_domain.policies.asked import Asked
from agent_domain.text_edits import TextEdit
from agent_domain.text_entities import TextVersion
from agent_tools.commands import Command, CommandRun, Exchange
from agent_tools.tool import Pause, Result, Tool
from egress.fetching import FetchRequest, FetchResponse

T = TypeVar("T")


class AgentState(Protocol):
    """The agent's key-value state."""

    async def get(self, key: str) -> Json:
        """The value under a key; None also where there is none."""
        ...

    async def set(self, key: str, value: Json) -> None:
        """Put a value under a key."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        ...

    async def keys(self) -> list[str]:
        """Every key that has a value (null included), sorted by code point."""
        ...


class AgentNotebook(Protocol):
    """The tabs of notes that people share with the agent.

    `Rejected`: `not_found` for a tab that there isn't, `blocked` for one that people don't let the agent
    write, `too_large` for more than a tab holds.
    """

    async def tabs(self) -> Sequence[NoteTab]:
        """All, in people's order, also those that the agent may not read."""
        ...

    async def change(self, name: str, change: Callable[[str], str]) -> NoteTab:
        """Give a tab the content that `change` makes of it; a new version."""
        ...

    async def take_back(self, name: str, steps: int) -> NoteTab:
        """Give a tab the content that it had before its last so many changes; a new version. `Rejected` with
        `rejected` where it has not been changed so often."""
        ...


class AgentTexts(Protocol):
    """The agent's texts: its prompt, its notes, a session's notepad."""

    async def read(self, which: AgentText) -> TextVersion:
        """The text and its version; version 0 is what it says before anybody wrote it."""
        ...

    async def edit(self, which: AgentText, edit: TextEdit) -> int:
        """Edit the text; its version afterwards, which stays if the text does. `Rejected` for an edit that
        can't be made."""
        ...


class AgentDefinitions(Protocol):
    """What the agent has made for itself, by kind and name."""

    async def create(self, kind: DefinitionKind[D], name: str, value: D) -> int:
        """Make one; its version, 1. `Rejected(kind="conflict")` if the name is taken."""
        ...

    async def update(self, kind: DefinitionKind[D], name: str, change: Callable[[D], D]) -> int:
        """Change one; its version then. `Rejected(kind="not_found")` if there is none."""
        ...

    async def delete(self, kind: DefinitionKind[D], name: str) -> bool:
        """Delete it; whether it was there."""
        ...

    async def read(self, kind: DefinitionKind[D], name: str, up_to: int | None = None) -> Defined[D]:
        """The definition now, or as of event `up_to`. `Rejected(kind="not_found")` if there is none."""
        ...

    async def list(self, kind: DefinitionKind[D]) -> Sequence[Defined[D]]:
        """All of a kind, by name."""
        ...


class SqlAnswer(msgspec.Struct, frozen=True):
    """What a statement gave, as JSON. `columns` is None for one that returns no rows; the last two are None
    for one that only reads."""

    columns: list[str] | None
    rows: list[list[Json]]
    truncated: bool
    changes: int | None = None
    last_insert_rowid: int | None = None


class Column(msgspec.Struct, frozen=True):
    """A column as it was declared; `pk`: it is part of the primary key."""

    name: str
    type: str
    notnull: bool
    pk: bool


class Table(msgspec.Struct, frozen=True):
    """A table, and how many rows it has."""

    name: str
    columns: list[Column]
    row_count: int


class AgentDatabase(Protocol):
    """The agent's SQLite database."""

    async def sql(self, statement: str, params: Sequence[Json]) -> SqlAnswer:
        """Run one statement. `Rejected` with the kind and path that the model is told."""
        ...

    async def tables(self) -> list[Table]:
        """Every table."""
        ...


class AgentFiles(Protocol):
    """The files that the call's session sees: its workspace's and the agent's.

    `Rejected` with `not_found`, `conflict` (a path is taken; a version moved on), `invalid_arguments` (a path
    that can't be) or `too_large` (a file, or all of the agent's).
    """

    async def list(self) -> Sequence[File]:
        """All, by path."""
        ...

    async def find(self, ref: FileRef, version: int | None = None) -> File:
        """The file, as it is or as an earlier version."""
        ...

    async def read(self, file: File) -> bytes:
        """The bytes of this version."""
        ...

    async def store(self, path: str, data: BinaryIO, source: FileSource) -> Stored:
        """Store what is in an open file, without having it in memory, to `create` a file at this path."""
        ...

    async def create(self, path: str, content: Content | Stored, scope: FileScope | None = None) -> File:
        """Make a file; in the session's workspace, unless said otherwise or a page calls."""
        ...

    async def write(self, ref: FileRef, content: Content, version: int | None = None) -> File:
        """Make the next version; with `version`, only if the file still has that one."""
        ...

    async def edit(
        self, ref: FileRef, change: Callable[[File, bytes], Awaitable[Content]], version: int | None = None
    ) -> File:
        """Make the next version out of the current one; `change` is asked again where another write came
        between, unless `version` is given."""
        ...

    async def rename(self, ref: FileRef, path: str, version: int | None = None) -> File:
        """Give it another path; a new version."""
        ...

    async def promote(self, ref: FileRef) -> File:
        """Make a session's file one of the agent's; a new version."""
        ...

    async def delete(self, ref: FileRef, version: int | None = None) -> bool:
        """Delete it; whether it was there."""
        ...


class NewLines(msgspec.Struct, frozen=True):
    """A text in place of a file's lines from `first` to `last`, which count from 1; empty removes them."""

    first: int
    last: int
    text: str


class FoundLine(msgspec.Struct, frozen=True):
    """A line, by its number from 1."""

    number: int
    text: str


class TextFiles(Protocol):
    """What files say, whatever their format: PDFs, documents and sheets, too."""

    async def read(self, file: File) -> str:
        """All that a file says. `Rejected` for one that has no text."""
        ...

    async def replace(self, ref: FileRef, lines: Sequence[NewLines]) -> File:
        """The next version of a plain text, with other lines in these places, which are those of before.
        `Rejected(kind="invalid_arguments")` for lines that aren't there, or that overlap."""
        ...

    async def search(self, text: str, expression: str, *, ignore_case: bool, most: int) -> list[FoundLine]:
        """The first lines that a regular expression matches, cut if they are long. `Rejected` with
        `invalid_arguments` for what is no expression, `timeout` for one that takes longer than a second."""
        ...


class AgentEgress(Protocol):
    """The one way out, with the secrets that the user gave the agent for it."""

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """One request and its answer, which holds no secret's value. `Rejected(kind="blocked")` for an
        address that nobody may reach, `Transient(kind="upstream")` where the other end is at fault."""
        ...


class Commands(Protocol):
    """Commands in the session's workspace: a folder with the session's files, which a sub-session shares with
    the session at the top. Offered to tools with `runs_on=RunsOn.WORKSPACE` alone.

    Before each of these the folder gets what changed in the files, after it the files get what changed in the
    folder. `Rejected` with `invalid_arguments`, `not_found` (no such command of this workspace), `refused`,
    or `too_large` (what the workspace may have at a time).
    """

    async def run(self, command: Command) -> CommandRun:
        """Run it to its end or its time-out; one in the background is left to go on after a moment."""
        ...

    async def look(self, command_id: str, wait_s: float = 0, text: str | None = None) -> CommandRun:
        """What a command in the background wrote since somebody last looked, at most `wait_s` seconds later;
        earlier if it ends. `text` is first written to its standard input, once for each call."""
        ...

    async def exchange(self, command_id: str, line: str | None = None, wait_s: float = 0) -> Exchange:
        """Speak with a command in the background, line by line: `line` is written, once for each time that a
        call does so. Then the whole lines that it wrote since somebody last looked, as soon as there is one,
        or it has ended; none after `wait_s` seconds. Files are not looked at. `Rejected`: `conflict` where it
        reads nothing any more, `too_large` where a line is longer than `LARGEST_SHOWN`."""
        ...

    async def stop(self, command_id: str) -> CommandRun:
        """End a command in the background, with all that it started; what it wrote until then. Harmless when
        repeated."""
        ...


class CallPolicy(Protocol):
    """What the agent's policy says, as of the call, of what is to be done in its name."""

    async def judged(self, asked: Asked) -> Judged:
        """The verdict, with what people allowed in the session and what the call has read."""
        ...


class Reminded(msgspec.Struct, frozen=True):
    """A reminder and its id."""

    id: str
    reminder: Reminder


class SessionReminders(Protocol):
    """What the session that calls will be reminded of."""

    async def now(self) -> datetime:
        """The time of the call, in the agent's zone (a `ZoneInfo`): the same each time the call is run."""
        ...

    async def set(self, at: str | Again, message: str, *, quiet: bool = False) -> Reminded:
        """Set one, at a time (ISO 8601) or again and again, in the agent's zone; a `quiet` one is shown and
        begins no turn. `Rejected` for a time that is none or isn't to come, and for a message that is blank
        or too long."""
        ...

    async def list(self) -> Sequence[Reminded]:
        """Those that wait, by time."""
        ...

    async def over(self) -> Sequence[Reminded]:
        """Those that came once, or were missed, the newest first."""
        ...


class AgentDelegates(Protocol):
    """Other agents and models that people let the agent hand work to."""

    async def list(self) -> Sequence[Delegate]:
        """All, in people's order."""
        ...


class ModelAnswer(msgspec.Struct, frozen=True):
    """What a `model` said; `parsed` is its JSON where a schema was given. `is_cut`: see `Generated`."""

    text: str
    parsed: Json
    usage: Usage
    model: str = ""
    is_cut: bool = False


class Models(Protocol):
    """Questions to models, counted for the call."""

    async def ask(self, asked: Generate) -> ModelAnswer:
        """The answer; with a schema, JSON that fits it. `Rejected` where the question is at fault,
        `Permanent(kind="upstream")` where no model answered as it was asked to."""
        ...


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


class Embedded(msgspec.Struct, frozen=True):
    """A vector for each text, and the model that gave them: those of different models don't compare."""

    model: str
    vectors: tuple[tuple[float, ...], ...]


class Embeddings(Protocol):
    """Vectors for texts, near to each other where these mean the same."""

    async def of(self, texts: Sequence[str]) -> Embedded:
        """One vector for each text, at most 64. `Rejected(kind="not_available")` where no model is set up
        that gives any, `Transient(kind="upstream")` where its server is at fault."""
        ...


class Compute(Protocol):
    """A thread beside the event loop, for work that takes the processor."""

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises. It can't be stopped: split long work into slices of some ten
        milliseconds."""
        ...


class OtherTools(Protocol):
    """The tools of this runner, run within the call that asks, with its ports and in its name."""

    def find(self, name: str) -> Tool | None:
        """The tool of this id (of a core tool its name), or None."""
        ...

    async def run(self, tool: Tool, args: Any) -> Result | Pause:
        """What the tool returns or raises for these arguments, which were parsed for it."""
        ...
