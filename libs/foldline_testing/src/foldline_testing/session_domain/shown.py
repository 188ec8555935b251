"""What a model is shown of a story's session, each message rendered from nothing."""

import re
from collections.abc import Iterable

from agent_contracts.json_value import Json
from session_domain.domain.shown.shapes import SHAPES, looks
from session_domain.domain.shown.showing import (
    asked_besides,
    rendered_added,
    rendered_message,
    rendered_shadow,
    shown_now,
)
from session_domain.domain.state import SessionState
from session_domain.model_requests.times import clock_in

ZONE = "UTC"
_TIME = re.compile(r"\[Foldline\] It is [-0-9]{10} [:0-9]{5} \([^)]*\)\.(\n\n|$)")


def messages(session: SessionState) -> list[dict[str, Json]]:
    """The history as a model is shown it today, without the times."""
    return without_times(timed_messages(session))


def timed_messages(session: SessionState, zone: str | None = ZONE) -> list[dict[str, Json]]:
    """The same with the times, in this zone."""
    history, look, clock = session.messages(), looks(SHAPES), clock_in(zone)
    shown: list[dict[str, Json]] = []
    for index in shown_now(session):
        if index >= 0:
            shown += rendered_message(history[index], look, clock)
        else:
            shown += rendered_shadow(session.shadows[-1 - index], history, look, clock)
    added = asked_besides(session)
    return shown if added is None else shown + rendered_added(added, look)


def without_times(messages: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """The messages without the times in them; those left out that only tell one."""
    found = (one | {"content": _without_time(one["content"])} for one in messages)
    return [one for one in found if one["content"] is not None]


def _without_time(content: Json) -> Json:
    if isinstance(content, str):
        said = _TIME.sub("", content)
        return said if said or not content else None
    if isinstance(content, list):
        return [
            one for one in content if not (isinstance(one, dict) and _TIME.fullmatch(str(one.get("text"))))
        ]
    return content


def _is_time(part: Json) -> bool:
    return isinstance(part, dict) and _TIME.fullmatch(str(part.get("text"))) is not None
