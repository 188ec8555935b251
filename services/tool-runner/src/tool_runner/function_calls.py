"""Calls of agents' functions from outside their sessions: by pages, and by whoever has the token."""

import asyncio

import msgspec

from agent_contracts.definitions import FUNCTION
from agent_contracts.errors import ErrorKind, Failure, ToolError
from agent_contracts.function_calls import FunctionCall
from agent_contracts.tool_spec import Effect
from agent_contracts.user_questions import ToolAnswer
from agent_domain import definitions
from agent_platform.entities.entity import EntityKey
from agent_platform.log.port import Log
from tool_runner.answers import answer_of, refused
from tool_runner.context import Resources
from tool_runner.failures import error_from, outcome_unknown
from tool_runner.keyed_calls import KeyedCalls
from tool_runner.own_tools import CodeRunner, require_enabled, runnable
from tool_runner.running import run_tool
from tool_runner.validation import InvalidArguments, parse_arguments

_CUT_SHORT = refused(outcome_unknown("the tool runner was stopped before the function was done"))
CUT_SHORT = msgspec.json.encode(_CUT_SHORT)
"""The answer of a call that is in hand when its runner stops."""
_QUEUE_S = 30.0


class FunctionCalls:
    """Answers `FunctionCall`s, at most `parallel` at once. Each runs once, or fails: nobody tries again.

    Under an idempotency key a repeat gets the first one's answer.
    """

    def __init__(self, events: Log, resources: Resources, code: CodeRunner, *, parallel: int) -> None:
        self._events = events
        self._resources = resources
        self._code = code
        self._keyed = KeyedCalls(resources.entities, resources.clock)
        self._slots = asyncio.Semaphore(parallel)

    async def answer(self, question: bytes) -> bytes:
        """A `ToolAnswer`, as JSON."""
        return msgspec.json.encode(await self._answer(question))

    async def _answer(self, question: bytes) -> ToolAnswer:
        try:
            call = msgspec.json.decode(question, type=FunctionCall)
        except msgspec.DecodeError as error:
            return refused(ToolError(ErrorKind.INTERNAL, f"not a call of a function: {error}"))
        try:
            while True:
                earlier = await self._keyed.answer(call, call.request) if call.request else None
                answer = earlier or await self._when_free(call)
                if answer is not None:
                    return answer
        except InvalidArguments as invalid:
            return refused(invalid.error)
        except Failure as failure:
            return refused(error_from(failure, Effect.PURE))

    async def _when_free(self, call: FunctionCall) -> ToolAnswer | None:
        """None where another call under the same key came first."""
        try:
            async with asyncio.timeout(_QUEUE_S):
                await self._slots.acquire()
        except TimeoutError:
            busy = f"every runner was busy for {_QUEUE_S:g} seconds; the function did not run"
            return refused(ToolError(ErrorKind.TIMEOUT, busy, retryable=True))
        try:
            return await self._run(call)
        finally:
            self._slots.release()

    async def _run(self, call: FunctionCall) -> ToolAnswer | None:
        """Raises InvalidArguments and the failures only before anything ran."""
        sequence = await self._events.last_sequence()
        key = EntityKey(call.agent_id, FUNCTION.kind, call.name)
        found = await definitions.read(self._resources.entities, key, FUNCTION, up_to=sequence)
        require_enabled(found, FUNCTION.noun)
        tool = runnable(found, self._code)
        args = parse_arguments(tool, call.arguments)
        ctx = self._resources.context_for_page(call.agent_id, call.call_id, sequence, call.name)
        claim = await self._keyed.begin(call, call.request) if call.request else 0
        if claim is None:
            return None
        try:
            outcome, milliseconds = await run_tool(tool, args, ctx)
        except asyncio.CancelledError:
            if call.request:
                unknown = msgspec.structs.replace(_CUT_SHORT, request=call.request)
                await self._keyed.end(call, claim, unknown)
            raise
        answer = await answer_of(outcome, tool, self._resources.blobs)
        usage = ctx.models.usage
        answer = msgspec.structs.replace(answer, request=call.request, usage=usage)
        if call.request:
            await self._keyed.end(call, claim, answer)
        kind = answer.error.kind if answer.error else None
        spent = {"input_tokens": usage.input, "output_tokens": usage.output} if usage else {}
        ctx.log.info("function.called", agent_id=call.agent_id, ms=milliseconds, error=kind, **spent)
        return answer
