"""Work on a thing that one process holds is done by that process: who gets the work hands it off.

    lease      one process holds the thing, by an entry in the bucket of leases
    hand off   who gets work on a thing that another holds asks that one to do it, over core NATS
    take over  the holder does it and says how it ended, with signs of life until then

Meanwhile a message stays in the hands of the process that pulled it. A holder that is gone, or fell silent,
loses the lease to that one. What it did before stands in the log: an external call that it claimed is not run
again.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import msgspec
import structlog

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import QuestionServer, ask_patiently
from agent_platform.services.leases.leases import Leases, LeaseState

AGAIN_S = 0.2
"""Seconds until the lease is looked at again."""

K = TypeVar("K")
W = TypeVar("W", bound=msgspec.Struct)

log = structlog.get_logger()


class HandOffOutcome(msgspec.Struct, frozen=True):
    """How work that was handed off ended. `returned`: the process that was asked doesn't hold the lease, or
    was stopped. `failed`: with the failure that the other fields describe."""

    state: Literal["handled", "returned", "failed"]
    answer: bytes = b""
    kind: str = ""
    message: str = ""
    retry_after: float | None = None


RETURNED = HandOffOutcome("returned")
_BUG = HandOffOutcome(
    "failed", kind="internal", message="the process that was asked failed; its log says why"
)


def handled(answer: bytes) -> HandOffOutcome:
    """The work was done, with this answer."""
    return HandOffOutcome("handled", answer)


@dataclass(frozen=True)
class PassedWork(Generic[W]):
    """Another process is to do the work, and may take the lease for it. `accepted` is called once it did."""

    process: str
    work: W
    accepted: Callable[[], None]


class HandOff(ABC, Generic[K, W]):
    """Has work done by who holds its thing. Each kind of thing says how it is held."""

    gone: str
    """Why a thing is lost whose holder stopped, in words that its next user is told."""

    def __init__(
        self, connection: NatsConnection, leases: Leases[K], work: type[W], subject_of: Callable[[str], str]
    ) -> None:
        """`subject_of` is where a process takes over work of the type `work`."""
        self._connection = connection
        self._leases = leases
        self._work = work
        self._subject_of = subject_of

    async def run(self) -> None:
        """Take over what other processes hand off, until cancelled."""
        subject = self._subject_of(self._leases.me)
        failed, stopped = msgspec.msgpack.encode(_BUG), msgspec.msgpack.encode(RETURNED)
        await QuestionServer(
            self._connection, subject, "", self._answer, failed=failed, stopped=stopped
        ).run()

    async def done(self, work: W) -> bytes:
        """The work's answer, once it was done here or at the holder. Raises what doing it does.

        The turn is given up while another process is asked, which may be asking this one for the same thing.
        """
        thing = self.thing(work)
        while True:
            async with self.turn(thing):
                held = await self._leases.find(thing)
                elsewhere = held.lease.holder not in (None, self._leases.me)
                here = None if elsewhere else await self.here(held, work)
            if here is None:
                outcome = await self._by_holder(thing, held, work)
            elif isinstance(here, PassedWork):
                outcome = await self._by_another(here)
            else:
                outcome = here
            if outcome.state == "handled":
                return outcome.answer
            if outcome.state == "failed":
                raise _failure_of(outcome)

    @abstractmethod
    def thing(self, work: W) -> K:
        """What the work is on."""

    @abstractmethod
    async def here(self, held: LeaseState, work: W) -> HandOffOutcome | PassedWork[W]:
        """The lease is nobody's, or this process's: take it and do the work, or pass it on."""

    @abstractmethod
    async def taken_over(self, held: LeaseState, work: W) -> HandOffOutcome:
        """Another process handed this off. The lease stands as it was found, whoever holds it."""

    def turn(self, thing: K) -> AbstractAsyncContextManager[object]:
        """Held while the lease is looked at, and work done here. Without it, work on a thing overlaps."""
        return nullcontext()

    def count(self, outcome: str) -> None:
        """How a hand-off ended, for who measures it: as in `HandOffOutcome`, or `unanswered`."""

    async def _by_holder(self, thing: K, held: LeaseState, work: W) -> HandOffOutcome:
        holder = str(held.lease.holder)
        try:
            return await self._handed_off(holder, work)
        except Transient as error:
            if not self._connection.is_connected:
                raise  # nothing is known of the holder
            log.warning(
                "lease.holder_gone", of=str(thing), holder=holder, kind=error.kind, error=error.message
            )
            await self._leases.lose(thing, held, self.gone)
            return RETURNED

    async def _by_another(self, passed: PassedWork[W]) -> HandOffOutcome:
        try:
            outcome = await self._handed_off(passed.process, passed.work)
        except Transient as error:
            log.warning("work.not_accepted", by=passed.process, kind=error.kind, error=error.message)
            return RETURNED
        if outcome.state == "handled":
            passed.accepted()
        return outcome

    async def _handed_off(self, process: str, work: W) -> HandOffOutcome:
        """`Transient` if the process is gone, or fell silent."""
        subject, question = self._subject_of(process), msgspec.msgpack.encode(work)
        try:
            answer = await ask_patiently(self._connection, subject, question)
        except Transient:
            self.count("unanswered")
            raise
        outcome = msgspec.msgpack.decode(answer, type=HandOffOutcome)
        self.count(outcome.state)
        if outcome.state == "returned":
            await asyncio.sleep(AGAIN_S)
        return outcome

    async def _answer(self, question: bytes) -> bytes:
        try:
            outcome = await self._of_another(question)
        except Failure as failure:
            kind = "permanent" if isinstance(failure, Permanent | Rejected) else failure.kind
            later = failure.retry_after if isinstance(failure, Transient) else None
            outcome = HandOffOutcome("failed", kind=kind, message=failure.message, retry_after=later)
        return msgspec.msgpack.encode(outcome)

    async def _of_another(self, question: bytes) -> HandOffOutcome:
        try:
            work = msgspec.msgpack.decode(question, type=self._work)
        except msgspec.DecodeError as error:
            raise Rejected(f"this was not handed off by a process of the same kind: {error}") from error
        thing = self.thing(work)
        async with self.turn(thing):
            return await self.taken_over(await self._leases.find(thing), work)


def _failure_of(outcome: HandOffOutcome) -> Failure:
    if outcome.kind == "permanent":
        return Permanent(outcome.message)
    return Transient(outcome.message, kind=outcome.kind, retry_after=outcome.retry_after)
