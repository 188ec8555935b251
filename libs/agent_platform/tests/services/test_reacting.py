"""What a service that reacts is told of, and what it sends when it wakes somebody."""

from datetime import timedelta

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.event_sources import GATEWAY, Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Feedback, Pinned
from agent_contracts.wakes import read_wake
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.reacting import OLDEST, HappenedEvent, Reaction, Waker
from agent_platform.services.reaction import reacting_service
from foldline_testing.agent_platform.memory_log import MemoryLog

KEY = SessionKey(AgentId("a1"), SessionId("s1"))
CLOCK = SystemClock()


async def delivered(event: Feedback | Pinned, ago: timedelta = timedelta()) -> Delivery:
    """A message of the log that says so."""
    log = MemoryLog()
    origin = Origin(GATEWAY, Actor.USER, time=rfc3339(CLOCK.now() - ago))
    message, _ = event_message(event, KEY.input(type_of(event)), origin, CLOCK)
    found = await log.get(await log.append(message))
    assert found is not None
    return Delivery(found, 1)


async def heard(delivery: Delivery) -> list[HappenedEvent]:
    """What the handler is called with."""
    got: list[HappenedEvent] = []

    async def handle(happened: HappenedEvent, waker: Waker) -> None:
        got.append(happened)

    reaction = Reaction((Feedback,), handle, Waker("critic", MemoryLog()), CLOCK)
    if reaction.preview(delivery, 1):
        await reaction.handle(delivery)
    return got


async def test_it_hears_what_it_asked_for_with_where_it_happened() -> None:
    rated = Feedback("5", "down", "too long")
    [happened] = await heard(await delivered(rated))
    assert (happened.event, happened.address) == (rated, "1")
    assert (happened.agent_id, happened.session_id) == ("a1", "s1")
    assert await heard(await delivered(Pinned())) == []


async def test_it_is_not_told_of_what_was_before_it_came() -> None:
    assert await heard(await delivered(Feedback("5", "down"), OLDEST + timedelta(minutes=1))) == []
    assert len(await heard(await delivered(Feedback("5", "down"), OLDEST - timedelta(minutes=1)))) == 1


@pytest.mark.parametrize("agent", [False, True])
async def test_it_wakes_once_for_what_happened_however_often_it_is_called(agent: bool) -> None:
    stream = MemoryLog()
    [happened] = await heard(await delivered(Feedback("5", "down")))
    for _ in range(3):
        await Waker("critic", stream).wake(happened, "Again!", agent=agent, data={"at": 5}, priority="now")
    [message] = [one async for one in stream.read("wake.critic.>")]
    wake = read_wake({}, message.data)
    assert (wake.message, wake.data, wake.priority) == ("Again!", {"at": 5}, "now")
    assert (wake.session_id, wake.agent_id) == ((None, "a1") if agent else ("s1", None))


def test_it_may_read_and_send_its_own_wakes_and_write_nothing_else() -> None:
    publish = reacting_service("critic", "critic.app:serve").rights.publish
    assert "wake.critic.>" in publish
    assert not [one for one in publish if one.startswith(("ses.", "agt.", "result.", "$KV.secrets"))]
    with pytest.raises(Rejected):
        reacting_service("No name", "critic.app:serve")
