"""Failed turns that wait for a model server: they go on as soon as it answers, not all at once."""

import random
from collections.abc import Callable
from datetime import timedelta

import msgspec
import structlog

from agent_contracts.errors import Permanent
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import timers_waiting_for
from agent_contracts.log.timers import Timer, encode_timer, read_timer
from agent_contracts.questions.queries import ServerAnswers
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339

log = structlog.get_logger()


class Retries:
    """Sets the timers of failed turns again, for now. `schedule` is the stream that keeps timers.

    Nothing else happens here: such a timer comes due like any other, is judged by the session as it is then,
    and tells it once. So this may be repeated, and may stop in between.
    """

    def __init__(
        self,
        schedule: Log,
        clock: Clock,
        spread_s: float,
        *,
        chance: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._schedule = schedule
        self._clock = clock
        self._spread_s = spread_s
        self._chance = chance

    async def respond(self, data: bytes) -> Json:
        """Act on a `ServerAnswers`; how many turns go on. `msgspec.DecodeError` if it is none."""
        return await self.go_on(msgspec.json.decode(data, type=ServerAnswers).server)

    async def go_on(self, server: str) -> int:
        """Let every failed turn that waits for this server go on, spread over some seconds; how many do.

        One that its server asked to wait longer waits so long.
        """
        waiting = await self._schedule.last_of_each(timers_waiting_for(server))
        timers = [timer for timer in map(_timer, waiting) if timer is not None and not timer.answered]
        for timer in timers:
            await self._schedule.append(self._sooner(timer))
        if timers:
            log.info("retries.go_on", server=server, turns=len(timers))
        return len(timers)

    def _sooner(self, timer: Timer) -> NewMessage:
        delay = timedelta(seconds=self._chance(0.0, self._spread_s))
        soon = rfc3339(self._clock.now() + delay)
        due_at = min(timer.due_at, max(soon, timer.not_before or soon))
        sooner = msgspec.structs.replace(timer, due_at=due_at, answered=True)
        return NewMessage(sooner.subject, encode_timer(sooner), sooner.headers())


def _timer(message: StoredMessage) -> Timer | None:
    try:
        return read_timer(message.data)
    except Permanent as error:
        log.error("retry.unreadable", sequence=message.sequence, reason=error.message)
        return None
