"""Which messages of a session a model is shown, and how they look in given shapes. Pure."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.model_context import Added
from session_domain.domain.messages import SessionMessage, Shadow
from session_domain.domain.rules.compaction import covering
from session_domain.domain.shown.shapes import Looks, Shapes, looks
from session_domain.domain.state import SessionState


class System(msgspec.Struct, frozen=True):
    """What the system prompt's shape is filled with."""

    parts: list[str]


class TimeShown(msgspec.Struct, frozen=True):
    """What the clock's shape is filled with: day, hour and minute in a timezone."""

    day: str
    minute: str
    timezone: str


THOUGHT_IN = "thought_in"
"""Marks the answers whose thinking may go back, by their sequence; it stands last in the message. A request
is built without it (`model_requests.returned_thinking`)."""

Clock = Callable[[str], TimeShown] | None
"""How a model is told a time, of an RFC 3339 one; None: it is told none."""


def shown_now(session: SessionState) -> list[int]:
    """The messages that a model call shows: indices of the history; -1 - k in place of those that shadow
    number k hides. See `ShownMessages`."""
    chosen: list[int] = []
    told: set[int] = set()
    for index, message in enumerate(session.history):
        shadow = covering(session, message.sequence)
        if shadow is None:
            chosen.append(index)
        elif shadow.first not in told:
            chosen.append(-1 - session.shadows.index(shadow))
            told.add(shadow.first)
    return chosen


def asked_besides(session: SessionState) -> Added | None:
    """What the model is asked for besides its turn, at the end of the messages."""
    purpose = session.model_call.purpose if session.model_call else "turn"
    return None if purpose == "turn" else purpose


def rendered_message(message: SessionMessage, look: Looks, clock: Clock) -> list[dict[str, Json]]:
    """One message of the history, with the results of its calls, and the time at which a turn began with it:
    before what a person said, after what the model did."""
    shown = [one for kind in _kinds(message) for one in look[kind](message)]
    if message.returns_thinking and shown:
        shown[0] = shown[0] | {THOUGHT_IN: str(message.sequence)}
    time = _time(message.turn_began, look, clock)
    if time is None:
        return shown
    if message.role == "user" and shown:
        return [_after(time, shown[0]), *shown[1:]]
    return [*shown, {"role": "user", "content": time}]


def rendered_shadow(
    shadow: Shadow, messages: Sequence[SessionMessage], look: Looks, clock: Clock
) -> list[dict[str, Json]]:
    """What stands in place of those of the messages that are hidden, after the last time that they told."""
    found: list[dict[str, Json]] = look["shadow"](shadow)
    times = (
        one.turn_began
        for one in reversed(messages)
        if one.turn_began is not None and shadow.first <= one.sequence <= shadow.last
    )
    time = _time(next(times, None), look, clock)
    return found if time is None else [_after(time, found[0]), *found[1:]]


def rendered_added(added: Added, look: Looks) -> list[dict[str, Json]]:
    """What the model is asked for besides its turn."""
    found: list[dict[str, Json]] = look[added](None)
    return found


def _kinds(message: SessionMessage) -> Iterator[str]:
    """As which kinds a message is shown. Providers refuse an empty one, and take one broken off for whole."""
    if message.tool_calls:
        yield "calling"
        if message.viewed:
            yield "viewed"
        return
    if message.woken_by is not None:
        yield "woken"
    elif message.files:
        what = "pictures" if message.pictures else "files"
        who = "user" if message.prompt is None else "prompt"
        yield f"{who} with {what}" if message.text.strip() or message.prompt else what
    elif message.prompt is not None:
        yield "prompt"
    elif message.outside and message.client is None:
        yield "from outside"
    elif message.role == "user" or message.text.strip():
        yield message.role
    if message.incomplete is not None and message.incomplete != "empty":
        yield message.incomplete


def system_message(parts: list[str], shapes: Shapes) -> list[dict[str, Json]]:
    """The system prompt of these parts."""
    found: list[dict[str, Json]] = looks(shapes)["system"](System(parts))
    return found


def _time(moment: str | None, look: Looks, clock: Clock) -> str | None:
    if moment is None or clock is None:
        return None
    return str(look["clock"](clock(moment)))


def _after(time: str, message: dict[str, Json]) -> dict[str, Json]:
    """The message with the time before its content, be that a text or parts."""
    content = message["content"]
    if isinstance(content, list):
        return message | {"content": [{"type": "text", "text": time}, *content]}
    return message | {"content": f"{time}\n\n{content}"}
