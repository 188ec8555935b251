"""Questions over core NATS request/reply: answered by a service, mostly from its fold."""

from typing import Literal, Self

import msgspec

from agent_contracts.errors import Failure, Transient
from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.wakes import Wake

SESSION_STATE = "session.state"
MODEL_CALL = "session.model_call"
REPLAY = "session.replay"
FORK = "session.fork"
IMPORT = "session.import"
HANDLE_AGAIN = "session.handle_again"
UNSTICK = "session.unstick"
SERVER_ANSWERS = "model.server_answers"
DELIVER_WAKE = "wake.deliver"
DELIVER_WAKE_AGAIN = "wake.deliver_again"


class SessionStateQuery(msgspec.Struct, frozen=True):
    """The session as of a record or an event. The answer is `too_large` where it is more than a message of
    NATS takes."""

    session_id: SessionId
    at: int | None = None
    """Number of the last record to include; null: as it is now."""
    part: int | None = None
    """Index of the last event of that record to include; null: all of them."""
    messages: int | None = None
    """Number of the newest messages to answer; null: all."""
    beginnings: int | None = None
    """Characters of each message to answer, without its calls; null: everything."""


class ModelCallQuery(msgspec.Struct, frozen=True):
    """Exactly what a model saw and said: by call id, or by its number in the session, from 1."""

    session_id: SessionId
    call_id: CallId | None = None
    """Id of the model call; null: `number` says which."""
    number: int | None = None
    """The place of the model call in the session, from 1; null: `call_id` says which."""


class ReplayQuery(msgspec.Struct, frozen=True):
    """Run today's `decide` over the recorded inputs and results, strictly."""

    session_id: SessionId


class ForkCommand(msgspec.Struct, frozen=True):
    """Make a session whose history begins with that of another. Repeats do nothing."""

    session_id: SessionId
    child_id: SessionId
    """Id of the new session."""
    at: int
    """Number of the last event of the shared history. Between a call and its results there is no such point:
    the nearest earlier one is taken, and answered."""
    message: str | None = None
    """The new session's own first message; null: none."""
    model: str | None = None
    title: str | None = None
    request: str | None = None
    """Digest of the request that asks for the fork under an idempotency key; stored with the new session's
    first event. Null: no key."""
    files: tuple[SentFile, ...] = ()
    """Files of the agent to send with the message, each at one version. The new session gets its own
    copies."""


class ImportCommand(msgspec.Struct, frozen=True):
    """Append events of an exported session (see `session_file`), for some seconds at most. Asked again, it
    continues where it stopped."""

    file: str
    """SHA-256 of the blob that holds the file. Its own blobs are stored already."""
    agent_id: AgentId
    ids: dict[SessionId, SessionId] = {}
    """By id of each session in the file: its new id. Empty: they keep their ids."""


class ImportProgress(msgspec.Struct, frozen=True):
    """How far an import is."""

    found: int
    """Number of events that were there already."""
    appended: int
    """Number of events that were appended now."""
    total: int
    """Number of events of the import."""
    left_out: tuple[str, ...] = ()
    """Paths of files that are not made because the file doesn't hold their bytes, and of files whose earlier
    version is missing, that version."""


class HandleAgainCommand(msgspec.Struct, frozen=True):
    """Handle message `sequence` of `stream` (the log, or the timers) as if it had just been delivered."""

    stream: str
    sequence: int


class UnstickCommand(msgspec.Struct, frozen=True):
    """Find what the session waits for that can't come any more; with `act`, put an event in its place.

    Nothing is found that was asked for less than `older_than_s` seconds ago. `given_up` are requests (their
    sequences) of which there are dead letters.
    """

    session_id: SessionId
    older_than_s: float = 60.0
    given_up: tuple[int, ...] = ()
    act: bool = False


class SessionWait(msgspec.Struct, frozen=True):
    """Something that a session waits for."""

    what: Literal["model_call", "tool_call", "child", "decision"]
    """A model call, a tool call, a sub-session (`child`), or a decision of the engine."""
    name: str
    """Which one: the id of the call or the sub-session, or the decision that is due."""
    stuck: bool | None
    """Whether it can no longer come; null: unknown now."""
    why: str
    """Why it is stuck or not, in words."""
    event: str | None = None
    """Type of the event that was put in its place; null: none was."""


class UnstickReport(msgspec.Struct, frozen=True):
    """What a session waits for, other than a person's answer."""

    session_id: SessionId
    status: str
    """The session's status, such as `running`."""
    waits: tuple[SessionWait, ...] = ()
    """What it waits for."""


class ServerAnswers(msgspec.Struct, frozen=True):
    """A model server answers again: what waits for it need wait no more. Told by a model caller."""

    server: str


class DeliverWake(msgspec.Struct, frozen=True):
    """Deliver this wake, which came with the credentials `source`, in `size` bytes; the answer is a
    `WakeOutcome`."""

    source: str
    wake: Wake
    size: int


class DeliverWakeAgain(msgspec.Struct, frozen=True):
    """Deliver message `sequence` of the stream `WAKE` as if it had just come; a `WakeOutcome`."""

    sequence: int


class QueryAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A query's answer, or why there is none."""

    value: Json = None
    """The answer: any JSON. Null: there is none."""
    error_kind: str | None = None
    """What went wrong, for programs; null: nothing did."""
    error: str | None = None
    """What went wrong, in words; null: nothing did."""
    passes: bool = False
    """Whether the same question may be answered later."""
    retry_after_s: float | None = None
    """Seconds to wait before asking again; null: unknown."""

    @classmethod
    def refused(cls, failure: Failure) -> Self:
        """Why there is none."""
        retry_after_s = failure.retry_after if isinstance(failure, Transient) else None
        return cls(None, failure.kind, failure.message, isinstance(failure, Transient), retry_after_s)


class ReplayDifference(msgspec.Struct, frozen=True):
    """The first decision that today's engine makes differently."""

    address: str
    """Address of the recorded decision."""
    recorded: dict[str, Json] | None = None
    """The decision that is recorded; null: none is."""
    decided: dict[str, Json] | None = None
    """The decision that the engine makes now; null: none."""
    problem: str | None = None
    """Why the events can't be followed at all; null: they can."""


class ReplayReport(msgspec.Struct, frozen=True):
    """What a strict replay found."""

    session_id: SessionId
    events: int
    """Number of events that were replayed."""
    decisions: int
    """Number of decisions that were compared."""
    difference: ReplayDifference | None = None
    """The first difference; null: none."""


class RetryNotice(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model is about to be asked again."""

    attempt: int
    """The number of the attempt."""
    attempts: int
    """The greatest number of attempts."""
    in_s: float
    """Seconds until then."""
    reason: str
    """Why the attempt before it failed, in words."""
    model: str | None = None
    """Another model that is asked instead; null: the same one."""


class Delta(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of a model's answer, as it streams. Pieces can get lost; the recorded message replaces them."""

    session_id: SessionId
    call_id: CallId
    """Id of the model call."""
    attempt: int
    """The number of the attempt. When it grows, drop the pieces of earlier attempts."""
    index: int
    """The number of the piece within its attempt, from 0."""
    text: str = ""
    """The piece of the answer's text."""
    tool: str | None = None
    """Name of the tool that the answer begins to call; null: none."""
    retrying: RetryNotice | None = None
    """The attempt is about to begin again; null: it isn't."""
    thinking: str = ""
    """A piece of what the model thinks, which is not part of the answer."""
    was_thinking: bool = False
    """All text since the last tool, or since the beginning, was thinking."""
    prompt_read: int | None = None
    """Percent of the prompt that the model's server has read; null: unknown. Such a piece is not counted."""
