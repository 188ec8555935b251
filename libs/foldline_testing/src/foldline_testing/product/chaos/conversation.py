"""One session under faults: told by a persistent client, followed live, and checked from outside."""

from collections import Counter
from typing import Any

import msgspec

from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import RecordedEvent
from foldline_testing.product.chaos import invariants
from foldline_testing.product.chaos.client import Ack, PersistentClient
from foldline_testing.product.chaos.follower import Follower
from foldline_testing.product.chaos.invariants import Calls
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.chaos.story import answer_of, message_of, state_key

SETTLE_S = 30.0
"""I6: how long after the last fault a session may take to settle."""


class Told(msgspec.Struct, frozen=True):
    """A session that was told to its end: what was acknowledged, and the loop's time at which it settled."""

    name: str
    session_id: str
    acks: tuple[Ack, ...]
    settled_at: float


class Checked(msgspec.Struct, frozen=True):
    """What was found of a session: what is broken (nothing, one hopes), and how its calls ended."""

    broken: tuple[str, ...]
    calls: Calls


async def tell(
    client: PersistentClient, follower: Follower, name: str, turns: int, patience_s: float
) -> Told:
    """Tell a session of so many turns, each until it settles. `TimeoutError` if one takes `patience_s`."""
    session_id, ack = await client.create(message_of(name, 1), name)
    return await _tell_on(client, follower, Told(name, session_id, (ack,), 0.0), turns, patience_s)


async def tell_followed(
    client: PersistentClient, name: str, turns: int, patience_s: float
) -> tuple[Told, list[Address]]:
    """`tell` with a follower of the session's own; also the addresses that this one joined."""
    session_id, ack = await client.create(message_of(name, 1), name)
    async with Follower(client, session_id) as follower:
        told = await _tell_on(client, follower, Told(name, session_id, (ack,), 0.0), turns, patience_s)
        return told, list(follower.addresses)


async def _tell_on(
    client: PersistentClient, follower: Follower, told: Told, turns: int, patience_s: float
) -> Told:
    acks, settled_at = list(told.acks), told.settled_at
    for turn in range(1, turns + 1):
        if turn > 1:
            acks.append(await client.say(told.session_id, message_of(told.name, turn)))
        settled_at = await follower.until_settled(told.session_id, acks[-1].sequence, patience_s)
    return Told(told.name, told.session_id, tuple(acks), settled_at)


async def check(
    told: Told, client: PersistentClient, view: LogView, acts: Counter[tuple[str, str]]
) -> Checked:
    """Every invariant that one session shows, I7 apart."""
    events = await view.events(told.session_id)
    turns = len(told.acks)
    broken = [
        *invariants.acked_is_in_the_log(events, told.acks),
        *invariants.each_call_has_one_result(events),
        *invariants.external_acts_at_most_once(told.session_id, events, acts),
        *invariants.each_decision_saw_everything_before(events),
        *invariants.turns_are_whole(events, turns),
        *await _state_was_written_once_a_turn(told, events, view),
        *await replay_agrees(told.session_id, events, client),
        *await _shown_as_it_was(told, events[-1].sequence, client),
    ]
    return Checked(tuple(f"{told.name} {what}" for what in broken), invariants.how_calls_ended(events))


async def _state_was_written_once_a_turn(
    told: Told, events: list[RecordedEvent[Any]], view: LogView
) -> list[str]:
    agent_id = events[0].event.agent_id
    writes = await view.writes(agent_id, state_key(told.name))
    return [] if writes == len(told.acks) else [f"I2: the state was written {writes} times"]


async def replay_agrees(
    session_id: str, events: list[RecordedEvent[Any]], client: PersistentClient
) -> list[str]:
    """I4: strict replay decides what was decided."""
    report = await client.post(f"/sessions/{session_id}:replay")
    if report.get("difference") is not None:
        return [f"I4: replay differs: {report['difference']}"]
    return (
        []
        if report["events"] == len(events)
        else [f"I4: {report['events']} of {len(events)} events replayed"]
    )


async def _shown_as_it_was(told: Told, last: int, client: PersistentClient) -> list[str]:
    """Through the projections, once they have come to event `last`: idle, and every turn in order."""
    session = await client.get(f"/sessions/{told.session_id}", min_sequence=last)
    page = await client.get(f"/sessions/{told.session_id}/messages", limit=100)
    shown = [message["text"] for message in page["items"]]
    wanted = [
        text
        for turn in range(1, len(told.acks) + 1)
        for text in (message_of(told.name, turn), "Three calls.", answer_of(told.name, turn))
    ]
    broken = [] if session["status"] == "idle" else [f"I6: shown as {session['status']}"]
    return broken if shown == wanted else [*broken, f"I5: shown {shown}"]
