"""Calls of this runner's tools by agents' code, which asks tool runners for them: each runs as the call would
in whose code it stands, but its result goes to the code."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import structlog
from cachetools import FIFOCache
from nats.aio.msg import Msg

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected, ToolError, Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.code_calls import CodeCall, StopCodeCall
from agent_contracts.tool_spec import Effect
from agent_platform.log.storable_text import storable
from agent_tools.context import CallContext
from agent_tools.running.answers import refused, unsuccessful
from agent_tools.running.contexts import context_of_code
from agent_tools.running.failures import error_from, to_be_run_again
from agent_tools.running.running import Outcome, ToolRaised, ToolReturned, run_tool
from agent_tools.tool import Result, Tool
from agent_tools.toolbox import Toolbox
from agent_tools.validation import InvalidArguments, parse_arguments

_MIB = 1024 * 1024
ANSWER_BYTES = 4 * _MIB
"""Bytes of JSON that code is answered."""
_REMEMBERED = 10_000
_TRIES = 2
_CANCELLED = ToolError(ErrorKind.CANCELLED, "the code that asked has ended")

log = structlog.get_logger()

Find = Callable[[CodeCall], Awaitable[Tool | None]]
"""The tool that is asked for, all of those that an app may; `Rejected` for one that is switched off."""
_Key = tuple[SessionId | None, CallId, int | None]


class CodeCalls:
    """Runs what code asks for with the tools of a toolbox, or those that `find` finds besides."""

    def __init__(self, toolbox: Toolbox, find: Find | None = None) -> None:
        self._toolbox = toolbox
        self._find = find
        self._in_hand: set[tuple[_Key, asyncio.Event]] = set()  # one may be asked for again while it runs
        self._stopped: FIFOCache[_Key, None] = FIFOCache(_REMEMBERED)

    async def run(self, asked: CodeCall) -> bytes:
        """A `ToolAnswer`, as JSON. Never raises for what a tool does."""
        answer = msgspec.json.encode(await self._answer(asked))
        if len(answer) <= ANSWER_BYTES:
            return answer
        most = f"the result is {len(answer)} bytes: {ANSWER_BYTES // _MIB} MiB is the most"
        return msgspec.json.encode(refused(ToolError(ErrorKind.TOO_LARGE, most)))

    def stop(self, session: SessionId | None, call: CallId | None, number: int | None = None) -> None:
        """Nobody waits any more: for what a call's code asked as its `number`-th, without that for all of it,
        without a `call` for anything of the session."""
        if call is not None:
            self._stopped[session, call, number] = None
        for (of, by, nth), cancelled in self._in_hand:
            if of == session and call in (None, by) and number in (None, nth):
                cancelled.set()

    async def told_to_stop(self, message: Msg) -> None:
        """The same, as a `StopCodeCall` in JSON."""
        try:
            told = msgspec.json.decode(message.data, type=StopCodeCall)
        except msgspec.DecodeError as error:
            log.warning("stop.unreadable", error=str(error))
            return
        self.stop(told.session_id, told.call_id, told.number)

    async def _answer(self, asked: CodeCall) -> ToolAnswer:
        tool = self._toolbox.find(asked.tool) if asked.of_app is None else None
        if tool is None and self._find is not None:
            try:
                tool = await self._find(asked)
            except Rejected as error:
                return refused(error_from(error, Effect.EXTERNAL))
        if tool is None or tool.spec.pauses:
            why = f"there is no tool {asked.tool[:100]!r}"
            if tool is not None:
                why = f"{asked.tool} waits for the user, which code can't"
            return refused(ToolError(ErrorKind.NOT_AVAILABLE, why))
        try:
            args = parse_arguments(tool, asked.arguments)
        except InvalidArguments as invalid:
            return refused(invalid.error)
        key = (asked.session_id, asked.call_id, asked.number)
        if key in self._stopped or (*key[:2], None) in self._stopped:
            return refused(_CANCELLED)
        cancelled = asyncio.Event()
        self._in_hand.add((key, cancelled))
        try:
            context = context_of_code(asked, cancelled)
            outcome = await self._run(tool, args, context)
            for _ in range(_TRIES - 1):
                if not isinstance(outcome, ToolRaised) or not to_be_run_again(
                    outcome.error, tool.spec.effect
                ):
                    break
                await asyncio.sleep((isinstance(outcome.error, Transient) and outcome.error.retry_after) or 0)
                context = context_of_code(asked, cancelled)
                outcome = await self._run(tool, args, context)
        finally:
            self._in_hand.remove((key, cancelled))
        wanted = context.wanted.show
        return msgspec.structs.replace(
            _told(tool, outcome) if wanted is None else refused(_needs_a_yes(wanted)),
            outside=context.outside.brought,
            sent=context.outgoing.sent,
            wanted=wanted,
        )

    async def _run(self, tool: Tool, args: object, context: CallContext) -> Outcome:
        outcome, milliseconds = await run_tool(tool, args, self._toolbox.opened(context))
        context.log.info("call_of_code.ended", outcome=type(outcome).__name__, ms=milliseconds)
        return outcome


def _needs_a_yes(wanted: dict[str, Json]) -> ToolError:
    where = {name: wanted[name] for name in ("host", "method")}
    message = f"{where['method']} to {where['host']} needs a person's yes ({wanted['rule']})"
    return ToolError(ErrorKind.APPROVAL_NEEDED, message, details=where)


def _told(tool: Tool, outcome: Outcome) -> ToolAnswer:
    match outcome:
        case ToolReturned(Result() as value):
            return ToolAnswer(storable(value.model_dump(mode="json", by_alias=True)))
        case _:
            return unsuccessful(outcome, tool)
