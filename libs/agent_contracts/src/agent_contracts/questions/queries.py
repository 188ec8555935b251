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
    """The session folded up to and including record `at`; without one, up to now.

    With a `part`, up to that event of the record alone. Of its messages the newest `messages` (None: all);
    with `beginnings`, of each so many characters, without its calls. Answered `too_large` where that is more
    than one message of NATS takes.
    """

    session_id: SessionId
    at: int | None = None
    part: int | None = None
    messages: int | None = None
    beginnings: int | None = None


class ModelCallQuery(msgspec.Struct, frozen=True):
    """Exactly what a model saw and said: by call id, or by its number in the session, from 1."""

    session_id: SessionId
    call_id: CallId | None = None
    number: int | None = None


class ReplayQuery(msgspec.Struct, frozen=True):
    """Run today's `decide` over the recorded inputs and results, strictly."""

    session_id: SessionId


class ForkCommand(msgspec.Struct, frozen=True):
    """Make session `child_id` whose history begins with `session_id`'s, up to and including sequence `at`.

    Between a call and its results there is no such point: the nearest earlier one is taken, and answered.
    `message` is the child's first own message; with it come `files` of the agent's, each as of a version: the
    child gets copies of its own. `model` is another model. Repeats do nothing. `request` is the digest of the
    request that asks for the fork under an idempotency key; it is kept with the child's first event.
    """

    session_id: SessionId
    child_id: SessionId
    at: int
    message: str | None = None
    model: str | None = None
    title: str | None = None
    request: str | None = None
    files: tuple[SentFile, ...] = ()


class ImportCommand(msgspec.Struct, frozen=True):
    """Append events of an exported session (see `session_file`), for some seconds at most.

    `file` is the SHA-256 of the blob that holds the file (its own blobs are stored already), `agent_id` whose
    sessions they become. `ids` gives each session of the file a new id; without it they keep their own.
    Asked again, it goes on where it stopped.
    """

    file: str
    agent_id: AgentId
    ids: dict[SessionId, SessionId] = {}


class ImportProgress(msgspec.Struct, frozen=True):
    """How far an import came: events there already when asked, appended now, and of how many.

    `left_out` are the paths of files that are not made since the file doesn't hold their bytes; of one whose
    earlier version is missing, that version.
    """

    found: int
    appended: int
    total: int
    left_out: tuple[str, ...] = ()


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
    """Whether it can't come any more; null: unknown now."""
    why: str
    """Why it is stuck or not, in words."""
    event: str | None = None
    """Type of the event that was put in its place; null: none was."""


class UnstickReport(msgspec.Struct, frozen=True):
    """What a session waits for, other than a person's answer."""

    session_id: SessionId
    status: str
    """The session's status."""
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
    """A query's answer: a value, or the kind and message of why there is none.

    `passes`: the same question may be answered later, after `retry_after_s` seconds where that is known.
    """

    value: Json = None
    error_kind: str | None = None
    error: str | None = None
    passes: bool = False
    retry_after_s: float | None = None

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
