"""What waits for a person."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Page, RequestBody, ResponseBody
from agent_contracts.policies import LONGEST_REASON, Decision
from agent_contracts.timestamp import Timestamp


class AskedByCode(ResponseBody, frozen=True, kw_only=True):
    """A call of another tool that code wants to make."""

    tool: str
    arguments: dict[str, Any]
    """The exact arguments of that call."""


class Approval(ResponseBody, frozen=True, kw_only=True):
    """A call that runs only after a person's approval."""

    id: str
    """Answer it at `POST /approvals/{id}`."""
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    tool: str
    arguments: dict[str, Any]
    """The exact arguments that it runs with."""
    rule: str
    """The rule of the policy that asks for approval, in words."""
    version: int
    """Version of the policy that has the rule; 0: nobody wrote one."""
    covers: dict[str, Any] | None
    """What approving for longer than once allows, as conditions of a rule. Null: only `once` is possible."""
    commands: dict[str, Any] | None
    """What approving all commands of the session allows, as conditions of a rule. Null: the call runs no
    command."""
    outside: list[dict[str, Any]]
    """Sources of outside material that the model had read by then."""
    before: dict[str, Any] | None
    """Arguments of the last call of this tool that a person approved in this session; null: none."""
    run: bool
    """True: the call has run and was stopped at what its code wanted to send or do. Approving runs it again,
    or continues it."""
    where: dict[str, Any]
    """What its code wanted to send: scheme, host, port, method, path and query, or the MCP server and the
    URI. What is too long is cut; `<part>_length` has its length."""
    asks: AskedByCode | None
    """What its code wanted another tool to do; null: nothing."""
    requested_at: Timestamp
    """When the call began to wait."""


class Approvals(Page[Approval], frozen=True, kw_only=True):
    """A page of calls that wait for approval, newest first."""

    total: int


class AnswerApproval(RequestBody, frozen=True, kw_only=True):
    """A person's answer to a call that needs approval."""

    decision: Decision
    """`once`, `session` (what the approval's `covers` says, in this session), `commands` (every command of
    this session in the same sandbox), `always` (a rule of the policy), or `refuse`."""
    arguments: dict[str, Any] | None = None
    """Run the call with these arguments instead. Left out: with its own."""
    reason: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)] | None = None
    """Why. The model reads it. Left out: no reason."""


class OpenQuestion(ResponseBody, frozen=True, kw_only=True):
    """A call that waits for a person's answer other than an approval: a question, a form, a page."""

    id: str
    """Answer it at `POST /questions/{id}`."""
    agent_id: str
    session_id: str
    title: str | None
    """The session's title; null: it has none yet."""
    call_id: str
    tool: str
    kind: str
    """What is shown: `ask_user` (a question), `user_input` and `mcp_input` (forms), `render_blocks`,
    `render_and_wait` (a page), `browser_hand_over` (a browser to take over, which is ended in its own
    way)."""
    text: str
    """The question, or the form's title."""
    options: list[Any]
    """Answers to offer; any other text is allowed too."""
    answer_schema: dict[str, Any] | None
    """The JSON Schema of a form's `data`. Null: it isn't a form."""
    show: dict[str, Any]
    """Everything to show to the person."""
    requested_at: Timestamp
    """When the call began to wait."""


class OpenQuestions(Page[OpenQuestion], frozen=True, kw_only=True):
    """A page of questions, newest first."""

    total: int


class AnswerQuestion(RequestBody, frozen=True, kw_only=True):
    """A person's answer: exactly one of the four."""

    answer: str | None = None
    """To a question, in words."""
    data: dict[str, Any] | None = None
    """To a form: the values of its fields, by their names."""
    action: dict[str, Any] | None = None
    """To a page: `{"action": "…"}` and whatever belongs to it."""
    dismiss: bool = False
    """Close a form or blocks without an answer. An MCP server hears that the person declines."""

    def __post_init__(self) -> None:
        given = [self.answer is not None, self.data is not None, self.action is not None, self.dismiss]
        if sum(given) != 1:
            raise ValueError("An answer has exactly one of answer, data, action and dismiss")


WaitingKind = Literal["question", "approval", "call", "limit", "failure", "outcome", "quarantine", "late"]


class WaitingThing(ResponseBody, frozen=True, kw_only=True):
    """Something that continues only when a person acts."""

    key: str
    """Names it for as long as it waits."""
    kind: WaitingKind
    """`question`: the agent asked. `approval`: a call needs approval. `call`: another call waits (blocks, a
    page, a browser). `limit`: the token limit is reached. `failure`: the last turn failed and doesn't resume
    automatically. `outcome`: nobody knows what a call did. `quarantine`: a tool is no longer offered to
    models. `late`: a reminder or a task came late, and nobody has written since."""
    agent_id: str
    session_id: str
    title: str | None
    call_id: str | None
    """Id of the call that waits; null: no call does."""
    tool: str | None
    """Name of the tool that waits; null: none does."""
    text: str
    """The beginning of what it is about."""
    started_at: Timestamp
    """When it began to wait."""


class WaitingThings(Page[WaitingThing], frozen=True, kw_only=True):
    """A page of what waits for people, newest first."""

    total: int


class Outcome(ResponseBody, frozen=True, kw_only=True):
    """A call that may or may not have done its work."""

    session_id: str
    agent_id: str
    title: str | None
    call_id: str
    tool: str
    arguments: dict[str, Any]
    error: str | None
    """What went wrong, in words; null: unknown."""
    ended_at: Timestamp | None
    """When the call ended; null: unknown."""
    happened: bool | None
    """Whether it did its work, as a person found out; null: not settled yet."""
    settled_at: Timestamp | None
    """When a person found out; null: not settled yet."""
