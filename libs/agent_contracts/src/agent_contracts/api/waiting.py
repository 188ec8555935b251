"""What waits for a person."""

from typing import Any, Literal

from agent_contracts.api.wire import Page, ResponseBody


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
    since: str


class Approvals(Page[Approval], frozen=True, kw_only=True):
    """A page, newest first; `total` counts all."""

    total: int


WaitingKind = Literal["question", "approval", "call", "limit", "failure", "outcome", "quarantine", "late"]


class WaitingThing(ResponseBody, frozen=True, kw_only=True):
    """Something that goes on only when a person does something.

    `question`: the agent asked; `approval`: a call runs only with a yes; `call`: another call of a
    tool waits (blocks, a page, a browser to take over); `limit`: the token limit is
    reached; `failure`: the last turn failed and doesn't go on by itself; `outcome`: nobody knows what a call
    did; `quarantine`: a tool that models are not offered any more; `late`: a reminder or a scheduled task
    came late, and nobody has written in its chat since.

    `key` names it as long as it waits. `text` is what it is about, its beginning; `since` when it began.
    """

    key: str
    kind: WaitingKind
    agent_id: str
    session_id: str
    title: str | None
    call_id: str | None
    tool: str | None
    text: str
    since: str


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
    ended_at: str | None
    happened: bool | None
    settled_at: str | None
