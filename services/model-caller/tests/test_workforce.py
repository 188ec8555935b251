"""A call that nobody would run ends at once, and says so."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.log.subjects import (
    WORKERS_BUCKET,
    consumer_of,
    worker_key,
)
from agent_contracts.log.workers import WorkerStatus
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock, rfc3339
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import Conversation
from model_caller.answers.workforce import HeardWorkers
from session_domain.domain.messages import CallStatus

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
GET = ToolSpec("get_state", "Read one.", OBJECT, "state", Effect.PURE, RunsOn.TOOLS)
CLICK = ToolSpec("browser_click", "Click it.", OBJECT, "browser", Effect.EXTERNAL, RunsOn.BROWSER)
BOTH = [{"name": "browser_click"}, {"name": "get_state"}]
SCRIPT = {"rules": [{"turns": [{"tool_calls": BOTH}, {"text": "Done."}]}]}


async def test_without_a_browser_pool_a_browsers_call_says_so_and_others_run(talk: Talk) -> None:
    conversation, _ = await talk(SCRIPT, tools=(GET, CLICK))
    conversation.workforce.absent = {RunsOn.BROWSER}
    await conversation.say("click it")
    click, get = (await conversation.state()).batch
    assert click.error is not None
    assert click.error.kind is ErrorKind.NOT_AVAILABLE
    assert "no browser pool is running" in click.error.message
    assert get.status is CallStatus.REQUESTED


async def test_with_one_the_call_is_requested(talk: Talk) -> None:
    conversation, _ = await talk(SCRIPT, tools=(GET, CLICK))
    await conversation.say("click it")
    assert {call.status for call in (await conversation.state()).batch} == {CallStatus.REQUESTED}


@pytest.mark.parametrize(
    ("consumer", "silent_s", "works"),
    [
        (consumer_of(RunsOn.BROWSER), 1, True),
        (consumer_of(RunsOn.BROWSER), 40, False),
        (consumer_of(RunsOn.TOOLS), 1, False),
        (None, 0, False),
    ],
)
async def test_who_was_heard_lately_works(consumer: str | None, silent_s: int, works: bool) -> None:
    bucket, clock = Bucket(MemoryLog(), WORKERS_BUCKET), SystemClock()
    if consumer is not None:
        seen = rfc3339(clock.now() - timedelta(seconds=silent_s))
        worker = WorkerStatus(consumer, "m", "h", 1, seen, seen, 64)
        await bucket.put(worker_key(consumer, "m"), msgspec.json.encode(worker))
    heard = HeardWorkers(bucket, clock, patience_s=0.05)
    assert await heard.works_on(RunsOn.BROWSER) is works
    assert await heard.works_on(RunsOn.TOOLS), "there is always one to be"
