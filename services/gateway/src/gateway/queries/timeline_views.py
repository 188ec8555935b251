"""The course of a session, as people look at it: its events in short."""

from typing import Literal

from gateway.queries.view import View


class TimelineEvent(View):
    """An event in short: at `address`, in record `sequence`.

    `type` is its short name (`user_message`), `text` the beginning of what it says.
    `tool` is named where the event is of a tool call, `number` (the model call's in its session) where it is
    of a model call. `problem`: why it isn't an event, and is skipped. `hidden_by`: the rollback (its address)
    that took it out of the conversation.
    """

    address: str
    sequence: int
    type: str
    time: str | None
    actor: str | None
    call_id: str | None
    tool: str | None
    number: int | None
    text: str
    problem: str | None
    hidden_by: str | None


class Timeline(View):
    """A page, newest first. `before`: pass it back for older ones; null: there are none.

    `count` is how many events the session has, as far as the projections have come.
    """

    events: list[TimelineEvent]
    before: str | None
    count: int


Group = Literal["messages", "model", "tools", "rewind"]
