"""Which timers sessions wait for that the server lost: the log says which each needs."""

import asyncio
from collections.abc import Iterable, Sequence

from agent_contracts.errors import Failure, Permanent
from agent_contracts.event import kind_of
from agent_contracts.ids import PARTITIONS
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.timers import Timer, read_timer
from agent_contracts.session_events import decisions, inputs
from agent_platform.log.port import Log
from session_domain.domain.timers import timers
from session_domain.sessions import SessionReader

ALL_PARTITIONS = range(PARTITIONS)
_RESTS = (decisions.BecameIdle, decisions.Completed, decisions.Failed)
"""After these a session waits for nothing, unless one of `_LEAD_ON` came since."""
_LEAD_ON = (
    *(inputs.Created, inputs.UserMessage, inputs.ToolResponse, inputs.ReminderDue, inputs.TimerDue),
    *(inputs.Woken, inputs.OutcomeSettled, inputs.ChildFinished, inputs.Continued, inputs.Reopened),
    *(inputs.RewindRequested, inputs.RetryAsked),
)
_RESTING_TYPES = frozenset(type_of(kind) for kind in _RESTS)
_MAY_WAIT = (decisions.Waiting, decisions.TurnFailed)
_SETTLES_S = 2.0
"""An engine sets a timer at most this long after the event that calls for it, and tells a session as soon."""


async def missing_timers(
    events: Log, schedule: Log, sessions: SessionReader, partitions: Iterable[int] = ALL_PARTITIONS
) -> Sequence[Timer]:
    """The timers that the sessions of these partitions need, and that are neither set nor came due.

    Sessions that rest are not folded. `schedule` is the stream that keeps timers. What seems to be missing
    is looked at again after a while: it may just be set, or come due, when it is looked at.
    """
    keys = [key for number in partitions for key in await _may_need_one(events, number)]
    missing = await _missing(schedule, sessions, keys)
    if not missing:
        return ()
    await asyncio.sleep(_SETTLES_S)
    return await _missing(
        schedule, sessions, dict.fromkeys(SessionKey(one.agent_id, one.session_id) for one in missing)
    )


async def _missing(schedule: Log, sessions: SessionReader, keys: Iterable[SessionKey]) -> Sequence[Timer]:
    wanted: list[Timer] = []
    for key in keys:
        try:
            wanted += timers(await sessions.newest(key))
        except Failure:
            continue  # it can't be folded: `foldline verify` says so, and no timer would help it
    if not wanted:
        return ()
    is_set = await _known(schedule, subjects.ALL_TIMERS, subjects.ALL_RETRIES)
    came_due = await _known(schedule, subjects.ALL_DUE)
    return [one for one in wanted if one.id not in is_set and came_due.get(one.id, "") != one.due_at]


async def _known(schedule: Log, *where: str) -> dict[str, str]:
    """Their times by timer; one that can't be read is as good as none."""
    known: dict[str, str] = {}
    for message in await schedule.last_of_each(*where):
        try:
            timer = read_timer(message.data)
        except Permanent:
            continue
        known[timer.id] = timer.due_at
    return known


async def _may_need_one(events: Log, partition: int) -> list[SessionKey]:
    inside = f"ses.*.{partition}.*"
    resting = [f"{inside}.ev.{kind_of(type_of(kind))}" for kind in _RESTS]
    leading = [f"{inside}.in.{kind_of(type_of(kind))}" for kind in _LEAD_ON]
    waiting = [f"{inside}.ev.{kind_of(type_of(kind))}" for kind in _MAY_WAIT]
    found = await events.last_of_each(*resting, *leading, *waiting)
    rests: dict[SessionKey, int] = {}
    goes_on: dict[SessionKey, int] = {}
    for message in found:  # by sequence: the last one counts
        last = rests if message.event_type in _RESTING_TYPES else goes_on
        last[session_subjects.parse_session_subject(message.subject).key] = message.sequence
    begins = f"{inside}.ev.{kind_of(type_of(decisions.ChildSpawned))}"
    parents = [
        session_subjects.parse_session_subject(message.subject).key
        for message in await events.last_of_each(begins)
    ]
    working = [key for key, sequence in goes_on.items() if sequence > rests.get(key, 0)]
    return list(dict.fromkeys([*working, *parents]))  # a sub-session may begin while its parent rests
