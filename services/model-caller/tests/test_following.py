"""A call goes on from what is known of its session, which is read only where something is missing."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from agent_contracts.log.record.records import Expect
from agent_contracts.log.subjects import MODEL_CALL_REQUESTS
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.log.event_message import event_message
from agent_platform.services.consuming.consumer import Delivery
from demo_model.server import DemoModel
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.model_caller.calling import KEY, SESSION, Conversation
from foldline_testing.session_domain.counting_log import CountingLog
from session_domain.sessions import FoldedSessions

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
LOOK = ToolSpec("get_state", "Read a value.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
SCRIPT = {
    "rules": [{"turns": [{"text": "Let me see.", "tool_calls": [{"name": "get_state"}]}, {"text": "Done."}]}]
}


@pytest.fixture
async def asked(talk: Talk) -> tuple[Conversation, CountingLog]:
    """A session that waits for its second model call, of which its model caller heard each record but the
    request's."""
    log = CountingLog()
    conversation, _ = await talk(SCRIPT, tools=(LOOK,), log=log)
    await conversation.say("hi")
    (call,) = (await conversation.state()).open_calls()
    done = results.ToolCallCompleted(call.call_id, {"seen": 1}, "r", duration_ms=1)
    message, _ = event_message(done, KEY.results, origin_of(done), conversation.clock)
    await log.append(message, Expect(KEY.everything, (await conversation.state()).last_sequence))
    await conversation.settle(model=False)
    request = await conversation.request()
    first = next(iter([one async for one in log.read(request.subject)]))
    later = [one async for one in log.read(KEY.everything, after=first.sequence)]
    for one in later[:-1]:
        assert conversation.sessions.follow([one]) is not None
    return conversation, log


async def read_by(conversation: Conversation, log: CountingLog, attempt: int = 1) -> int:
    """How many events of the log a delivery of the last request makes the model caller read."""
    before = log.reads
    await conversation.caller.handle(Delivery(await conversation.request(), attempt))
    return log.reads - before - len([one async for one in log.read(MODEL_CALL_REQUESTS)])


async def test_a_session_that_was_followed_is_not_read(asked: tuple[Conversation, CountingLog]) -> None:
    conversation, log = asked
    assert await read_by(conversation, log) == 0
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, results.ModelCallCompleted)
    assert answer.text == "Done."


async def test_what_is_followed_is_what_would_be_read(asked: tuple[Conversation, CountingLog]) -> None:
    conversation, log = asked
    followed = conversation.sessions.follow([await conversation.request()])
    assert followed == await FoldedSessions(log).newest(KEY)


@pytest.mark.parametrize("why", ["again", "stopped", "a gap"])
async def test_where_something_may_be_missing_it_is_read(
    why: str, asked: tuple[Conversation, CountingLog]
) -> None:
    conversation, log = asked
    if why == "stopped":
        conversation.cancellations.cancel(SESSION)
    if why == "a gap":
        conversation.sessions.forget(SESSION)
    assert await read_by(conversation, log, attempt=2 if why == "again" else 1) > 0
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, results.ModelCallCompleted)
    assert answer.text == "Done."


async def test_a_request_that_was_answered_long_ago_reads_no_session(
    asked: tuple[Conversation, CountingLog],
) -> None:
    # As those of an imported session come, all after one another: folded for each, 30,000 events took hours.
    conversation, log = asked
    await conversation.caller.handle(Delivery(await conversation.request(), 1))
    answers = await conversation.answers()
    conversation.sessions.forget(SESSION)
    after = await log.last_sequence() - (await conversation.request()).sequence
    assert await read_by(conversation, log, attempt=2) == after == 1
    assert await conversation.answers() == answers


async def test_a_record_that_says_not_what_it_follows_is_not_followed(
    asked: tuple[Conversation, CountingLog],
) -> None:
    conversation, _ = asked
    request = await conversation.request()
    assert conversation.sessions.follow([msgspec.structs.replace(request, headers={})]) is None


async def test_a_request_that_was_stopped_before_it_came_is_never_asked(
    asked: tuple[Conversation, CountingLog],
) -> None:
    conversation, _ = asked
    request = await conversation.request()
    await conversation.add(inputs.Interrupted())
    await conversation.settle(model=False)
    await conversation.caller.handle(Delivery(request, 1))
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, results.ModelCallCompleted)
    assert (answer.text, answer.cut) == ("", "stopped")
