"""What one call may cost: held back before each attempt, settled after it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec
import structlog

from agent_contracts.errors import Transient
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.budgets.budgets import AnswerReservation, Budgets, new_name
from agent_domain.budgets.caps import MICROS, Cap
from agent_domain.budgets.ledger import CapShortage, CostSum, ReservationRequest, Spender, sum_of
from agent_domain.prices import Price
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from model_caller.answers.answer import Assembly
from model_caller.answers.failures import ModelFault
from model_caller.calls.cancelling import StopSignal
from model_caller.choosing.target import ModelTarget
from model_caller.providers.model_limits import listed_limits
from session_domain.model_requests.request import ModelRequest

LONGEST_ANSWER = 32_768
"""Tokens asked for under a cap, at the most."""
_USUAL_ANSWER = 8_192
"""Asked for under a cap where nobody says how much the model gives."""
_LEAST_BYTES_PER_TOKEN = 2
"""Texts have three to six, so a request takes less than what is held back for it."""
PATIENCE_S = 60.0
"""How long a call waits for what others hold back, or for a ledger that can't be reached."""

log = structlog.get_logger()


class CallBudget(msgspec.Struct, frozen=True):
    """Whose call it is, under which caps, at what price (None: nobody knows). `takes_over`: callers before
    this one died."""

    budgets: Budgets
    clock: Clock
    spender: Spender
    caps: tuple[Cap, ...] = ()
    price: Price | None = None
    takes_over: bool = False
    patience_s: float = PATIENCE_S


class CallSpending:
    """The spending of one call."""

    def __init__(
        self,
        purse: CallBudget,
        target: ModelTarget,
        stop: StopSignal,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._purse = purse
        self._target = target
        self._stop = stop
        self._sleep = sleep
        self._granted: AnswerReservation | None = None
        self._under_way = False
        self._counts = [cap for cap in purse.caps if cap.unit == "tokens" or purse.price is not None]
        self.max_tokens: int | None = None
        self.tokens_left: int | None = None

    async def allow(self, request: ModelRequest) -> ModelRequest:
        """The request for the next attempt, whose answer can be as long as is paid for.

        `ModelFault` where that is too little; `WorkStopped` if it is told to stop while it waits."""
        if not self._counts:
            self._under_way = True
            return request
        wanted = await self._wanted(request)
        self._granted = await self._held(wanted)
        self._under_way = True
        await stop_point("model.held_back")
        answer = self._granted.answer
        self.max_tokens = answer if answer < wanted.answer else None
        self.tokens_left = Usage(wanted.asked, answer).tokens
        return msgspec.structs.replace(request, options={**request.options, "max_tokens": answer})

    def ended(self, usage: Usage) -> None:
        """The attempt that was allowed ended, and cost this. Said again, it counts no more."""
        if not self._under_way:
            return
        self._under_way = False
        spent = sum_of(usage)
        if self._granted is not None:
            self._purse.budgets.settle(self._granted, spent)
        elif spent.tokens:
            self._purse.budgets.count(self._purse.spender, spent)
        self._granted = None

    def heard(self, said: Assembly) -> None:
        """So much of the answer has come."""
        if self._granted is not None:
            tokens = -(-said.unreported // _LEAST_BYTES_PER_TOKEN)
            self._purse.budgets.heard(self._granted, tokens + (said.reported.output if said.reported else 0))

    async def _wanted(self, request: ModelRequest) -> ReservationRequest:
        asked = -(-request.size // _LEAST_BYTES_PER_TOKEN)
        limits = await asyncio.to_thread(listed_limits, self._target.for_litellm)
        longest = min(limits.answer or _USUAL_ANSWER, LONGEST_ANSWER)
        told = request.options.get("max_tokens")
        return ReservationRequest(asked, told if isinstance(told, int) else longest, self._purse.price)

    async def _held(self, wanted: ReservationRequest) -> AnswerReservation:
        name = new_name()
        try:
            return await self._held_as(name, wanted)
        except BaseException:  # stopped, cancelled: it may be held back by now, and nothing will be asked
            self._purse.budgets.settle(AnswerReservation(name, 0), CostSum())
            raise

    async def _held_as(self, name: str, wanted: ReservationRequest) -> AnswerReservation:
        purse = self._purse
        until = time.monotonic() + purse.patience_s
        pause = 0.1
        while True:
            try:
                found = await purse.budgets.hold(
                    purse.spender, wanted, self._counts, name, takes_over=purse.takes_over
                )
            except Transient as failure:
                log.warning("budget.unreachable", reason=failure.message)
                if time.monotonic() > until:
                    raise _unreachable(failure) from failure
            else:
                if isinstance(found, AnswerReservation):
                    return found
                if not found.waits or time.monotonic() > until:
                    raise self._too_little(found)
            async with self._stop.within(None):
                await self._sleep(pause)
            pause = min(2.0, pause * 1.5)

    def _too_little(self, short: CapShortage) -> ModelFault:
        cap = short.cap
        daily = cap.scope in ("daily", "agent_daily")
        how = "Raise"
        if short.waits:
            how = "It goes on by itself once calls that are being made have ended; or raise"
        elif daily:
            how = "It goes on by itself after midnight (UTC); or raise"
        fault = ModelFault(
            ModelFailure.BUDGET,
            f"{_WHOSE[cap.scope]} may {_most(cap)}, {_used(cap, short)}, and what is left is too little for "
            f"another answer. Nothing is lost, and nothing more is spent. {how} {cap.setting} (Studio, "
            f"Settings, Budgets; or `foldline config set {cap.setting} VALUE`), then retry.",
            transient=daily or short.waits,
            retry_after=self._until_tomorrow() if daily and not short.waits else None,
        )
        fault.setting = cap.setting
        return fault

    def _until_tomorrow(self) -> float:
        now = self._purse.clock.now()
        return 86_400.0 - (now.timestamp() % 86_400)


_WHOSE = {
    "session": "This chat",
    "agent": "This agent",
    "agent_daily": "This agent",
    "daily": "All agents together",
    "total": "All agents together",
}


def _most(cap: Cap) -> str:
    most = f"{cap.most:,} tokens" if cap.unit == "tokens" else f"${cap.most / MICROS:,.6g}"
    verb = "use" if cap.unit == "tokens" else "cost"
    return f"{verb} {most}{' a day' if cap.scope.endswith('daily') else ' in all'}"


def _used(cap: Cap, short: CapShortage) -> str:
    today = " today" if cap.scope.endswith("daily") else ""
    spent = f"{short.spent:,} tokens" if cap.unit == "tokens" else f"${short.spent / MICROS:,.6g}"
    return f"{spent} of it {'are' if cap.unit == 'tokens' else 'is'} spent{today}"


def _unreachable(failure: Transient) -> ModelFault:
    return ModelFault(
        ModelFailure.BUDGET,
        f"What is left of the budget can't be read now ({failure.message}). Nothing is lost, and nothing is "
        "spent. It goes on by itself; or retry.",
        transient=True,
    )
