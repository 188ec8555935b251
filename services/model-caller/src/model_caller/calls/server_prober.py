"""Probes model servers that failed calls, so that what waits for one goes on as soon as it is there again.

One probe a server in each interval, however many model callers there are: each is a message that the log
keeps until it is time, and then gives to one of them.
"""

import math
from datetime import UTC, datetime
from typing import Protocol

import msgspec
import structlog

from agent_contracts.errors import Conflict, Failure, Transient
from agent_contracts.log.probes import ModelProbe, decode_probe, encode_probe
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import query_subject, timers_waiting_for
from agent_contracts.questions.queries import SERVER_ANSWERS, QueryAnswer, ServerAnswers
from agent_contracts.session_events.results import ModelFailure
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.services.consuming.consumer import Delivery
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget

_SETTLED_S = 1.0
"""No probe comes sooner after a failure: by then it shows who waits."""

log = structlog.get_logger()


class AnswerBody(Protocol):
    """An answer of core NATS."""

    @property
    def data(self) -> bytes:
        """Its body."""
        ...


class Requests(Protocol):
    """Core NATS request/reply."""

    async def request(self, subject: str, data: bytes = b"") -> AnswerBody:
        """The first answer; `Transient` if none comes."""
        ...


class ServerSight(Protocol):
    """Sees whether a server is there."""

    async def answers(self, target: ModelTarget) -> bool | None:
        """None if that can't be told."""
        ...


class ServerProber:
    """Sets probes, and makes them. `schedule` is the stream that keeps them, `interval_s` in seconds."""

    def __init__(
        self,
        schedule: Log,
        requests: Requests,
        sight: ServerSight,
        clock: Clock,
        *,
        interval_s: float,
    ) -> None:
        self._schedule = schedule
        self._requests = requests
        self._sight = sight
        self._clock = clock
        self._interval_s = interval_s

    async def failed(self, target: ModelTarget, fault: ModelFault) -> None:
        """A call at this server failed for good: it is probed from now on. Raises nothing."""
        if not fault.may_answer_again:
            return
        probe = self._next(target.server, target.model, target.shown_url)
        try:
            probe = msgspec.structs.replace(probe, failed_at=await self._failed_first(probe))
            if fault.failure is ModelFailure.UNREACHABLE:
                await self._set(msgspec.structs.replace(probe, silent=True))
            else:
                await self._set(probe, Expect(probe.subject, 0))
        except Conflict:
            pass  # it is probed already
        except Failure as failure:  # then what waits goes on a little later, by its timer
            log.warning("probe.not_set", server=target.server, reason=failure.message)

    async def handle(self, delivery: Delivery) -> None:
        """It is time. A server that was seen silent and answers is told of. One that was never seen silent is
        probed no more: what fails there is nothing that a probe can see. Harmless when repeated."""
        probe = decode_probe(delivery.message.subject, delivery.message.data)
        waited_for = bool(await self._schedule.last_of_each(timers_waiting_for(probe.server)))
        if not waited_for and not probe.waited_for:
            return
        answers = await self._sight.answers(ModelTarget(probe.model, probe.base_url))
        log.info("model.probed", server=probe.server, model=probe.model, answers=answers)
        if answers and probe.silent:
            await self._tell(probe)
        elif answers is False:
            again = self._next(probe.server, probe.model, probe.base_url)
            await self._set(
                msgspec.structs.replace(again, silent=True, waited_for=waited_for, failed_at=probe.failed_at)
            )

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """Not a probe: it is set aside as a dead letter."""
        log.error("probe.given_up", sequence=message.sequence, subject=message.subject, reason=reason)

    def _next(self, server: str, model: str, base_url: str | None) -> ModelProbe:
        slot = math.ceil((self._clock.now().timestamp() + _SETTLED_S) / self._interval_s)
        return ModelProbe(server, model, slot, base_url=base_url)

    async def _set(self, probe: ModelProbe, expect: Expect | None = None) -> None:
        due = datetime.fromtimestamp(probe.slot * self._interval_s, UTC)
        await self._schedule.append(
            NewMessage(probe.subject, encode_probe(probe), probe.headers(rfc3339(due))), expect
        )

    async def _failed_first(self, probe: ModelProbe) -> float:
        """When a call failed there first: as the probe says that is set already, else now."""
        for earlier in await self._schedule.last_of_each(probe.subject):
            return msgspec.json.decode(earlier.data, type=ModelProbe).failed_at
        return self._clock.now().timestamp()

    async def _tell(self, probe: ModelProbe) -> None:
        body = msgspec.json.encode(ServerAnswers(probe.server))
        reply = await self._requests.request(query_subject(SERVER_ANSWERS), body)
        answer = msgspec.json.decode(reply.data, type=QueryAnswer)
        if answer.error_kind is not None:
            raise Transient(f"the session engine did not take it: {answer.error}", kind=answer.error_kind)
        after_s = round(self._clock.now().timestamp() - probe.failed_at, 1)
        log.info("model.answers_again", server=probe.server, turns=answer.value, after_s=after_s)
