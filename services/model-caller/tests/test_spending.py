"""What is held back for a call is given back however it ends, and what it cost is counted once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import BUDGETS_BUCKET
from agent_contracts.questions.generation import Generate
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted, ModelFailure
from agent_domain.budgets.budgets import AnswerReservation, Budgets
from agent_domain.budgets.caps import Cap, Scope
from agent_domain.budgets.ledger import Account, CostSum, Reservation, ReservationRequest, Spender
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, QUICK, Conversation, settings_of
from model_caller.answers.answer import AnswerEnding, AnswerPiece
from model_caller.answers.failures import ModelFault
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.call_spending import CallBudget, CallSpending
from model_caller.calls.cancelling import Cancellations, StopSignal
from model_caller.calls.cool_downs import CoolDowns
from model_caller.calls.fallback import Fallback
from model_caller.calls.generating import GenerationAnswerer, NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.choosing.model_choice import ModelChoice
from model_caller.choosing.target import ModelTarget
from model_caller.providers.by_model import ByModel
from session_domain.model_requests.request import ModelRequest

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
SLOW = msgspec.structs.replace(QUICK, first_delay=60.0, longest_delay=60.0)
MODEL = "openai/main"
SESSION, CALL = SessionId("s1"), CallId("c1")


class SlowBucket(Bucket):
    """Stores at once; with `stalls`, the answer that something is held back never comes."""

    def __init__(self) -> None:
        super().__init__(MemoryLog(), BUDGETS_BUCKET)
        self.stalls = False
        self.stored = asyncio.Event()

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        revision = await super().put(key, value, expect=expect, ttl_s=ttl_s)
        if self.stalls and b'"held"' in value:
            self.stored.set()
            await asyncio.Event().wait()
        return revision


class Broken(ByModel):
    """Fails as nobody foresaw, after a piece."""

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        yield AnswerPiece("An ")
        raise RuntimeError("a bug")


class Asked:
    """A question that a tool puts to a model, under a cap."""

    def __init__(self, provider: ByModel, base_url: str | None = None) -> None:
        self.bucket = SlowBucket()
        self.budgets = Budgets(self.bucket, SystemClock())
        self.cancellations = Cancellations()
        choice = ModelChoice(MODEL, MODEL, MODEL, MODEL, "a test", base_url, "sk-test-1")
        settings = settings_of(choice, total_token_limit=100_000)
        entities = Entities(MemoryLog(), SystemClock(), event_sources.GATEWAY)
        self.generating = GenerationAnswerer(
            ModelAsker(provider, NoListeners(), QUICK),
            EffectiveSettings(entities, settings),
            MemoryBlobs(),
            self.cancellations,
            self.budgets,
            SystemClock(),
            AdaptationMemory(entities, SystemClock()),
            Fallback(CoolDowns()),
            parallel=1,
        )

    def ask(self) -> "asyncio.Task[bytes]":
        question = msgspec.json.encode(Generate(AGENT, SESSION, CALL, "hello"))
        return asyncio.create_task(self.generating.answer(question))

    async def ledger(self) -> tuple[dict[str, Reservation], Account]:
        """What is held back, and what was paid."""
        self.bucket.stalls = False
        await self.budgets.flush()
        found, _ = await self.budgets.read()
        return dict(found.held), found.all


@pytest.fixture
async def provider() -> AsyncIterator[ByModel]:
    provider = ByModel(QUICK)
    yield provider
    await provider.close()


async def test_what_a_stopped_call_was_just_held_back_for_is_given_back(provider: ByModel) -> None:
    asked = Asked(provider, "http://127.0.0.1:9")
    asked.bucket.stalls = True
    asking = asked.ask()
    await asyncio.wait_for(asked.bucket.stored.wait(), 60)
    asked.cancellations.cancel(SESSION, CALL)
    assert b"cancelled" in await asyncio.wait_for(asking, 60)
    held, paid = await asked.ledger()
    assert held == {}
    assert paid.total.tokens == 0


async def test_a_call_that_ends_in_a_bug_holds_nothing_back() -> None:
    asked = Asked(Broken(QUICK), "http://127.0.0.1:9")
    with pytest.raises(RuntimeError, match="a bug"):
        await asyncio.wait_for(asked.ask(), 60)
    held, paid = await asked.ledger()
    assert held == {}
    assert paid.total.tokens > 0, "the model had begun"


@pytest.mark.parametrize("cap", [{}, {"total_token_limit": 1_000_000}])
async def test_who_stops_a_model_that_never_began_pays_nothing(talk: Talk, cap: dict[str, Any]) -> None:
    script = {"rules": [{"reply": {"text": "Hi.", "fault": {"kind": "rate_limited", "retry_after": None}}}]}
    answer, tokens = await stopped_between_attempts(talk, script, cap)
    assert answer.usage.input + answer.usage.output == 0
    assert tokens == 0


@pytest.mark.parametrize("cap", [{}, {"total_token_limit": 1_000_000}])
async def test_what_an_attempt_cost_that_failed_before_a_stop_is_counted_once(
    talk: Talk, cap: dict[str, Any]
) -> None:
    reply = {"text": "Once upon a time", "pace": {"size": 5}, "fault": {"kind": "cut", "after_chunks": 2}}
    answer, tokens = await stopped_between_attempts(talk, {"rules": [{"reply": reply}]}, cap)
    assert tokens == answer.usage.input + answer.usage.output > 0


async def stopped_between_attempts(
    talk: Talk, script: dict[str, Any], cap: dict[str, Any]
) -> tuple[ModelCallCompleted, int]:
    """The answer to a call that is stopped while it waits to be made again, and the ledger's tokens."""
    conversation, _ = await talk(script, limits=SLOW, caps=cap)
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    handling = asyncio.create_task(conversation.handle_request())
    async with asyncio.timeout(60):
        while not any(one.retrying for one in conversation.live.deltas):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.005)
        await conversation.add(inputs.Interrupted())
        await conversation.settle(model=False)
        await handling
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, ModelCallCompleted)
    await conversation.budgets.flush()
    ledger, _ = await conversation.budgets.read()
    assert not ledger.held
    return answer, ledger.all.total.tokens


@pytest.mark.parametrize(
    ("scope", "elsewhere", "transient", "words"),
    [
        ("total", "held", True, "once calls that are being made have ended"),
        ("total", "spent", False, "Raise total_token_limit"),
        ("daily", "held", True, "once calls that are being made have ended"),
        ("daily", "spent", True, "after midnight (UTC)"),
    ],
)
async def test_what_others_hold_or_a_day_has_used_is_there_again_later_and_what_is_spent_is_not(
    scope: Scope, elsewhere: str, transient: bool, words: str
) -> None:
    budgets = Budgets(SlowBucket(), SystemClock())
    cap = Cap("total_token_limit", scope, "tokens", 10_000)
    other = Spender(AGENT, SESSION, CallId("c2"))
    first = await budgets.hold(other, ReservationRequest(1_000, 9_000, None), [cap])
    assert isinstance(first, AnswerReservation)
    if elsewhere == "spent":
        budgets.settle(first, CostSum(10_000))
        await budgets.flush()
    purse = CallBudget(budgets, SystemClock(), Spender(AGENT, SESSION, CALL), (cap,), patience_s=-1)
    request = ModelRequest(MODEL, [{"role": "user", "content": "hi"}], [])
    with pytest.raises(ModelFault) as refused:
        await CallSpending(purse, ModelTarget(MODEL), StopSignal()).allow(request)
    assert refused.value.failure is ModelFailure.BUDGET
    assert refused.value.transient is transient
    assert words in str(refused.value)
    assert (refused.value.retry_after is not None) is (words == "after midnight (UTC)")
