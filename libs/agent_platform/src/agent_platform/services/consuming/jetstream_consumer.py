"""Durable consumers: the one place that turns the three failures into ack, nak, term and dead letter."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.log.record.records import StoredMessage, split
from agent_contracts.log.subjects import LOG_STREAM, WORKERS_BUCKET
from agent_contracts.log.workers import InHand
from agent_platform.log.bucket import bucket
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.deliveries import delivered_at
from agent_platform.nats.errors import ApiError
from agent_platform.nats.pulls import EXPIRES_S, Pulls, pull_for_ever
from agent_platform.observing.binding import bound
from agent_platform.process.background import in_background
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.process.stopping import finish_or_cancel
from agent_platform.secrecy.failure_text import bug_text
from agent_platform.services.consuming.consumer import Delivery, Exhausted, Handler, Preview
from agent_platform.services.consuming.dead_letter import DeadLetterStore
from agent_platform.services.consuming.kept_consumer import KeptConsumer
from agent_platform.services.consuming.work_reports import WorkReporter
from agent_platform.services.service import ServiceRuntime

_log = structlog.get_logger(__name__)

_NANOSECONDS = 1_000_000_000
_ACK_DELAY_S = 0.005


class Lag(msgspec.Struct, frozen=True):
    """Messages not delivered yet, delivered but not acknowledged, and of these delivered more than once."""

    pending: int
    in_flight: int
    redelivered: int


class JetStreamConsumer:
    """Runs `handler` for the messages of a durable consumer: that `ensure_consumers` made, or, of the log,
    this makes where the server has none.

    It returned, or raised `Rejected` (logged: whoever asked should have been told): ack. `Transient`: nak,
    delivered again after its `retry_after`, else the spec's back-off. `Permanent`: `exhausted`, dead letter,
    term. Anything else is a bug: logged with its traceback, then like `Transient`. After its last
    attempt a failed message is given up at once; deliveries that end without any answer are left to
    `MaxDeliveriesListener`. Imported events are history: acknowledged, and not handled by anybody.

    Acks are not confirmed by the server: a lost one means one more delivery, which every handler must bear
    anyway, and a confirmation would cost each message a round trip.
    """

    def __init__(
        self,
        service: ServiceRuntime,
        spec: ConsumerSpec,
        handler: Handler,
        exhausted: Exhausted,
        preview: Preview | None = None,
    ) -> None:
        self._service = service
        self._connection = service.connection
        self._spec = spec
        self._handler = handler
        self._exhausted = exhausted
        self._preview = preview
        self._dead_letters = DeadLetterStore(service.connection)
        self._in_hand: dict[asyncio.Task[None], Msg] = {}
        self._since: dict[asyncio.Task[None], InHand] = {}
        self._done_with: list[Msg] = []
        self._acknowledging: asyncio.Task[None] | None = None
        self._stopping = False
        self._pulling: asyncio.Task[None] | None = None
        self._kept = KeptConsumer(service.connection, spec) if spec.stream == LOG_STREAM else None
        self._reporting = WorkReporter(
            bucket(service.connection, WORKERS_BUCKET, service.metrics),
            spec.name,
            spec.parallel,
            lambda: tuple(self._since.values()),
        )
        self._pulls = Pulls(
            service.connection,
            spec.stream,
            spec.name,
            spec.parallel,
            self._received,
            expires_s=min(EXPIRES_S, spec.ack_wait_s),  # or a frozen process gets one message many times
        )

    async def run(self) -> None:
        """Handle messages until cancelled or the connection is closed.

        At the end, handlers have a second to finish; the rest is cancelled and given back, to be delivered
        again at once.
        """
        self._stopping = False
        beating = in_background(self._keep_in_progress, f"progress of {self._spec.name}")
        around = [in_background(one, f"around {self._spec.name}") for one in self._around()]
        self._pulling = asyncio.create_task(pull_for_ever(self._pulls, self._find, self._connection))
        try:
            await asyncio.wait([self._pulling])
            self._pulling.result()
        finally:
            self._stopping = True  # what still arrives is given back unseen
            self._pulling.cancel()
            await asyncio.wait([self._pulling])
            for task in around:
                task.cancel()
            await self._finish_or_give_back()
            if around:
                await asyncio.wait(around)
            beating.cancel()

    async def check(self) -> None:
        """For a service's liveness: `Transient` if `run` isn't running."""
        if self._pulling is None or self._pulling.done():
            raise Transient(f"consumer {self._spec.name} is not running", kind="not_running")

    async def lag(self) -> Lag:
        """How far behind this consumer is, over all replicas. `Transient` if the server doesn't say."""
        try:
            info = await self._connection.api(f"CONSUMER.INFO.{self._spec.stream}.{self._spec.name}")
        except ApiError as error:
            raise error.as_failure(f"consumer {self._spec.name}") from error
        return Lag(info["num_pending"], info["num_ack_pending"], info["num_redelivered"])

    def _around(self) -> Iterable[Callable[[], Coroutine[Any, Any, None]]]:
        """Who works for a consumer of the log is told to people; what is beside it is no work of theirs."""
        if self._kept is not None:
            yield self._reporting.run
            yield self._kept.keep_checkpoints

    async def _find(self) -> None:
        """Before anything is pulled: from where, and whether it was delivered before."""
        if self._kept is not None and await self._kept.ensure():
            self._reporting.tell_now()

    def _received(self, message: Msg) -> None:
        at = delivered_at(message)
        record = StoredMessage(at.stream_sequence, message.subject, message.data, dict(message.headers or {}))
        events = split(record) if self._spec.stream == LOG_STREAM else (record,)
        stored = events[-1]
        kept = self._kept
        again = kept is not None and kept.is_again(at.stream_sequence)
        number = at.consumer_sequence if kept is None else kept.number(at.consumer_sequence)
        delivery = Delivery(stored, at.attempt, tuple(events[:-1]), again)
        is_history = stored.envelope is not None and stored.envelope.imported is not None
        wanted = self._is_wanted(delivery, number) and not is_history
        if not wanted:
            self._acknowledge(message)
            self._pulls.release()
            return
        task = asyncio.create_task(self._handle(message, delivery))
        self._in_hand[task] = message
        if not (again and self._spec.costly):
            self._begins(task, stored)
        task.add_done_callback(self._done)

    def _begins(self, task: asyncio.Task[None], stored: StoredMessage) -> None:
        self._since[task] = InHand(stored.sequence, stored.subject, rfc3339(SystemClock().now()))

    async def _until_others_left(self, stored: StoredMessage) -> None:
        """It may be in the hands of another process, from before the server lost the consumer."""
        assert self._kept is not None
        await self._reporting.until_others_left(stored.sequence, known_s=self._kept.known_s)
        task = asyncio.current_task()
        assert task is not None
        self._begins(task, stored)

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._in_hand[task]
        self._since.pop(task, None)
        self._pulls.release()
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("consumer.broken", consumer=self._spec.name, exc_info=error)

    def _is_wanted(self, delivery: Delivery, number: int) -> bool:
        try:
            return self._preview is None or self._preview(delivery, number)
        except Exception:  # a bug, whatever it is: the handler finds out what is wrong with the message
            _log.exception("preview.bug", consumer=self._spec.name, subject=delivery.message.subject)
            return True

    async def _handle(self, message: Msg, delivery: Delivery) -> None:
        if self._stopping:
            await self._nak(message, 0)
            return
        began = time.perf_counter()
        with bound(consumer=self._spec.name, sequence=delivery.message.sequence, attempt=delivery.attempt):
            try:
                if delivery.again and self._spec.costly:
                    await self._until_others_left(delivery.message)
                outcome = await self._outcome(message, delivery)
            except asyncio.CancelledError:
                await self._nak(message, 0)
                raise
        self._service.metrics.message_handled(self._spec.name, outcome, time.perf_counter() - began)

    async def _outcome(self, message: Msg, delivery: Delivery) -> str:
        try:
            with self._service.tracing.span(
                f"{self._spec.name} handle",
                delivery.traceparent,
                subject=message.subject,
                attempt=delivery.attempt,
            ):
                await self._handler(delivery)
        except Rejected as error:
            _log.warning("message.rejected", subject=message.subject, kind=error.kind, error=error.message)
        except Transient as error:
            _log.warning("message.failed", subject=message.subject, kind=error.kind, error=error.message)
            return await self._again(message, delivery, f"{error.kind}: {error.message}", error.retry_after)
        except Permanent as error:
            _log.error("message.permanent", subject=message.subject, kind=error.kind, error=error.message)
            return await self._give_up(message, delivery, f"{error.kind}: {error.message}")
        except asyncio.CancelledError:
            if self._is_cancelled():
                raise
            _log.error("message.bug", subject=message.subject, error="the handler cancelled itself")
            return await self._again(message, delivery, "the handler cancelled itself", None)
        except Exception as error:  # a bug, whatever it is: it must not end the others' work
            _log.exception("message.bug", subject=message.subject)
            return await self._again(message, delivery, bug_text(error), None)
        self._acknowledge(message)
        return "ack"

    async def _again(self, message: Msg, delivery: Delivery, reason: str, retry_after: float | None) -> str:
        if 0 < self._spec.max_deliver <= delivery.attempt:
            return await self._give_up(message, delivery, f"{reason} (attempt {delivery.attempt}, the last)")
        await self._nak(message, self._backoff(delivery.attempt) if retry_after is None else retry_after)
        return "nak"

    async def _give_up(self, message: Msg, delivery: Delivery, reason: str) -> str:
        spec, stored = self._spec, delivery.message
        try:
            await self._exhausted(stored, reason)
            await self._dead_letters.put(spec.stream, spec.name, stored, reason, delivery.attempt)
        except Exception:  # the next delivery, or after the last one the advisory, tries once more
            _log.exception("message.give_up_failed", subject=message.subject)
            await self._nak(message, self._backoff(delivery.attempt))
            return "nak"
        await self._answer(message, b"+TERM")
        return "dead"

    def _backoff(self, attempt: int) -> float:
        delays = self._spec.backoff_s
        return delays[min(attempt, len(delays)) - 1] if delays else 0.0

    async def _nak(self, message: Msg, delay_s: float) -> None:
        await self._answer(message, b"-NAK " + json.dumps({"delay": int(delay_s * _NANOSECONDS)}).encode())

    def _acknowledge(self, message: Msg) -> None:
        """Soon, together with others: nobody waits for it, and each write wakes the server."""
        self._done_with.append(message)
        if self._kept is not None:
            self._kept.acknowledged = True
        if self._acknowledging is None or self._acknowledging.done():
            self._acknowledging = asyncio.create_task(self._acknowledge_soon())

    async def _acknowledge_soon(self) -> None:
        await asyncio.sleep(_ACK_DELAY_S)
        await self._acknowledge_now()

    async def _acknowledge_now(self) -> None:
        while self._done_with:
            await self._answer(self._done_with.pop(), b"+ACK")

    async def _answer(self, message: Msg, answer: bytes) -> None:
        try:
            await self._connection.publish(message.reply, answer)
        except Transient as error:  # it will be delivered again
            _log.warning("message.answer_lost", subject=message.subject, error=error.message)

    async def _keep_in_progress(self) -> None:
        while True:
            await asyncio.sleep(self._spec.ack_wait_s / 3)
            for message in list(self._in_hand.values()):
                await self._answer(message, b"+WPI")

    async def _finish_or_give_back(self) -> None:
        rest, stuck = await finish_or_cancel(self._in_hand)
        if rest:
            _log.info("consumer.gave_back", consumer=self._spec.name, messages=rest, stuck=stuck)
        await self._acknowledge_now()
        with contextlib.suppress(Transient):
            if self._connection.is_connected:
                await self._connection.flush(timeout=0.2)
        if self._kept is not None:
            await self._kept.keep_the_last()

    @staticmethod
    def _is_cancelled() -> bool:
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
