"""What was spent on models, and what is held back for calls that are being made. Pure."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.session_events.results import Usage
from agent_domain.budgets.caps import Cap, Scope
from agent_domain.prices import Price

LEAST_ANSWER = 256
"""Tokens: with fewer left for its answer a model isn't asked, unless fewer are wanted."""
_SESSIONS = 1_000
"""Of so many sessions the ledger knows the cost: of others the log tells it, when they go on."""
_HELD = 1_000
UNNOTED = 512
"""Tokens: a model says no more in the time until it is noted how much it said."""


class CostSum(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens, and millionths of a US dollar; `unpriced` are those of the tokens whose price nobody knows."""

    tokens: int = 0
    micros: int = 0
    unpriced: int = 0

    def plus(self, other: "CostSum") -> "CostSum":
        """Both."""
        return CostSum(self.tokens + other.tokens, self.micros + other.micros, self.unpriced + other.unpriced)

    def at_most(self, other: "CostSum") -> "CostSum":
        """The lesser of each."""
        return CostSum(
            min(self.tokens, other.tokens),
            min(self.micros, other.micros),
            min(self.unpriced, other.unpriced),
        )


def sum_of(usage: Usage) -> CostSum:
    """What a usage comes to."""
    if usage.cost_micros is None:
        return CostSum(usage.tokens, unpriced=usage.tokens)
    return CostSum(usage.tokens, usage.cost_micros)


class Account(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was spent in all, and on the last day on which anything was (UTC, as `2026-01-31`)."""

    total: CostSum = CostSum()
    day: str = ""
    on_day: CostSum = CostSum()

    def on(self, day: str) -> CostSum:
        """What was spent on this day, if it is the last one."""
        return self.on_day if self.day == day else CostSum()

    def plus(self, day: str, spent: CostSum) -> "Account":
        """The same, with what was spent on that day."""
        total = self.total.plus(spent)
        if day < self.day:
            return Account(total, self.day, self.on_day)
        return Account(total, day, self.on(day).plus(spent))


class Spender(msgspec.Struct, frozen=True):
    """For whom a model is asked. `session_micros`: what the session is known to have cost before."""

    agent_id: AgentId
    session_id: SessionId | None
    call_id: CallId
    session_micros: int = 0


class Reservation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one attempt of a call may cost at most, held back on a `day` since the time `at` (RFC 3339).

    It costs `asked` and, for each token of its answer, `token_micros`; each second it is noted how many it
    has `heard`."""

    agent_id: AgentId
    call_id: CallId
    day: str
    at: str
    most: CostSum
    session_id: SessionId | None = None
    asked: CostSum = CostSum()
    token_micros: float | None = None
    heard: int = 0

    def when_dead(self) -> CostSum:
        """What it can have cost if its caller died: what was heard of the answer, and a little more."""
        heard = Usage(0, self.heard + UNNOTED)
        if self.token_micros is not None:
            cost = -int(-heard.output * self.token_micros // 1)
            heard = msgspec.structs.replace(heard, cost_micros=cost)
        return self.asked.plus(sum_of(heard)).at_most(self.most)


class ReservationRequest(msgspec.Struct, frozen=True):
    """What an attempt asks for: `asked` tokens of input at the most, and of an `answer`; what they cost."""

    asked: int
    answer: int
    price: Price | None

    def at(self, answer: int) -> CostSum:
        """The most that it comes to with so long an answer."""
        if self.price is None:
            return sum_of(Usage(self.asked, answer))
        cost = self._of_input(self.price) + -int(-answer * self.price.output // 1)
        return sum_of(Usage(self.asked, answer, cost_micros=cost))

    def answer_within(self, unit: str, left: int) -> int:
        """The longest answer that is paid for by what is left; less than 0: not even the request is."""
        if unit == "tokens":
            return min(self.answer, Usage(self.asked, 0).output_within(left))
        if self.price is None:
            return self.answer
        left -= self._of_input(self.price)
        if left < 0:
            return -1
        return self.answer if not self.price.output else min(self.answer, int(left // self.price.output))

    def _of_input(self, price: Price) -> int:
        dearest = max(price.input, price.cache_written or 0.0)
        return -int(-self.asked * dearest // 1)


class CapShortage(msgspec.Struct, frozen=True):
    """Too little is left under a cap. `waits`: others hold some of it back, and may not spend it."""

    cap: Cap
    spent: int
    waits: bool


class Ledger(msgspec.Struct, frozen=True, omit_defaults=True):
    """Accounts, of all agents and of each; what sessions cost, of those whose cost is bounded; and what is
    held back, by a name of each attempt."""

    all: Account = Account()
    agents: Mapping[AgentId, Account] = {}
    sessions: Mapping[SessionId, int] = {}
    held: Mapping[str, Reservation] = {}

    def spent(self, scope: Scope, spender: Spender, day: str) -> CostSum:
        """What is paid."""
        match scope:
            case "session":
                known = self.sessions.get(spender.session_id, 0) if spender.session_id else 0
                return CostSum(micros=max(known, spender.session_micros))
            case "agent" | "agent_daily":
                account = self.agents.get(spender.agent_id, Account())
            case _:
                account = self.all
        return account.on(day) if scope.endswith("daily") else account.total

    def held_back(self, scope: Scope, spender: Spender, day: str) -> CostSum:
        """What is held back for calls of the same scope."""
        held = CostSum()
        for one in self.held.values():
            if scope == "session" and (one.session_id is None or one.session_id != spender.session_id):
                continue
            if scope.startswith("agent") and one.agent_id != spender.agent_id:
                continue
            if scope.endswith("daily") and one.day != day:
                continue
            held = held.plus(one.most)
        return held

    def room(
        self, wanted: ReservationRequest, spender: Spender, caps: Iterable[Cap], day: str
    ) -> "int | CapShortage":
        """The longest answer that all caps leave room for, or the cap that leaves too little."""
        answer = wanted.answer
        least = min(LEAST_ANSWER, wanted.answer)
        shortest: CapShortage | None = None
        for cap in caps:
            spent = getattr(self.spent(cap.scope, spender, day), cap.unit)
            held = getattr(self.held_back(cap.scope, spender, day), cap.unit)
            fits = wanted.answer_within(cap.unit, cap.most - spent - held)
            answer = min(answer, fits)
            if fits < least:
                waits = wanted.answer_within(cap.unit, cap.most - spent) >= least
                if shortest is None or (shortest.waits and not waits):
                    shortest = CapShortage(cap, spent, waits)
        return answer if shortest is None else shortest

    def holding(self, name: str, held: Reservation) -> "Ledger":
        """The same, with this held back."""
        others = {key: one for key, one in self.held.items() if key != name}
        kept = msgspec.structs.replace(self, held={**others, name: held})
        first = next(iter(kept.held)) if len(kept.held) > _HELD else None
        return kept if first is None else kept.settled(first, kept.held[first].most)

    def settled(self, name: str, spent: CostSum) -> "Ledger":
        """The same, with this spent of what was held back under a name; nothing if nothing is."""
        held = self.held.get(name)
        if held is None:
            return self
        others = {key: one for key, one in self.held.items() if key != name}
        paid = msgspec.structs.replace(self, held=others)
        return paid.paid(held.agent_id, held.session_id, held.day, spent)

    def taken_over(self, call_id: CallId) -> "Ledger":
        """Another caller works on a call: those that did before it are dead."""
        now = self
        for name, held in self.held.items():
            if held.call_id == call_id:
                now = now.settled(name, held.when_dead())
        return now

    def noting(self, heard: Mapping[str, int]) -> "Ledger":
        """The same, with how many tokens attempts have heard by now."""
        held = {
            name: msgspec.structs.replace(one, heard=max(one.heard, heard[name])) if name in heard else one
            for name, one in self.held.items()
        }
        return msgspec.structs.replace(self, held=held)

    def ended(self, call_id: CallId, spent: CostSum | None) -> "Ledger":
        """A call has its result. What it still holds back was for attempts of callers that died: each counts
        as what the result did at the most."""
        now = self
        for name, held in self.held.items():
            if held.call_id == call_id:
                dead = held.when_dead()
                now = now.settled(name, dead if spent is None else dead.at_most(spent))
        return now

    def older_settled(self, before: str) -> "Ledger":
        """What is held back since before that time counts as spent: nobody will say any more."""
        now = self
        for name, held in self.held.items():
            if held.at < before:
                now = now.settled(name, held.most)
        return now

    def paid(self, agent_id: AgentId, session_id: SessionId | None, day: str, spent: CostSum) -> "Ledger":
        """The same, with this spent."""
        account = self.agents.get(agent_id, Account())
        changed = msgspec.structs.replace(
            self, all=self.all.plus(day, spent), agents={**self.agents, agent_id: account.plus(day, spent)}
        )
        if session_id is None or session_id not in self.sessions:
            return changed
        return changed.knowing(session_id, self.sessions[session_id] + spent.micros)

    def knowing(self, session_id: SessionId, micros: int) -> "Ledger":
        """The same, with what a session cost."""
        others = {key: one for key, one in self.sessions.items() if key != session_id}
        newest = dict([*others.items(), (session_id, micros)][-_SESSIONS:])
        return msgspec.structs.replace(self, sessions=newest)

    def without(self, agent_id: AgentId) -> "Ledger":
        """The same, without anything of an agent that was erased; what all agents spent stays."""
        now = self
        for name, held in self.held.items():
            if held.agent_id == agent_id:
                now = now.settled(name, held.most)
        others = {key: one for key, one in now.agents.items() if key != agent_id}
        return msgspec.structs.replace(now, agents=others)

    def put_right(self, now: str) -> "Ledger":
        """The same after a clock was ahead by more than a day: what it counted on days to come counts as of
        `now` (RFC 3339), or the caps of days would hold for nobody until then."""
        today = now[: len("2026-01-31")]
        last = _next(today)

        def righted(account: Account) -> Account:
            return account if account.day <= last else msgspec.structs.replace(account, day=today)

        held = {
            name: one if one.day <= last else msgspec.structs.replace(one, day=today, at=now)
            for name, one in self.held.items()
        }
        agents = {agent_id: righted(account) for agent_id, account in self.agents.items()}
        return msgspec.structs.replace(self, all=righted(self.all), agents=agents, held=held)

    def day(self, today: str) -> str:
        """The day to count on: today, or the next one if a process whose clock is ahead began it."""
        last = self.all.day
        return last if last == _next(today) else today


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
