"""Reminders that come due close together in the whole product, while its parts are killed."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from agent_contracts import event_sources, service_names
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock, rfc3339
from foldline_testing.product.chaos.invariants import (
    each_call_has_one_result,
    each_decision_saw_everything_before,
)
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.stack import Stack

SCRIPT: dict[str, Any] = {"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]}
VICTIMS = (service_names.SCHEDULER, "nats", service_names.ENGINE)
_AT_A_TIME = 50
_LOOK_S = 2.0


class Flood(msgspec.Struct, frozen=True):
    """So many reminders of so many sessions, due within so many seconds; each victim is killed `kills` times
    meanwhile, `patience_s` after which all must be over."""

    count: int
    sessions: int
    within_s: float
    kills: int
    patience_s: float


class Flooded(msgspec.Struct, frozen=True):
    """What it came to: what is broken (nothing, one hopes), what was killed how often, and the seconds from
    the last due time until every session had answered."""

    broken: list[str]
    killed: Counter[str]
    over_after_s: float


async def flood(stage: Stage, flood: Flood) -> Flooded:
    """Set them, kill, and look at what each session was told and answered."""
    async with stage.client() as client, stage.view() as view:
        sessions = [
            SessionId((await client.create(f"I am number {number}", f"flood {number}"))[0])
            for number in range(flood.sessions)
        ]
        last = await _set(view, sessions, flood)
        killed = await _kill(stage.stack, flood, last)
        broken = await _until_over(view, sessions, flood)
        over_after_s = (SystemClock().now() - last).total_seconds()
        for session in sessions:
            broken += [f"{session}: {one}" for one in _checked(await view.events(session))]
        broken += [f"{name} isn't kept as told" for name in await _not_kept_as_told(view, flood.count)]
        return Flooded(broken, killed, over_after_s)


async def _set(view: LogView, sessions: Sequence[SessionId], flood: Flood) -> datetime:
    """Write them all; the last due time."""
    clock, chance = SystemClock(), random.Random(flood.count)
    entities = Entities(view.log, clock, event_sources.GATEWAY)
    first = clock.now() + timedelta(seconds=2 + flood.count / 100)
    turns = asyncio.Semaphore(_AT_A_TIME)

    async def one(number: int) -> None:
        at = first + timedelta(seconds=chance.random() * flood.within_s)
        value = StoredReminder(sessions[number % len(sessions)], rfc3339(at), f"reminder {number}")
        key = EntityKey(AgentId("default"), EntityKind.REMINDER, f"r_{number}")
        async with turns:
            await entities.write(key, msgspec.to_builtins(value), EntityWriter.user(clock.new_id("e")))

    await asyncio.gather(*(one(number) for number in range(flood.count)))
    assert clock.now() < first, "the machine is too busy: some came due before all were set"
    await asyncio.sleep((first - clock.now()).total_seconds())  # sleeps: clock
    return first + timedelta(seconds=flood.within_s)


async def _kill(stack: Stack, flood: Flood, until: datetime) -> Counter[str]:
    """Kill each in turn, evenly spread over the time in which they are due."""
    killed: Counter[str] = Counter()
    pause_s = flood.within_s / (flood.kills * len(VICTIMS) + 1)
    for _ in range(flood.kills):
        for victim in VICTIMS:
            await asyncio.sleep(pause_s)  # sleeps: clock
            killed[victim] += bool(await asyncio.to_thread(stack.kill, victim))
    return killed


async def _until_over(view: LogView, sessions: Sequence[SessionId], flood: Flood) -> list[str]:
    """Wait until all are told and every session has answered; what is missing of that in the end."""
    deadline = asyncio.get_running_loop().time() + flood.patience_s
    waiting = list(sessions)
    while waiting:
        found = {session: await view.events(session) for session in waiting}
        waiting = [session for session, events in found.items() if _missing(events, sessions, flood)]
        if asyncio.get_running_loop().time() > deadline:
            return [f"{session}: {_missing(found[session], sessions, flood)}" for session in waiting]
        await asyncio.sleep(_LOOK_S)
    return []


def _missing(events: Sequence[RecordedEvent[Any]], sessions: Sequence[SessionId], flood: Flood) -> str:
    """What a session still waits for, in words; nothing if it was told all, and has answered."""
    told = sum(isinstance(one.event, inputs.ReminderDue) for one in events)
    number = sessions.index(SessionId(events[0].subject.split(".")[3]))
    wanted = len(range(number, flood.count, len(sessions)))
    if told < wanted:
        return f"{told} of {wanted} reminders were told"
    last = events[-1].event
    return "" if isinstance(last, ev.BecameIdle) else f"its last event is {type(last).__name__}"


def _checked(events: Sequence[RecordedEvent[Any]]) -> list[str]:
    """What is broken in one session: each reminder is told once, and answered once."""
    due = [one for one in events if isinstance(one.event, inputs.ReminderDue)]
    told = Counter(one.event.reminder_id for one in due)
    joined: Counter[int] = Counter()
    for one in events:
        if isinstance(one.event, ev.ModelCallRequested):
            joined.update(one.event.joins)
    broken = [f"{name} was told {times} times" for name, times in told.items() if times != 1]
    broken += [
        f"{one.event.reminder_id} joined {joined[one.sequence]} turns"
        for one in due
        if joined[one.sequence] != 1
    ]
    return [*broken, *each_call_has_one_result(events), *each_decision_saw_everything_before(events)]


async def _not_kept_as_told(view: LogView, count: int) -> list[str]:
    """The reminders of a flood whose entity doesn't say that they were told."""
    entities = Entities(view.log, SystemClock(), event_sources.GATEWAY)
    kept = {
        one.key.name: msgspec.convert(one.value, StoredReminder)
        for one in await entities.list(AgentId("default"), EntityKind.REMINDER)
    }
    names = [f"r_{number}" for number in range(count)]
    return [name for name in names if name not in kept or kept[name].done != "told"]
