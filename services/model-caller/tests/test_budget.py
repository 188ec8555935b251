"""Caps on spending: how long an answer may be, when a model isn't asked, and how a turn goes on."""

from collections.abc import Callable, Coroutine
from typing import Any

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.log.record.records import decode
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.budgets.caps import Cap
from agent_domain.budgets.ledger import ReservationRequest, Spender
from agent_domain.prices import Price
from agent_platform.entities.entity import EntityKey, EntityWriter
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import AGENT, SESSION, Conversation
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
OBJECT: dict[str, Any] = {"type": "object"}
FETCH = ToolSpec("fetch_url", "Fetch.", OBJECT, "web", Effect.EXTERNAL, RunsOn.TOOLS)
READ = ToolSpec("get_state", "Read.", OBJECT, "state", Effect.PURE, RunsOn.TOOLS)
PRICED = {"openai/demo": Price(1.0, 10.0)}
SHORT = {"rules": [{"reply": {"text": "Hello.", "usage": {"prompt_tokens": 900, "completion_tokens": 100}}}]}


async def spent(conversation: Conversation) -> tuple[int, int]:
    """Tokens and millionths of a dollar, of the agent; nothing is held back any more."""
    await conversation.budgets.flush()
    ledger, _ = await conversation.budgets.read()
    assert not ledger.held
    total = ledger.agents[AGENT].total
    return total.tokens, total.micros


async def test_without_caps_a_request_is_as_it_was_and_is_counted(talk: Talk) -> None:
    conversation, model = await talk(SHORT, prices=PRICED)
    await conversation.say("hi")
    assert "max_tokens" not in model.recording.requests[-1].body
    assert await spent(conversation) == (1_000, 1_900)


async def test_an_answer_is_as_long_as_what_is_left_pays_for_and_the_rest_is_given_back(talk: Talk) -> None:
    conversation, model = await talk(SHORT, prices=PRICED, caps={"session_cost_limit": 0.05})
    await conversation.say("hi")
    asked = model.recording.requests[-1].body["max_tokens"]
    assert 256 <= asked < 5_000
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, ModelCallCompleted)
    assert answer.max_tokens == asked
    assert await spent(conversation) == (1_000, 1_900)
    await conversation.say("and again")
    assert asked - 400 < model.recording.requests[-1].body["max_tokens"] < asked


async def test_with_too_little_left_the_turn_fails_in_plain_words_and_goes_on_when_the_cap_is_raised(
    talk: Talk,
) -> None:
    conversation, model = await talk(SHORT, prices=PRICED)
    await cap(conversation, "session_cost_limit", 0.001)
    await conversation.say("hi")
    assert model.recording.count == 0
    failed = (await conversation.answers())[-1]
    assert isinstance(failed, ModelCallFailed)
    assert (failed.kind, failed.setting, failed.retryable) == (
        ModelFailure.BUDGET,
        "session_cost_limit",
        False,
    )
    assert failed.message.startswith("The model was not asked. This chat may cost $0.001 in all")
    assert "Nothing is lost" in failed.message
    assert "foldline config set session_cost_limit" in failed.message
    turn = (await conversation.state()).failed_turn
    assert turn is not None
    assert (turn.kind, turn.setting, turn.retry_at) == ("budget", "session_cost_limit", None)
    await cap(conversation, "session_cost_limit", 1.0)
    await conversation.add(inputs.RetryAsked())
    await conversation.settle()
    state = await conversation.state()
    assert (state.status, state.failed_turn, state.history[-1].text) == (Status.IDLE, None, "Hello.")


async def test_a_day_that_is_used_up_goes_on_by_itself_after_midnight(talk: Talk) -> None:
    conversation, _ = await talk(SHORT, caps={"daily_token_limit": 300})
    await conversation.say("hi")
    failed = (await conversation.answers())[-1]
    assert isinstance(failed, ModelCallFailed)
    assert failed.retryable
    assert failed.retry_after_s is not None
    assert 0 < failed.retry_after_s <= 86_400
    assert "after midnight (UTC)" in failed.message


async def test_money_bounds_nothing_where_no_price_is_known_and_tokens_do(talk: Talk) -> None:
    conversation, model = await talk(SHORT, caps={"agent_cost_limit": 0.000001})
    await conversation.say("hi")
    assert "max_tokens" not in model.recording.requests[-1].body
    ledger, day = await flushed(conversation)
    assert ledger.agents[AGENT].on(day).unpriced == 1_000
    other, model = await talk(SHORT, caps={"agent_token_limit": 300})
    await other.say("hi")
    assert model.recording.count == 0


async def test_what_broken_attempts_cost_is_counted_as_well(talk: Talk) -> None:
    script = {
        "rules": [
            {"reply": {**SHORT["rules"][0]["reply"], "fault": {"kind": "cut", "after_chunks": 1, "times": 1}}}
        ]
    }
    conversation, model = await talk(script, prices=PRICED, caps={"session_cost_limit": 1.0})
    await conversation.say("hi")
    assert model.recording.count == 2
    tokens, micros = await spent(conversation)
    assert tokens > 1_000 + 500  # the first request, as it is counted
    assert micros > 1_900 + 500


async def test_a_result_that_another_caller_recorded_settles_what_was_held_back(talk: Talk) -> None:
    conversation, _ = await talk(SHORT, prices=PRICED, caps={"session_cost_limit": 1.0})
    await conversation.add(inputs.UserMessage(text="hi"))
    await conversation.settle(model=False)
    await conversation.handle_request()
    await conversation.handle_request(attempt=2)
    assert await spent(conversation) == (1_000, 1_900)


async def test_a_call_that_no_delivery_brought_to_an_end_holds_nothing_back(talk: Talk) -> None:
    conversation, _ = await talk(SHORT, prices=PRICED, caps={"session_cost_limit": 1.0})
    await conversation.add(inputs.UserMessage(text="hi"))
    await conversation.settle(model=False)
    message = await conversation.request()
    call_id = decode(message).event.call_id
    cap = Cap("session_cost_limit", "session", "micros", 1_000_000)
    dead = Spender(AGENT, SESSION, call_id)  # a caller that died while it asked
    await conversation.budgets.hold(
        dead, ReservationRequest(1_000, 1_000, PRICED["openai/demo"]), [cap], "h1"
    )
    ledger, _ = await conversation.budgets.read()
    assert [one.call_id for one in ledger.held.values()] == [call_id]
    await conversation.new_caller().given_up(message, "it was delivered five times")
    ledger, _ = await flushed(conversation)
    assert not ledger.held
    (failed,) = await conversation.answers()
    assert isinstance(failed, ModelCallFailed)
    assert failed.kind is ModelFailure.DELIVERIES_EXHAUSTED


async def flushed(conversation: Conversation) -> Any:
    await conversation.budgets.flush()
    return await conversation.budgets.read()


async def cap(conversation: Conversation, name: str, value: float) -> None:
    """A person sets it for all agents."""
    key = EntityKey(SYSTEM_AGENT, EntityKind.SETTING, name)
    await conversation.entities.write(key, value, EntityWriter.user(f"{name}={value}"))


async def test_of_the_calls_that_act_outside_so_many_run_in_a_minute_and_the_model_is_told(
    talk: Talk,
) -> None:
    urls = [{"name": "fetch_url", "arguments": {"url": f"https://a.test/{n}"}} for n in range(4)]
    turn = {"tool_calls": [{"name": "get_state", "arguments": {}}, *urls]}
    script = {"rules": [{"turns": [turn, {"text": "Done."}]}]}
    conversation, _ = await talk(script, tools=(FETCH, READ), caps={"external_calls_limit": 3})
    await conversation.say("hello")
    read, *fetches = (await conversation.state()).messages()[1].tool_calls
    assert read.error is None
    assert [one.error is None for one in fetches] == [True, True, True, False]
    assert fetches[-1].error is not None
    assert (fetches[-1].error.kind, fetches[-1].error.retryable) == (ErrorKind.TOO_OFTEN, True)
    assert "at most 3 calls in a minute" in fetches[-1].error.message
