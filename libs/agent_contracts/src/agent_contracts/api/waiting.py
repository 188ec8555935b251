"""What waits for a person."""

from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.wire import Page, RequestBody, ResponseBody
from agent_contracts.policies import LONGEST_REASON, Decision
from agent_contracts.timestamp import Timestamp


class AskedByCode(ResponseBody, frozen=True, kw_only=True):
    """A call of another `tool`, with exactly these `arguments`."""

    tool: str
    arguments: dict[str, Any]


class Approval(ResponseBody, frozen=True, kw_only=True):
    """A call that runs only with a person's yes, with exactly the arguments that it would run with.

    `rule` of the policy, of this `version`, asks for it. `covers` is what a yes for longer than once allows;
    null: there is only *once*. `commands` is what a yes to all commands of the chat allows; null: this call
    runs none. `outside` is what the model had read from outside by then. `before`: with which arguments the
    last call of this tool ran that a person allowed in the chat. `run`: it has run, and was stopped by what
    its code wanted to send, `where`: scheme, host, port, method, path and query, or the foreign server and
    the URI that it is asked for; what is too long is cut, and `<part>_length` says how long it is. What
    its code wanted another tool to do is in `asks`. A yes is for the same run again, once for nothing but
    what is shown; or it waits there, and goes on with the answer.
    """

    id: str
    """Answer it at `POST /approvals/{id}`."""
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    tool: str
    arguments: dict[str, Any]
    rule: str
    version: int
    covers: dict[str, Any] | None
    commands: dict[str, Any] | None
    outside: list[dict[str, Any]]
    before: dict[str, Any] | None
    run: bool
    where: dict[str, Any]
    asks: AskedByCode | None
    requested_at: Timestamp


class Approvals(Page[Approval], frozen=True, kw_only=True):
    """A page, newest first; `total` counts all."""

    total: int


class AnswerApproval(RequestBody, frozen=True, kw_only=True):
    """A person's answer to a call that waits for a yes."""

    decision: Decision
    """`once`, `session` (what the approval's `covers` says, in this chat), `commands` (every command of this
    chat in the same sandbox), `always` (a rule of the policy) or `refuse`."""
    arguments: dict[str, Any] | None = None
    """Run the call with these arguments instead."""
    reason: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)] | None = None
    """The model reads it."""


class OpenQuestion(ResponseBody, frozen=True, kw_only=True):
    """A call that waits for a person's answer, other than a yes: a question, a form, a page."""

    id: str
    """Answer it at `POST /questions/{id}`."""
    agent_id: str
    session_id: str
    title: str | None
    """The chat's title."""
    call_id: str
    tool: str
    kind: str
    """What is shown: `ask_user` (a question), `user_input` and `mcp_input` (forms), `render_blocks`,
    `render_and_wait` (a page), `browser_hand_over` (a browser to take over; it is ended in its own way)."""
    text: str
    """The question, or the form's title."""
    options: list[Any]
    """Answers that are offered; any other text is an answer, too."""
    answer_schema: dict[str, Any] | None
    """The JSON Schema of a form's `data`. Null: it isn't a form."""
    show: dict[str, Any]
    """All that is shown."""
    requested_at: Timestamp


class OpenQuestions(Page[OpenQuestion], frozen=True, kw_only=True):
    """A page, newest first; `total` counts all."""

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
    """Close a form or blocks without an answer. A foreign server is told that the person declines."""

    def __post_init__(self) -> None:
        given = [self.answer is not None, self.data is not None, self.action is not None, self.dismiss]
        if sum(given) != 1:
            raise ValueError("An answer has exactly one of answer, data, action and dismiss")


WaitingKind = Literal["question", "approval", "call", "limit", "failure", "outcome", "quarantine", "late"]


class WaitingThing(ResponseBody, frozen=True, kw_only=True):
    """Something that goes on only when a person does something.

    `question`: the agent asked; `approval`: a call runs only with a yes; `call`: another call of a
    tool waits (blocks, a page, a browser to take over); `limit`: the token limit is
    reached; `failure`: the last turn failed and doesn't go on by itself; `outcome`: nobody knows what a call
    did; `quarantine`: a tool that models are not offered any more; `late`: a reminder or a scheduled task
    came late, and nobody has written in its chat since.

    `key` names it as long as it waits. `text` is what it is about, its beginning; `started_at` when it began.
    """

    key: str
    kind: WaitingKind
    agent_id: str
    session_id: str
    title: str | None
    call_id: str | None
    tool: str | None
    text: str
    started_at: Timestamp


class WaitingThings(Page[WaitingThing], frozen=True, kw_only=True):
    """A page, newest first; `total` counts all."""

    total: int


class Outcome(ResponseBody, frozen=True, kw_only=True):
    """A call that may or may not have done its work. `happened`: what a person found out; null: not yet."""

    session_id: str
    agent_id: str
    title: str | None
    call_id: str
    tool: str
    arguments: dict[str, Any]
    error: str | None
    ended_at: Timestamp | None
    happened: bool | None
    settled_at: Timestamp | None
