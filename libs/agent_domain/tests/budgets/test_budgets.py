"""The ledger of what models cost, on a real server: caps hold whoever spends, and whoever dies."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import BUDGETS_BUCKET
from agent_contracts.session_events.results import Usage
from agent_domain.budgets.budgets import KEY, AnswerReservation, Budgets
from agent_domain.budgets.caps import BudgetSettings, Cap
from agent_domain.budgets.ledger import CapShortage, CostSum, ReservationRequest, Spender, sum_of
from agent_domain.prices import Price
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from foldline_testing.agent_platform.eventually import all_had_their_turn, eventually
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest

ANN, BOB = AgentId("ann"), AgentId("bob")
PRICE = Price(1.0, 4.0)


class Evening:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 31, 23, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The time that the test set."""
        return self.moment

    def new_id(self, prefix: str) -> str:
        """Nothing here makes ids."""
        raise AssertionError


def caps(**values: float) -> tuple[Cap, ...]:
    return BudgetSettings.model_validate({"data_dir": "/", **values}).caps()


def spender(call: str, agent: AgentId = ANN, session: str = "s1", cost: int = 0) -> Spender:
    return Spender(agent, SessionId(session), CallId(call), cost)


def wanted(asked: int = 1_000, answer: int = 8_000, price: Price | None = PRICE) -> ReservationRequest:
    return ReservationRequest(asked, answer, price)


def cost(asked: int, answered: int) -> CostSum:
    usage = Usage(asked, answered)
    return sum_of(Usage(asked, answered, cost_micros=PRICE.of(usage)))


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


@pytest.fixture
def clock() -> Evening:
    return Evening()


@pytest.fixture
def kept() -> Bucket:
    return Bucket(MemoryLog(), BUDGETS_BUCKET)


async def nothing_pending(budgets: Budgets) -> bool | None:
    return budgets.pending == 0 or None


async def granted(
    budgets: Budgets,
    spender: Spender,
    wanted: ReservationRequest,
    caps: Iterable[Cap],
    *,
    takes_over: bool = False,
) -> AnswerReservation:
    found = await budgets.hold(spender, wanted, caps, takes_over=takes_over)
    assert isinstance(found, AnswerReservation), found
    return found


async def test_twenty_callers_in_three_processes_never_spend_more_than_the_cap(
    connection: NatsConnection, clock: Evening
) -> None:
    processes = [Budgets(bucket(connection, BUDGETS_BUCKET), clock) for _ in range(3)]
    limits = caps(daily_cost_limit=0.10)
    paid = 0

    async def one(number: int) -> None:
        nonlocal paid
        budgets, name = processes[number % 3], f"c{number}"
        for _ in range(200):
            found = await budgets.hold(spender(name, session=f"s{number}"), wanted(), limits)
            if isinstance(found, AnswerReservation):
                assert found.answer >= 256
                paid += PRICE.of(Usage(1_000, found.answer))  # all of it, at worst
                budgets.settle(found, cost(1_000, found.answer))
                await budgets.flush()
                return
            if not found.waits:
                return
            await asyncio.sleep(0.01)  # sleeps: work

    await asyncio.gather(*map(one, range(20)))
    ledger, day = await processes[0].read()
    assert ledger.all.on(day).micros == paid
    assert 90_000 < paid <= 100_000
    assert not ledger.held


async def test_what_is_held_back_by_others_is_waited_for_and_what_is_spent_is_not(
    kept: Bucket, clock: Evening
) -> None:
    budgets, limits = Budgets(kept, clock), caps(agent_token_limit=10_000)
    first = await granted(budgets, spender("c1"), wanted(answer=8_500), limits)
    short = await budgets.hold(spender("c2"), wanted(), limits)
    assert isinstance(short, CapShortage)
    assert (short.cap.setting, short.waits) == ("agent_token_limit", True)
    budgets.settle(first, cost(1_000, 500))
    second = await granted(budgets, spender("c2"), wanted(), limits)
    assert second.answer == 7_500
    budgets.settle(second, cost(1_000, 7_500))
    over = await budgets.hold(spender("c3"), wanted(), limits)
    assert isinstance(over, CapShortage)
    assert (over.spent, over.waits) == (10_000, False)


async def test_a_dead_callers_hold_counts_until_its_call_ends_by_another(
    kept: Bucket, clock: Evening
) -> None:
    limits = caps(total_cost_limit=0.05)
    dead = Budgets(kept, clock)
    dead.heard(await granted(dead, spender("c1"), wanted(answer=6_000), limits), 88)
    await dead.flush()
    other = Budgets(kept, clock)
    third = await granted(other, spender("c3"), wanted(answer=6_000), limits)
    assert third.answer == (50_000 - 25_000 - 1_000) // 4
    other.settle(third, CostSum())
    again = await granted(other, spender("c1"), wanted(answer=20_000), limits, takes_over=True)
    counted = 1_000 + 4 * (88 + 512)  # what was noted of the dead one's answer, and a little more
    assert again.answer == (50_000 - counted - 1_000) // 4
    other.settle(again, cost(900, 100))
    other.ended(CallId("c1"), cost(900, 100))
    await other.flush()
    ledger, _ = await other.read()
    assert not ledger.held
    assert ledger.all.total == CostSum(1_600 + 1_000, counted + 1_300)


async def test_what_nobody_settles_is_spent_after_a_day(kept: Bucket, clock: Evening) -> None:
    budgets, limits = Budgets(kept, clock), caps(agent_cost_limit=1.0)
    await granted(budgets, spender("c1"), wanted(answer=1_000), limits)
    clock.moment += timedelta(days=1, seconds=1)
    await granted(budgets, spender("c2"), wanted(answer=1_000), limits)
    ledger, _ = await budgets.read()
    assert ledger.agents[ANN].total == CostSum(2_000, 5_000)
    assert [one.call_id for one in ledger.held.values()] == ["c2"]


async def test_the_cap_of_a_day_holds_after_a_clock_was_far_ahead(kept: Bucket, clock: Evening) -> None:
    budgets, most = Budgets(kept, clock), caps(daily_token_limit=10_000)
    clock.moment += timedelta(days=400)
    budgets.count(spender("m1"), CostSum(4_000))
    held = await budgets.hold(spender("m2"), wanted(1_000, 2_000), most)
    assert isinstance(held, AnswerReservation)
    clock.moment -= timedelta(days=400)
    for number in range(3):
        budgets.count(spender(f"m{number + 3}"), CostSum(1_000))
        await budgets.flush()
    found = await budgets.hold(spender("m9"), wanted(1_000, 2_000), most)
    assert isinstance(found, CapShortage)
    assert found.spent == 7_000
    ledger, day = await budgets.read()
    assert (day, ledger.all.on(day).tokens) == ("2026-01-31", 7_000)
    clock.moment += timedelta(days=1, seconds=1)
    await budgets.flush()
    assert isinstance(await budgets.hold(spender("m10"), wanted(1_000, 2_000), most), AnswerReservation)


async def test_a_day_ends_at_midnight_and_what_began_before_it_counts_on_its_day(
    kept: Bucket, clock: Evening
) -> None:
    budgets, limits = Budgets(kept, clock), caps(daily_token_limit=5_000)
    late = await granted(budgets, spender("c1"), wanted(), limits)
    assert late.answer == 4_000
    clock.moment += timedelta(hours=2)
    early = await granted(budgets, spender("c2"), wanted(), limits)
    assert early.answer == 4_000
    budgets.settle(late, cost(1_000, 4_000))
    await budgets.flush()
    ledger, day = await budgets.read()
    assert day == "2026-02-01"
    assert ledger.all.on(day) == CostSum()
    assert ledger.all.total.tokens == 5_000
    behind = Evening()  # a process whose clock is an hour behind counts on the day that has begun
    budgets.settle(early, cost(1_000, 1_000))
    await budgets.flush()
    assert isinstance(
        await Budgets(kept, behind).hold(spender("c3"), wanted(answer=4_000), limits), AnswerReservation
    )
    found, day = await Budgets(kept, behind).read()
    assert (day, found.all.on(day).tokens) == ("2026-02-01", 2_000)


async def test_caps_of_a_session_an_agent_and_all_hold_at_once_and_may_change(
    kept: Bucket, clock: Evening
) -> None:
    budgets = Budgets(kept, clock)
    limits = caps(session_cost_limit=0.01, agent_daily_cost_limit=0.02, daily_cost_limit=0.03)
    one = await granted(budgets, spender("c1", cost=3_000), wanted(), limits)
    assert one.answer == (10_000 - 3_000 - 1_000) // 4
    two = await granted(budgets, spender("c2", session="s2"), wanted(), limits)
    assert two.answer == (10_000 - 1_000) // 4
    three = await budgets.hold(spender("c3", session="s3"), wanted(), limits)
    assert isinstance(three, AnswerReservation)
    four = await granted(budgets, spender("c4", BOB, "s4"), wanted(), limits)
    assert four.answer == (30_000 - 7_000 - 10_000 - 3_000 - 1_000) // 4
    budgets.settle(one, cost(1_000, 1_500))
    short = await budgets.hold(spender("c5"), wanted(), limits)
    assert isinstance(short, CapShortage)
    assert short.cap.setting == "session_cost_limit"
    raised = caps(session_cost_limit=0.02, agent_daily_cost_limit=0.2, daily_cost_limit=0.3)
    assert (await granted(budgets, spender("c5"), wanted(), raised)).answer == (20_000 - 10_000 - 1_000) // 4
    lowered = caps(agent_daily_cost_limit=0.001)
    assert isinstance(await budgets.hold(spender("c6"), wanted(), lowered), CapShortage)


@pytest.mark.parametrize(
    "of", [("agent_daily_cost_limit", "daily_cost_limit"), ("daily_cost_limit", "agent_cost_limit")]
)
async def test_the_cap_that_waiting_does_not_help_is_told_wherever_it_stands(
    kept: Bucket, clock: Evening, of: tuple[str, str]
) -> None:
    """Otherwise a call would wait a minute for what never becomes free."""
    budgets, (held, spent) = Budgets(kept, clock), of
    first = await granted(budgets, spender("c1"), wanted(answer=1_000), ())
    budgets.settle(first, cost(1_000, 1_000))  # 5,000 micros are spent
    await granted(budgets, spender("c2"), wanted(answer=1_000), ())  # 5,000 are held back
    limits = {cap.setting: cap for cap in caps(**{held: 0.0075, spent: 0.005})}
    for order in ((held, spent), (spent, held)):
        short = await budgets.hold(spender("c3"), wanted(), [limits[one] for one in order])
        assert isinstance(short, CapShortage)
        assert (short.cap.setting, short.waits) == (spent, False)


class Slow(MemoryLog):
    """A server on which something else happens while it stores."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = bool

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """See the port."""
        self.meanwhile()
        return await super().append(message, expect)


async def test_what_is_counted_while_the_ledger_is_written_is_written_next(clock: Evening) -> None:
    log = Slow()
    budgets = Budgets(Bucket(log, BUDGETS_BUCKET), clock)
    budgets.count(spender("c1"), cost(10, 1))
    log.meanwhile = lambda: budgets.count(spender("c2"), cost(20, 2))
    await budgets.flush()
    log.meanwhile = bool
    assert budgets.pending == 1
    await budgets.flush()
    ledger, _ = await budgets.read()
    assert (ledger.all.total.tokens, budgets.pending) == (33, 0)


async def test_without_a_price_tokens_alone_are_bounded_and_it_is_said(kept: Bucket, clock: Evening) -> None:
    budgets = Budgets(kept, clock)
    money, tokens = caps(daily_cost_limit=0.000001), caps(daily_token_limit=3_000)
    assert (await granted(budgets, spender("c1"), wanted(price=None), money)).answer == 8_000
    budgets.ended(CallId("c1"), sum_of(Usage(1_000, 500)))
    await budgets.flush()
    ledger, day = await budgets.read()
    assert ledger.all.on(day) == CostSum(1_500, 0, 1_500)
    assert (await granted(budgets, spender("c2"), wanted(price=None), tokens)).answer == 500


class Away(MemoryLog):
    """A server that can't be reached while a test says so."""

    away = False

    async def last(self, subject: str) -> StoredMessage | None:
        """See the port."""
        if self.away:
            raise Transient("nobody answers")
        return await super().last(subject)


async def test_while_the_ledger_is_away_nothing_is_granted_and_what_was_spent_is_written_later(
    clock: Evening,
) -> None:
    log = Away()
    budgets, limits = Budgets(Bucket(log, BUDGETS_BUCKET), clock), caps(daily_token_limit=3_000)
    first = await granted(budgets, spender("c1"), wanted(answer=1_000), limits)
    log.away = True
    with pytest.raises(Transient):
        await budgets.hold(spender("c2"), wanted(answer=1_000), limits)
    budgets.settle(first, cost(1_000, 100))
    running = asyncio.create_task(budgets.run())
    await all_had_their_turn()
    log.away = False
    await eventually(lambda: nothing_pending(budgets))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    ledger, day = await budgets.read()
    assert (ledger.all.on(day).tokens, dict(ledger.held)) == (1_100, {})


async def test_calls_without_a_cap_are_counted_within_a_second(kept: Bucket, clock: Evening) -> None:
    budgets = Budgets(kept, clock)
    running = asyncio.create_task(budgets.run())
    for number in range(100):
        budgets.count(spender(f"c{number}", BOB), cost(10, 1))
    await eventually(lambda: nothing_pending(budgets))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    entry = await kept.get(KEY)
    assert entry is not None
    assert entry.revision < 5  # together, not each by itself
    ledger, _ = await budgets.read()
    assert ledger.agents[BOB].total == CostSum(1_100, 1_400)


async def test_an_erased_agent_is_forgotten_what_all_spent_is_not(kept: Bucket, clock: Evening) -> None:
    budgets, limits = Budgets(kept, clock), caps(agent_token_limit=9_000)
    budgets.count(spender("c0", BOB), cost(10, 1))
    await granted(budgets, spender("c1"), wanted(answer=1_000), limits)
    await budgets.forget(ANN)
    ledger, _ = await budgets.read()
    assert (set(ledger.agents), dict(ledger.held)) == ({BOB}, {})
    assert ledger.all.total.tokens == 2_011
