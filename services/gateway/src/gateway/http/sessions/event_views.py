"""Events and pieces of answers, as the API shows them."""

from typing import Any

import msgspec

from gateway.live.event_view import EventView
from gateway.queries.view import View


class Event(View):
    """An event of the log. `address` names it: N, or N.i where record N (`sequence`) holds several.

    `body` is the event's own data; docs/asyncapi.yaml describes each type's.

    `problem`: why a message isn't an event: it can't be read, doesn't fit its place, or its writer may not
    write there. Everybody skips it.
    """

    address: str
    sequence: int
    session_id: str | None
    agent_id: str | None
    type: str
    time: str
    actor: str
    causation: int | None
    event_id: str
    body: dict[str, Any]
    problem: str | None


class Events(View):
    """A page, oldest first. `next_after`: pass it back as `after` for the next page; null: there is none."""

    events: list[Event]
    next_after: str | None


class Retrying(View):
    """The model is about to be asked again: attempt `attempt` of at most `attempts`, in `in_s` seconds.
    `model`: another one of its chain is asked in its place, at once."""

    attempt: int
    attempts: int
    in_s: float
    reason: str
    model: str | None = None


class Delta(View):
    """A piece of a model's answer as it streams: best effort, superseded by the recorded message.

    A greater `attempt` means that the call started over: drop what came with a smaller one. One
    with `retrying` says that this attempt is about to begin; its pieces are counted from 0 after it.
    `thinking` is what the model thinks, which is no part of the answer. `was_thinking`: so was all
    text since the last tool. One with `prompt_read` (percent) says how much of the prompt the model's
    server has read; it comes before the first piece and isn't counted.
    """

    session_id: str
    call_id: str
    attempt: int
    index: int
    text: str = ""
    tool: str | None = None
    retrying: Retrying | None = None
    thinking: str = ""
    was_thinking: bool = False
    prompt_read: int | None = None


def event(view: EventView) -> Event:
    """An event as the API shows it."""
    return Event.model_validate(msgspec.structs.asdict(view))
