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
    """What goes back: all of a kind that had changed, or the things of these names."""

    kind: str
    names: list[str] | None


class AgentRewound(ResponseBody, frozen=True, kw_only=True):
    """A rewind of an agent to what it was after event `to`. `sequence` is the event that says so: to rewind
    the agent to that event undoes it.

    `rewound`: how many things of each kind went back. `stays` is what didn't, at most 200 things.
    `session_id`: only what this session had changed.
    """

    id: str
    to: int
    sequence: int
    rewound_at: Timestamp
    chosen: list[RewoundKind] | None
    session_id: str | None
    done: bool
    rewound: dict[str, int]
    stays: list[NotRewound]


class Value(ResponseBody, frozen=True, kw_only=True):
    """What one thing of the agent's was at one version; `sequence` is the event that made it."""

    value: Any
    version: int
    sequence: int
    written_at: Timestamp


class SessionChange(ResponseBody, frozen=True, kw_only=True):
    """One thing of the agent's that this session changed: `before`, and `now`; null: it doesn't exist.

    `touched_by_others`: another session or a person changed it too since then. `time_passed`: a reminder or a
    task whose time was still to come; it comes back as `before` says, over, and doesn't happen now.
    """

    kind: str
    name: str
    before: Value | None
    now: Value | None
    touched_by_others: bool
    time_passed: bool


class ChangedMessage(ResponseBody, frozen=True, kw_only=True):
    """A message that goes, or comes back; `text` is its beginning."""

    sequence: int
    role: Literal["user", "assistant"]
    text: str


class DatabaseWrite(ResponseBody, frozen=True, kw_only=True):
    """One write to the agent's database; `sql` is its beginning. One without is an earlier rewind."""

    sequence: int
    session_id: str | None
    sql: str | None


class DatabaseChange(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of the database would undo: the number of writes, and how many of them other sessions
    made (`by_others`).

    `latest` are the last of them, oldest first. `inexact` says why the database of that moment can't be made
    again, and from which event on it can; null where it can, or where no runner is available to try.
    """

    writes: int
    by_others: int
    latest: list[DatabaseWrite]
    inexact: str | None


class FileVersion(ResponseBody, frozen=True, kw_only=True):
    """A version of a file; its bytes are the blob of that hash. `sequence` is the event that made it."""

    path: str
    scope: FileScope
    media_type: str
    size: int
    blob: str
    version: int
    sequence: int
    written_at: Timestamp


class FileChange(ResponseBody, frozen=True, kw_only=True):
    """A file that this session or a sub-session of it changed: `before`, and `now`; null: it doesn't exist.

    `touched_by_others`: another session or a person changed it too since then. `path_taken`: where it was is
    another file now that stays, so this one stays as it is, too.
    """

    file_id: str
    before: FileVersion | None
    now: FileVersion | None
    touched_by_others: bool
    path_taken: bool


class SessionRewindPreview(ResponseBody, frozen=True, kw_only=True):
    """What a rewind to `to` would do. `target_sequence` is where it really leads: never between a call and
    its results.

    `hidden` are the messages that would go, `shown_again` those that an earlier rewind had hidden;
    `agent` what this session changed of the agent's, `files` of its files; `database` null where it holds
    what it held.
    `log_sequence`: what came up to there is looked at.
    """

    to: str
    target_sequence: int
    hidden: list[ChangedMessage]
    shown_again: list[ChangedMessage]
    agent: list[SessionChange]
    files: list[FileChange]
    database: DatabaseChange | None
    log_sequence: int


class SessionRewound(ResponseBody, frozen=True, kw_only=True):
    """What a rewind of a session did. `target_sequence` is where it led to, `sequence` the event in the
    session's log that says so. `rewound`: how many things of the agent's went back, by kind.
    `stays` is what didn't, at most 200 things."""

    target_sequence: int
    sequence: int
    rewound: dict[str, int]
    stays: list[NotRewound]


class RewindableThing(ResponseBody, frozen=True, kw_only=True):
    """One thing that would go back. `label` is what people call it. `since`: what became of it since then:
    something `added` would go. `newest` is the event that wrote it last, after `writes` of them since.

    `sessions` wrote it (at most 5 of them), and people, if `by_people`. `time_passed`: a reminder or a task
    that comes back as over, and doesn't happen now.
    """

    name: str
    label: str
    since: Since
    newest: str
    writes: int
    sessions: list[str]
    by_people: bool
    time_passed: bool


class RewindableKind(ResponseBody, frozen=True, kw_only=True):
    """The things of one kind that would go back: their number (`count`), and the first 2,000 of them."""

    kind: str
    count: int
    things: list[RewindableThing]


class RewindableWrite(ResponseBody, frozen=True, kw_only=True):
    """A write to the agent's database that would be undone; `sql` is its beginning, null for a rewind."""

    sequence: int
    session_id: str | None
    sql: str | None


class UsedSince(ResponseBody, frozen=True, kw_only=True):
    """A chat that called tools since that would change or go. It stays as it is."""

    session_id: str
    title: str | None
    tools: list[str]


class AgentRewindPreview(ResponseBody, frozen=True, kw_only=True):
    """What would make the agent what it was after event `to`, by kind; `differs`, as of `log_sequence`.

    `database_writes` are the last 20 to its database. `database_inexact` says why its database of that moment
    can't be made again, and from which event on it can; null where it can. `used_by` are chats that
    called own tools that go back.
    """

    to: int
    log_sequence: int
    kinds: list[RewindableKind]
    database_writes: list[RewindableWrite]
    database_inexact: str | None = None
    used_by: list[UsedSince]


MAX_INCLUDED = 1_000
Moment = (
    Annotated[int, msgspec.Meta(ge=1)]
    | Annotated[
        str,
        msgspec.Meta(
            pattern=PATTERN, description="N (with all events of record N), or the address of an event: N.i"
        ),
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
    """Things of one kind (or the `database`): all, or with `names` only these (files by their ids)."""

    kind: Annotated[str, msgspec.Meta(max_length=40)]
    names: (
        Annotated[
            list[Annotated[str, msgspec.Meta(max_length=1_000)]], msgspec.Meta(min_length=1, max_length=2_000)
        ]
        | None
    ) = None

    @property
    def selection(self) -> Selection:
        """What is meant."""
        return Selection(self.kind, None if self.names is None else tuple(self.names))


class RewindSession(RequestBody, frozen=True, kw_only=True):
    """What goes back to how it was at `to`.

    The parts `agent`, `files` and `database` take back what this session changed. What others changed too
    stays, unless `including` selects it.
    """

    to: Moment
    parts: Annotated[list[RewindPart], msgspec.Meta(min_length=1, max_length=4)]
    including: Annotated[list[RewindSelection], msgspec.Meta(max_length=MAX_INCLUDED)] = msgspec.field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        address_of(self.to, "to")


class PreviewAgentRewind(RequestBody, frozen=True, kw_only=True):
    """The event after which the agent was as it is to be."""

    to: Number


class RewindAgent(PreviewAgentRewind, frozen=True, kw_only=True):
    """The event, and what goes back: everything, or only what is `chosen`."""

    chosen: Annotated[list[RewindSelection], msgspec.Meta(min_length=1, max_length=40)] | None = None
