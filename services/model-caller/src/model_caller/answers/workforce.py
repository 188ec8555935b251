"""Whether anybody works on what a model asked for. A call that nobody would run ends at once, and says so."""

import asyncio
from typing import Protocol

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Failure, ToolError
from agent_contracts.log.subjects import consumer_of
from agent_contracts.log.workers import WorkerStatus
from agent_contracts.session_events.results import ModelCallCompleted, ResolvedCall
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339

_ALWAYS = (RunsOn.TOOLS, RunsOn.ENGINE)
"""These belong to every installation: their calls wait for them. Of others there may be none."""
_NOBODY = {
    RunsOn.BROWSER: "no browser pool is running; `foldline up` and `foldline serve browser-pool` start one",
    RunsOn.WORKSPACE: "no workspace host is running; `foldline up` and `foldline serve workspace-host` start "
    "one",
    RunsOn.MCP: "no host of MCP servers is running; `foldline up` and `foldline serve mcp-host` start one",
}
_PATIENCE_S = 5.0
_AGAIN_S = 0.5

log = structlog.get_logger()


class ToolWorkers(Protocol):
    """Who works."""

    async def works_on(self, runs_on: RunsOn) -> bool:
        """Whether anybody does."""
        ...


class HeardWorkers:
    """`ToolWorkers` by what workers say of themselves, in their bucket."""

    def __init__(self, workers: Bucket, clock: Clock, *, patience_s: float = _PATIENCE_S) -> None:
        """`patience_s` is how long one that is just being started again is waited for."""
        self._workers = workers
        self._clock = clock
        self._patience_s = patience_s

    async def works_on(self, runs_on: RunsOn) -> bool:
        """See `ToolWorkers`. While nobody can tell, they do: then their calls wait."""
        if runs_on in _ALWAYS:
            return True
        consumer = consumer_of(runs_on)
        try:
            async with asyncio.timeout(self._patience_s):
                while not await self._lives(consumer):  # noqa: ASYNC110 — who tells is another process
                    await asyncio.sleep(_AGAIN_S)
        except TimeoutError:
            return False
        except (Failure, msgspec.DecodeError) as error:
            log.warning("workers.unread", consumer=consumer, reason=str(error))
        return True

    async def _lives(self, consumer: str) -> bool:
        now = rfc3339(self._clock.now())
        found = (await self._workers.below(consumer)).values()
        return any(msgspec.json.decode(one.value, type=WorkerStatus).lives(now) for one in found)


async def checked(answer: ModelCallCompleted, workforce: ToolWorkers) -> ModelCallCompleted:
    """The answer, in which calls that nobody would run are ended."""
    wanted = {call.runs_on for call in answer.tool_calls if call.error is None and call.result is None}
    absent = {one for one in sorted(wanted.difference(_ALWAYS)) if not await workforce.works_on(one)}
    if not absent:
        return answer
    calls = tuple(_ended(call) if call.runs_on in absent else call for call in answer.tool_calls)
    return msgspec.structs.replace(answer, tool_calls=calls)


def _ended(call: ResolvedCall) -> ResolvedCall:
    if call.error is not None or call.result is not None:
        return call
    nobody = _NOBODY.get(call.runs_on, f"no worker for {call.runs_on.value} is running; start one")
    error = ToolError(ErrorKind.NOT_AVAILABLE, nobody, retryable=True)
    return msgspec.structs.replace(call, error=error)
