"""Which messages of a session a model is shown, and how they look in given shapes. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.model_context import Added
from session_domain.domain.messages import Message, Shadow
from session_domain.domain.rules.compaction import covering
from session_domain.domain.shown.shapes import Looks, Shapes, looks
from session_domain.domain.state import Session


class System(msgspec.Struct, frozen=True):
    """What the system prompt's shape is filled with."""

    parts: list[str]


class ClockShape(msgspec.Struct, frozen=True):
    """What the clock's shape is filled with."""

    day: str
    minute: str
    timezone: str


def shown_now(session: Session) -> list[int]:
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


def asked_besides(session: Session) -> Added | None:
    """What the model is asked for besides its turn, at the end of the messages."""
    purpose = session.model_call.purpose if session.model_call else "turn"
    return None if purpose == "turn" else purpose


def rendered(
    session: Session, chosen: Sequence[int], added: Added | None, shapes: Shapes
) -> list[dict[str, Json]]:
    """These messages of the session in these shapes: the form that providers take."""
    messages, look = session.messages(), looks(shapes)
    out: list[dict[str, Json]] = []
    for index in chosen:
        out += (
            rendered_shadow(session.shadows[-1 - index], look)
            if index < 0
            else rendered_message(messages[index], look)
        )
    return out if added is None else out + rendered_added(added, look)


def rendered_message(message: Message, look: Looks) -> list[dict[str, Json]]:
    """One message of the history, with the results of its calls."""
    return [one for kind in _kinds(message) for one in look[kind](message)]


def rendered_shadow(shadow: Shadow, look: Looks) -> list[dict[str, Json]]:
    """What stands in place of the messages that are hidden."""
    found: list[dict[str, Json]] = look["shadow"](shadow)
    return found


def rendered_added(added: Added, look: Looks) -> list[dict[str, Json]]:
    """What the model is asked for besides its turn."""
    found: list[dict[str, Json]] = look[added](None)
    return found


def _kinds(message: Message) -> Iterator[str]:
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


def clock_text(now: str, timezone: str, shapes: Shapes) -> str:
    """The clock's part: the time at which the turn started (`now`, RFC 3339 in `timezone`), to the minute."""
    found: Any = looks(shapes)["clock"](ClockShape(now[:10], now[11:16], timezone))
    return str(found)
