"""What waits for a person, as people look at it."""

from typing import Literal

from gateway.queries.view import View

WaitingKind = Literal["question", "approval", "call", "limit", "failure", "outcome", "quarantine", "late"]


class WaitingThing(View):
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


class WaitingThings(View):
    """A page, newest first; `total` counts all. `next_cursor`: pass it back as `cursor`; null: there is no
    further page."""

    things: list[WaitingThing]
    total: int
    next_cursor: str | None
