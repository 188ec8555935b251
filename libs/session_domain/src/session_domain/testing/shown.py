"""What a model is shown of a story's session, each message rendered from nothing."""

from agent_contracts.json_value import Json
from session_domain.domain.shown.shapes import SHAPES, looks
from session_domain.domain.shown.showing import (
    asked_besides,
    rendered_added,
    rendered_message,
    rendered_shadow,
    shown_now,
)
from session_domain.domain.state import Session
from session_domain.model_requests.times import clock_in

ZONE = "UTC"


def messages(session: Session) -> list[dict[str, Json]]:
    """The history as a model is shown it today, without the times."""
    return [one for one in timed_messages(session) if not is_time(one)]


def timed_messages(session: Session) -> list[dict[str, Json]]:
    """The same with the times."""
    history, look, clock = session.messages(), looks(SHAPES), clock_in(ZONE)
    shown: list[dict[str, Json]] = []
    for index in shown_now(session):
        if index >= 0:
            shown += rendered_message(history[index], look, clock)
        else:
            shown += rendered_shadow(session.shadows[-1 - index], history, look, clock)
    added = asked_besides(session)
    return shown if added is None else shown + rendered_added(added, look)


def is_time(message: dict[str, Json]) -> bool:
    """Whether a message only tells the time."""
    return str(message["content"]).startswith("[Foldline] It is ")
