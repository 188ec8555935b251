"""The ledger of all model callers: one value of a bucket, changed by compare-and-set."""

import asyncio
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, timedelta

import msgspec
import structlog

from agent_contracts.errors import Conflict, Transient
from agent_contracts.ids import AgentId, CallId
from agent_domain.budgets.caps import Cap
from agent_domain.budgets.ledger import CapShortage, CostSum, Ledger, Reservation, ReservationRequest, Spender
from agent_domain.budgets.pace import RateLimit
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.interruption import Interruption

KEY = "ledger"
LONGEST_HELD = timedelta(days=1)
COUNTED_EVERY_S = 1.0
_ATTEMPTS = 100

log = structlog.get_logger()

_Change = Callable[[Ledger], Ledger]


class AnswerReservation(msgspec.Struct, frozen=True):
    """So many tokens of an answer are paid for; they are held back under a name."""

    name: str
    answer: int


class Budgets:
    """Holds back before a call what it may cost, and settles after it.

    The ledger is one value, so that several caps are looked at together; model callers in one process take
    turns, those of others are found out by compare-and-set.
    """

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self.pace = RateLimit(bucket, clock)
        self._bucket = bucket
        self._clock = clock
        self._turn = asyncio.Lock()
        self._later: list[_Change] = []
        self._told = asyncio.Event()
        self._heard: dict[str, int] = {}
        self._interruption = Interruption("budget")

    async def read(self) -> tuple[Ledger, str]:
        """The ledger, and the day that it is by it. `Transient` where it can't be read."""
        entry = await self._bucket.get(KEY)
        ledger = _decoded(entry.value if entry else None).put_right(self._now())
        return ledger, ledger.day(self._today())

    async def hold(
        self,
        spender: Spender,
        wanted: ReservationRequest,
        caps: Iterable[Cap],
        name: str | None = None,
        *,
        takes_over: bool = False,
    ) -> AnswerReservation | CapShortage:
        """Hold back what an attempt may cost, with the longest answer that the caps leave room for; nothing
        where that is too short. `name`: of an attempt to hold this back that may have been made;
        `takes_over`: whoever worked on the call before is dead.
        `Transient` where the ledger can't be changed: then nothing may be asked."""
        caps, name = tuple(caps), name or new_name()
        found: int | CapShortage = 0

        def change(ledger: Ledger) -> Ledger:
            nonlocal found
            day = ledger.day(self._today())
            if spender.session_id is not None and any(cap.scope == "session" for cap in caps):
                known = ledger.spent("session", spender, day).micros
                ledger = ledger.knowing(spender.session_id, known)
            before = ledger.settled(name, CostSum())
            if takes_over:
                before = before.taken_over(spender.call_id)
            found = before.room(wanted, spender, caps, day)
            if isinstance(found, CapShortage):
                return before
            held = Reservation(
                spender.agent_id,
                spender.call_id,
                day,
                rfc3339(self._clock.now()),
                wanted.at(found),
                spender.session_id,
                wanted.at(0),
                None if wanted.price is None else wanted.price.output,
            )
            return before.holding(name, held)

        await self._change(change)
        return found if isinstance(found, CapShortage) else AnswerReservation(name, found)

    def settle(self, granted: AnswerReservation, spent: CostSum) -> None:
        """An attempt cost this: what is held back for it becomes that, soon. Until then it counts whole."""
        self._soon(lambda ledger: ledger.settled(granted.name, spent))

    def heard(self, granted: AnswerReservation, tokens: int) -> None:
        """So many tokens of an answer have come. Noted within a second."""
        self._heard[granted.name] = tokens

    def ended(self, call_id: CallId, spent: CostSum | None) -> None:
        """A call has its result, which cost this (None: nobody knows): nothing is held back for it now."""
        self._soon(lambda ledger: ledger.ended(call_id, spent))

    def count(self, spender: Spender, spent: CostSum) -> None:
        """A call without a cap, for which nothing was held back, cost this. Written within a second."""
        today = self._today()
        self._later.append(
            lambda ledger: ledger.paid(spender.agent_id, spender.session_id, ledger.day(today), spent)
        )

    async def forget(self, agent_id: AgentId) -> None:
        """The agent was erased."""
        await self._change(lambda ledger: ledger.without(agent_id))

    async def run(self) -> None:
        """Write what is to be written soon, until cancelled; and then once more."""
        try:
            while True:
                with suppress(TimeoutError):  # then it is time for what was only counted
                    await asyncio.wait_for(self._told.wait(), COUNTED_EVERY_S)
                self._told.clear()
                if not await self._written():
                    await asyncio.sleep(COUNTED_EVERY_S)
        finally:
            await self._written()

    async def _written(self) -> bool:
        try:
            await self.flush()
        except Transient as failure:
            self._interruption.hit(failure.message, changes=len(self._later))
            return False
        self._interruption.over()
        return True

    @property
    def pending(self) -> int:
        """How many changes wait to be written."""
        return len(self._later)

    async def flush(self) -> None:
        """Write what is to be written soon now. `Transient` where that can't be: it is tried again."""
        if self._heard:
            heard, self._heard = self._heard, {}
            self._later.append(lambda ledger: ledger.noting(heard))
        if self._later:
            await self._change(lambda ledger: ledger)

    def _soon(self, change: _Change) -> None:
        self._later.append(change)
        self._told.set()

    async def _change(self, change: _Change) -> None:
        async with self._turn:
            for attempt in range(_ATTEMPTS):
                later = tuple(self._later)
                entry = await self._bucket.get(KEY)
                before = _decoded(entry.value if entry else None)
                now = before.put_right(self._now())
                now = now.older_settled(rfc3339(self._clock.now() - LONGEST_HELD))
                for one in later:
                    now = one(now)
                now = change(now)
                if now != before:
                    try:
                        data = msgspec.json.encode(now)
                        await self._bucket.put(KEY, data, expect=entry.revision if entry else 0)
                    except Conflict:
                        await asyncio.sleep(0.001 * secrets.randbelow(1 + min(attempt, 20)))
                        continue
                del self._later[: len(later)]
                return
        raise Transient(f"The ledger of what models cost was changed by others {_ATTEMPTS} times meanwhile")

    def _now(self) -> str:
        return rfc3339(self._clock.now())

    def _today(self) -> str:
        return self._clock.now().astimezone(UTC).date().isoformat()


def new_name() -> str:
    """A name for what is held back."""
    return secrets.token_hex(8)


def _decoded(value: bytes | None) -> Ledger:
    if value is None:
        return Ledger()
    try:
        return msgspec.json.decode(value, type=Ledger)
    except msgspec.MsgspecError as error:
        log.error("budget.unreadable", reason=str(error))
        return Ledger()
