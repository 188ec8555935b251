"""One call from its request to the event that ends it."""

import asyncio
import functools
from typing import Protocol

import structlog
from msgspec.structs import asdict

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ErrorKind, Rejected, ToolError, Transient
from agent_contracts.policies import approved_hash
from agent_contracts.session_events.results import Accounting, ToolCallPending
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileContent
from agent_platform.log.blobs.port import Blobs
from agent_platform.process.stop_points import stop_point
from agent_tools.ports.files import AgentFiles
from agent_tools.running.call import RequestedCall
from agent_tools.running.call_log import CallLog
from agent_tools.running.contexts import context_of
from agent_tools.running.failures import error_from, is_bug, outcome_unknown, timed_out, to_be_run_again
from agent_tools.running.results import CallReport, Keep, ResultEvent, failed, succeeded
from agent_tools.running.running import Outcome, TimedOut, ToolCancelled, ToolRaised, ToolReturned, run_tool
from agent_tools.tool import Tool
from agent_tools.toolbox import OpenToolbox, Toolbox
from agent_tools.validation import InvalidArguments, parse_arguments

log = structlog.get_logger()

_JSON = "application/json"


class OwnTools(Protocol):
    """Who knows the tools that an agent has besides those of the runner."""

    async def find(self, call: RequestedCall) -> Tool | None:
        """The tool that a call names, as of its request; None if there is none. `Rejected` for one that is
        disabled."""
        ...


class ToolRunner:
    """Runs calls with the tools of a toolbox, or those of their agent, in the name of one process."""

    def __init__(self, toolbox: Toolbox, own: OwnTools, calls: CallLog, blobs: Blobs) -> None:
        self._toolbox = toolbox
        self._own = own
        self._calls = calls
        self._blobs = blobs

    async def run(self, call: RequestedCall, attempt: int, cancelled: asyncio.Event) -> ResultEvent | None:
        """The event that ends this call, not yet recorded; None if it was cancelled while it ran.

        Raises `Transient` where the attempt failed through no fault of the tool and may be repeated.
        """
        unstarted = CallReport(call.key.call_id, self._calls.runner, Accounting(attempt=attempt))
        if call.approved is not None and call.approved != approved_hash(
            call.tool, call.arguments, call.code_at
        ):
            message = "what a person approved is not what was to run, so it did not run"
            return failed(ToolError(ErrorKind.REFUSED, message), unstarted)
        tool = self._toolbox.find(call.tool)
        if tool is None:
            try:
                tool = await self._own.find(call)
            except Rejected as refused:
                return failed(error_from(refused, call.effect), unstarted)
        if tool is None:
            message = f"there is no tool named {call.tool!r}"
            return failed(ToolError(ErrorKind.UNKNOWN_TOOL, message), unstarted)
        try:
            args = parse_arguments(tool, call.arguments)
        except InvalidArguments as invalid:
            return failed(invalid.error, unstarted)
        looks = call.resumed is not None and call.resumed.looks
        effect = Effect.PURE if looks else stricter(call.effect, tool.spec.effect)
        if effect is Effect.EXTERNAL:
            if not await self._calls.claim(call):
                stopped = outcome_unknown("the runner that had started it stopped before it was done")
                return failed(stopped, unstarted)
            await stop_point("runner.claimed")
        context = context_of(call, attempt, cancelled, tool.spec)
        opened = self._toolbox.opened(context)
        outcome, milliseconds = await run_tool(tool, args, opened)
        accounting = context.accounting(milliseconds)
        ran = CallReport(call.key.call_id, self._calls.runner, accounting, context.outside.brought)
        keep = functools.partial(self._keep, opened, f"results/{call.tool}-{call.sequence}.json")
        if context.wanted.show is not None and not isinstance(outcome, ToolCancelled):
            return ToolCallPending(ran.call_id, context.wanted.show, ran.runner, **asdict(accounting))
        return await self._event_for(outcome, ran, tool, effect, keep)

    async def _keep(self, opened: OpenToolbox, path: str, whole: bytes) -> tuple[BlobRef, str | None]:
        """The result as a file of the session, where it can have one more, else a blob that no tool reads."""
        files: AgentFiles | None = opened.port(AgentFiles)
        if files is not None:
            try:
                file = await files.create(path, FileContent(whole, media_type=_JSON))
            except Rejected as refused:
                log.warning("tool.result_without_file", path=path, why=refused.message)
            else:
                return BlobRef(file.blob, file.size, file.media_type), file.file_id
        return await self._blobs.put(whole, owner=opened.context.agent_id), None

    async def _event_for(
        self, outcome: Outcome, ran: CallReport, tool: Tool, effect: Effect, keep: Keep
    ) -> ResultEvent | None:
        match outcome:
            case ToolCancelled():
                return None
            case TimedOut():
                return failed(timed_out(tool.spec.timeout_s, effect), ran)
            case ToolReturned(value):
                try:
                    return await succeeded(value, ran, keep)
                except Exception as error:
                    return self._failure(error, ran, tool, effect)
            case ToolRaised(error):
                return self._failure(error, ran, tool, effect)

    def _failure(self, error: Exception, ran: CallReport, tool: Tool, effect: Effect) -> ResultEvent:
        if isinstance(error, Transient) and to_be_run_again(error, effect):
            raise error
        if is_bug(error):
            log.error("tool.bug", tool=tool.spec.name, call_id=ran.call_id, exc_info=error)
        return failed(error_from(error, effect), ran)


def stricter(recorded: Effect, declared: Effect) -> Effect:
    """The effect class to go by where a tool's changed between the request and now: external if either is."""
    return Effect.EXTERNAL if Effect.EXTERNAL in (recorded, declared) else declared
