"""What a session's history is made of: messages, with the calls that an answer asked for."""

from enum import StrEnum
from typing import Literal

import msgspec

from agent_contracts.blob_ref import Excerpt
from agent_contracts.errors import ToolError
from agent_contracts.files import SentFile
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources, told
from agent_contracts.pictures import SEEN_TYPES, Picture
from agent_contracts.policies import PolicyJudgement, Verdict
from agent_contracts.session_events.decisions import ResumedCall
from agent_contracts.session_events.inputs import FromPrompt
from agent_contracts.session_events.results import Incomplete, Resume, Thinking, Thought
from agent_contracts.sessions.open_questions import kind_of
from agent_contracts.tool_spec import Effect, RunsOn


class CallStatus(StrEnum):
    """Where a tool call stands. The last three are final."""

    PLANNED = "planned"
    REQUESTED = "requested"
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the call has its one ending."""
        return self in (CallStatus.COMPLETED, CallStatus.FAILED, CallStatus.CANCELLED)


class SessionToolCall(msgspec.Struct, frozen=True):
    """One tool call, from the model's wish to its one ending. `through`, `name`, `alias_of`, `as_sent` and
    `judged`: see `ResolvedCall`; `outside`: where material in its result came from. `swayed`: the model had
    some when it asked for the call, and of the URLs in it, `urls` were known.

    One that the policy asks for waits for a person's yes, since log sequence `asked_at`, and is `approved`
    then; as `edited`, where the person changed its arguments. A pending one says how it will `resume`; one
    that goes on was `resumed` so.
    """

    call_id: CallId
    tool: str
    arguments: dict[str, Json]
    runs_on: RunsOn
    effect: Effect
    status: CallStatus
    requested: int | None = None
    result: Json = None
    error: ToolError | None = None
    excerpt: Excerpt | None = None
    show: dict[str, Json] | None = None
    expires_at: str | None = None
    through: str | None = None
    pictures: tuple[Picture, ...] = ()
    outside: Sources = ()
    judged: PolicyJudgement | None = None
    swayed: bool = False
    urls: tuple[str, ...] = ()
    asked_at: int | None = None
    approved: bool = False
    edited: bool = False
    name: str | None = None
    alias_of: str | None = None
    as_sent: dict[str, Json] = {}
    resume: Resume | None = None
    resumed: ResumedCall | None = None

    @property
    def called(self) -> str:
        """What the model calls it by."""
        return self.name or self.tool

    @property
    def does(self) -> str:
        """The tool whose work it does, whatever it is called."""
        return self.alias_of or self.tool

    @property
    def shows(self) -> str | None:
        """The kind of what it put before a person."""
        return kind_of(self.show)

    @property
    def needs_yes(self) -> bool:
        """Whether a person has to allow it before it runs."""
        return self.judged is not None and self.judged.verdict is Verdict.ASK and not self.approved

    @property
    def material(self) -> str | None:
        """Where material in its result came from, in a few words; None if there is none."""
        return told(self.outside) if self.outside else None


class SessionMessage(msgspec.Struct, frozen=True):
    """One message of the history, by its event's sequence; `tool_calls` are the assistant's, in order.

    The calls of the last answer are in `SessionState.batch` until all have ended, and here from then on.
    `incomplete`: why it isn't a whole answer, if it isn't one. `thinking` is for people; it, where its
    server wants it, and `thoughts` go back to the model `thought_by` alone. `woken_by`: the service whose
    wake it is, with the `data` that came with it; one that `waits` joins no model call of the turn that runs.
    `outside`: where material in it came from; of one that a program, the `client`, said in the person's
    name, the client, and yet it is shown like the person's; of a `prompt` that they chose, its server. A
    `quiet` one begins no turn: it joins the next. `excerpt`: what the model is shown of a text that doesn't
    fit into its window. `turn_began`: the RFC 3339 time at which a turn began, beside the message that was
    the newest when its model was first asked: the model is told it there from then on.
    """

    sequence: int
    role: Literal["user", "assistant"]
    text: str
    tool_calls: tuple[SessionToolCall, ...] = ()
    files: tuple[SentFile, ...] = ()
    incomplete: Incomplete | None = None
    thoughts: tuple[Thought, ...] = ()
    thinking: Thinking | None = None
    thought_by: str | None = None
    woken_by: str | None = None
    data: Json = None
    waits: bool = False
    outside: Sources = ()
    client: str | None = None
    prompt: FromPrompt | None = None
    quiet: bool = False
    excerpt: Excerpt | None = None
    turn_began: str | None = None

    @property
    def material(self) -> str | None:
        """Where material in it came from, in a few words; None if there is none."""
        return told(self.outside) if self.outside else None

    @property
    def returns_thinking(self) -> bool:
        """Whether there is any thinking that a server may want back."""
        return bool(self.thoughts) or (self.thinking is not None and self.thinking.sent_as is not None)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Those among the files that were sent with it."""
        sent = (one for one in self.files if one.media_type in SEEN_TYPES)
        return tuple(Picture(one.blob, one.media_type, one.size, one.path) for one in sent)

    @property
    def viewed(self) -> tuple[Picture, ...]:
        """Those that came with the results of its calls."""
        return tuple(picture for call in self.tool_calls for picture in call.pictures)


class Shadow(msgspec.Struct, frozen=True):
    """Messages `first` to `last` (sequences) are hidden from the model behind a summary, which may hold
    material from `outside`, too."""

    first: int
    last: int
    summary: str
    outside: Sources = ()

    @property
    def material(self) -> str | None:
        """Where material in it came from, in a few words; None if there is none."""
        return told(self.outside) if self.outside else None
