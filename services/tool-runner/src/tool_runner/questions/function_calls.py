"""Calls of agents' functions from outside their sessions: by pages, and by whoever has the token."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, ToolError
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources, placed, source
from agent_contracts.questions.function_calls import FunctionCall, Progress
from agent_contracts.tool_spec import Effect
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.storable_text import storable
from agent_tools.running.answers import refused
from agent_tools.running.contexts import context_of_page
from agent_tools.running.failures import error_from, outcome_unknown
from agent_tools.running.keyed_calls import KeyedCalls, call_key
from agent_tools.running.running import run_tool
from agent_tools.toolbox import Toolbox
from agent_tools.validation import InvalidArguments, parse_arguments
from tool_runner.code.own_tools import StoredFunctions
from tool_runner.questions.answers import answer_of

_CUT_SHORT = refused(outcome_unknown("the tool runner was stopped before the function was done"))
CUT_SHORT = msgspec.json.encode(_CUT_SHORT)
"""The answer of a call that is in hand when its runner stops."""
_QUEUE_S = 30.0
_LOG_CHARACTERS = 65_536
"""Of what a test run logged the last so many are told."""


Tell = Callable[[CallId, Progress], Awaitable[None]]
"""Tells whoever hears it how far a call is."""


class FunctionCalls:
    """Answers `FunctionCall`s, at most `parallel` at once. Each runs once, or fails: nobody tries again.

    Under an idempotency key a repeat gets the first one's answer.
    """

    def __init__(  # noqa: PLR0913 — what it needs, each named
        self,
        functions: StoredFunctions,
        toolbox: Toolbox,
        keyed: KeyedCalls,
        blobs: Blobs,
        tell: Tell,
        *,
        parallel: int,
    ) -> None:
        self._tell = tell
        self._functions = functions
        self._toolbox = toolbox
        self._keyed = keyed
        self._blobs = blobs
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
                key = call_key(call.agent_id, call.call_id)
                earlier = await self._keyed.answer(key, call.request) if call.request else None
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
        tool, sequence = await self._functions.find(call)
        args = parse_arguments(tool, call.arguments)
        given = _given(call, sequence)
        context = context_of_page(call.agent_id, call.call_id, sequence, call.name, given, call.grants)
        if call.tells_progress:
            context = replace(context, progress=partial(self._tell, call.call_id))
        key, made = call_key(call.agent_id, call.call_id), KeyedCall(call.name, call.request or "")
        claim = await self._keyed.begin(key, made) if call.request else 0
        if claim is None:
            return None
        try:
            outcome, milliseconds = await run_tool(tool, args, self._toolbox.opened(context))
        except asyncio.CancelledError:
            if call.request:
                unknown = msgspec.structs.replace(_CUT_SHORT, request=call.request)
                await self._keyed.end(key, claim, made, unknown)
            raise
        answer = await answer_of(outcome, tool, self._blobs, call.agent_id)
        if context.wanted.show is not None and not call.trial:
            answer = refused(_needs_yes(call.name, context.wanted.show))
        usage = context.spent.usage
        answer = msgspec.structs.replace(answer, request=call.request, usage=usage)
        if call.trial:
            answer = msgspec.structs.replace(answer, logs=_newest(context.said), ms=milliseconds)
        if call.request:
            await self._keyed.end(key, claim, made, answer)
        kind = answer.error.kind if answer.error else None
        spent = {"input_tokens": usage.input, "output_tokens": usage.output} if usage else {}
        context.log.info("function.called", agent_id=call.agent_id, ms=milliseconds, error=kind, **spent)
        return answer


def _needs_yes(name: str, show: dict[str, Json]) -> ToolError:
    """Whatever the code did with it: the person before the page is asked, and allows the next call."""
    what = f"{show.get('method')} to {show.get('host')}"
    message = f"the function {name} was stopped: {what} needs your yes ({show.get('rule')})"
    return ToolError(ErrorKind.APPROVAL_NEEDED, message, retryable=True, details=show)


def _given(call: FunctionCall, sequence: int) -> Sources:
    """What a page sends is the page's, what an MCP client sends the client's; what a person tries, the
    person's."""
    if call.trial:
        return ()
    given = source("page", call.name) if call.client is None else source("peer", call.client)
    return placed((given,), str(sequence), None)


def _newest(lines: Sequence[str]) -> tuple[str, ...]:
    left, kept = _LOG_CHARACTERS, 0
    for line in reversed(lines):
        left -= len(line)
        if left < 0:
            break
        kept += 1
    return tuple(storable(line) for line in lines[len(lines) - kept :])
