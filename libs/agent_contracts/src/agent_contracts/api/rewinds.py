"""Rewinds of sessions and agents, and what each would do."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.moments import Since
from agent_contracts.api.wire import Number, RequestBody, ResponseBody
from agent_contracts.entities.rewinds import NotRewound
from agent_contracts.errors import Rejected
from agent_contracts.files import FileScope
from agent_contracts.form_inputs import MemberFlaw
from agent_contracts.log.address import PATTERN, Address, parse_address
from agent_contracts.selection import Selection
from agent_contracts.session_events.inputs import RewindPart
from agent_contracts.timestamp import Timestamp


class RewoundKind(ResponseBody, frozen=True, kw_only=True):
    """Things of one kind that went back."""

    kind: str
    """Kind of the things, such as `skill` or `database`."""
    names: list[str] | None
    """Their names. Null: all that had changed."""


class AgentRewound(ResponseBody, frozen=True, kw_only=True):
    """A rewind of an agent."""

    id: str
    """Id of the rewind."""
    to: int
    """Number of the event that the agent went back to."""
    sequence: int
    """Number of the event that rewound the agent. Rewind to it to undo this rewind."""
    rewound_at: Timestamp
    """When it happened."""
    chosen: list[RewoundKind] | None
    """What was chosen to go back; null: everything."""
    session_id: str | None
    """Id of the session whose changes alone went back; null: everyone's."""
    done: bool
    """Whether everything is written."""
    rewound: dict[str, int]
    """By kind: the number of things that went back."""
    stays: list[NotRewound]
    """What didn't go back: at most 200 things."""


class Value(ResponseBody, frozen=True, kw_only=True):
    """One thing of the agent at one version."""

    value: Any
    """The whole value: any JSON."""
    version: int
    """Number of the version."""
    sequence: int
    """Number of the event that made the version."""
    written_at: Timestamp
    """When the version was made."""


class SessionChange(ResponseBody, frozen=True, kw_only=True):
    """One thing of the agent that this session changed."""

    kind: str
    """Kind of the thing, such as `skill`."""
    name: str
    """Its name, unique within its kind."""
    before: Value | None
    """As it was before; null: it didn't exist."""
    now: Value | None
    """As it is now; null: it doesn't exist."""
    touched_by_others: bool
    """Whether another session or a person has changed it too since then."""
    time_passed: bool
    """A reminder or a task whose time has passed meanwhile: it comes back as over and doesn't happen now."""


class ChangedMessage(ResponseBody, frozen=True, kw_only=True):
    """A message that a rewind would hide or bring back."""

    sequence: int
    """Number of the record that holds it."""
    role: Literal["user", "assistant"]
    """Who said it: `user` or `assistant`."""
    text: str
    """The beginning of its text."""


class DatabaseWrite(ResponseBody, frozen=True, kw_only=True):
    """One write to the agent's database."""

    sequence: int
    """Number of the event that wrote it."""
    session_id: str | None
    """Id of the session that wrote it; null: a person or a rewind did."""
    sql: str | None
    """The beginning of the SQL statement; null: it is an earlier rewind."""


class DatabaseChange(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of the database would undo."""

    writes: int
    """Number of writes."""
    by_others: int
    """Number of those that other sessions made."""
    latest: list[DatabaseWrite]
    """The last writes, oldest first."""
    inexact: str | None
    """Why the database of that moment can't be made again, and from which event on it can. Null: it can, or
    no worker is available to try."""


class FileVersion(ResponseBody, frozen=True, kw_only=True):
    """A version of a file."""

    path: str
    scope: FileScope
    """`session`: only the session and its sub-sessions see it. `agent`: every session of the agent does."""
    media_type: str
    size: int
    blob: str
    version: int
    """Its version, from 1."""
    sequence: int
    """Number of the event that made the version."""
    written_at: Timestamp
    """When the version was made."""


class FileChange(ResponseBody, frozen=True, kw_only=True):
    """A file that this session or a sub-session of it changed."""

    file_id: str
    before: FileVersion | None
    """As it was before; null: it didn't exist."""
    now: FileVersion | None
    """As it is now; null: it doesn't exist."""
    touched_by_others: bool
    """Whether another session or a person has changed it too since then."""
    path_taken: bool
    """Whether another file has its path now. That file stays, so this one doesn't go back."""


class SessionRewindPreview(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of a session would do."""

    to: str
    """Address of the event that was asked for."""
    target_sequence: int
    """Number of the event that the rewind really leads to: never between a call and its results."""
    hidden: list[ChangedMessage]
    """Messages that would go."""
    shown_again: list[ChangedMessage]
    """Messages hidden by an earlier rewind that would come back."""
    agent: list[SessionChange]
    """What this session changed of the agent."""
    files: list[FileChange]
    """What this session changed of its files."""
    database: DatabaseChange | None
    """What would be undone in the database; null: nothing."""
    log_sequence: int
    """The preview knows everything up to this event."""


class SessionRewound(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of a session did."""

    target_sequence: int
    """Number of the event that the rewind really led to: never between a call and its results."""
    sequence: int
    """Number of the event that rewound the session."""
    rewound: dict[str, int]
    """By kind: the number of things of the agent that went back."""
    stays: list[NotRewound]
    """What didn't go back: at most 200 things."""


class RewindableThing(ResponseBody, frozen=True, kw_only=True):
    """One thing that would go back."""

    name: str
    """Its name, unique within its kind."""
    label: str
    """What people call it, where its name is an id."""
    since: Since
    """What happened to it since then: something that was `added` would be removed."""
    newest: str
    """Address of the event that wrote it last."""
    writes: int
    """Number of times that it was written since then."""
    sessions: list[str]
    """Ids of the sessions that wrote it: at most 5."""
    by_people: bool
    """Whether people wrote it too."""
    time_passed: bool
    """A reminder or a task whose time has passed meanwhile: it comes back as over and doesn't happen now."""


class RewindableKind(ResponseBody, frozen=True, kw_only=True):
    """The things of one kind that would go back."""

    kind: str
    """The kind, such as `skill`."""
    count: int
    """Number of the things."""
    things: list[RewindableThing]
    """The first 2,000 of them."""


class RewindableWrite(ResponseBody, frozen=True, kw_only=True):
    """A write to the agent's database that would be undone."""

    sequence: int
    """Number of the event that wrote it."""
    session_id: str | None
    """Id of the session that wrote it; null: a person or a rewind did."""
    sql: str | None
    """The beginning of the SQL statement; null: it is an earlier rewind."""


class UsedSince(ResponseBody, frozen=True, kw_only=True):
    """A session that called tools since then that would change or go. It stays as it is."""

    session_id: str
    title: str | None
    tools: list[str]
    """Names of those tools."""


class AgentRewindPreview(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of an agent would do."""

    to: int
    """Number of the event that the rewind goes back to."""
    log_sequence: int
    """The preview knows everything up to this event."""
    kinds: list[RewindableKind]
    """The things that would go back, by kind."""
    database_writes: list[RewindableWrite]
    """The last 20 writes to the agent's database that would be undone."""
    database_inexact: str | None = None
    """Why the database of that moment can't be made again, and from which event on it can. Null: it can."""
    used_by: list[UsedSince]
    """Sessions that called tools of the agent that would go back."""


MAX_INCLUDED = 1_000
Moment = (
    Annotated[int, msgspec.Meta(ge=1)]
    | Annotated[
        str,
        msgspec.Meta(pattern=PATTERN),
    ]
)


def address_of(moment: int | str, field: str = "at") -> Address:
    """The address that this member of a body names."""
    try:
        found = parse_address(str(moment))
    except Rejected as error:
        raise MemberFlaw(field, error.message) from None
    if not found.sequence:
        raise MemberFlaw(field, "The first event is 1")
    return found


class RewindSelection(RequestBody, frozen=True, kw_only=True):
    """Things of one kind to go back."""

    kind: Annotated[str, msgspec.Meta(max_length=40)]
    """Kind of the things, such as `skill`, or `database`."""
    names: (
        Annotated[
            list[Annotated[str, msgspec.Meta(max_length=1_000)]], msgspec.Meta(min_length=1, max_length=2_000)
        ]
        | None
    ) = None
    """Their names; files by their ids. Null: all of the kind."""

    @property
    def selection(self) -> Selection:
        """What is meant."""
        return Selection(self.kind, None if self.names is None else tuple(self.names))


class RewindSession(RequestBody, frozen=True, kw_only=True):
    """A rewind of a session."""

    to: Moment
    """The event to go back to: its record's number, or its address (`N` or `N.i`)."""
    parts: Annotated[list[RewindPart], msgspec.Meta(min_length=1, max_length=4)]
    """What goes back: the `conversation`, or what this session changed of the `agent`, its `files` and the
    `database`."""
    including: Annotated[list[RewindSelection], msgspec.Meta(max_length=MAX_INCLUDED)] = msgspec.field(
        default_factory=list
    )
    """Things that go back although others changed them too. Otherwise they stay."""

    def __post_init__(self) -> None:
        address_of(self.to, "to")


class PreviewAgentRewind(RequestBody, frozen=True, kw_only=True):
    """A rewind of an agent to look at first."""

    to: Number
    """Number of the event as of which the agent is wanted back."""


class RewindAgent(PreviewAgentRewind, frozen=True, kw_only=True):
    """A rewind of an agent."""

    chosen: Annotated[list[RewindSelection], msgspec.Meta(min_length=1, max_length=40)] | None = None
    """What goes back. Left out: everything."""
