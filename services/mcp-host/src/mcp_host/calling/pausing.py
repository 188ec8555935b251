"""A foreign tool's call, which may pause: the server asks a person something in its middle, or works on it
for longer. It goes on with the answer, or after a while, on any host."""

import asyncio
import time
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from mcp import Client, MCPError
from mcp_types import (
    URL_ELICITATION_REQUIRED,
    CallToolResult,
    ElicitationRequiredErrorData,
    ElicitRequest,
    ElicitRequestParams,
    InputRequiredResult,
)

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Resume
from agent_contracts.sessions.rendering import MCP_TASK
from agent_domain.mcp.offering import escaped
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.context import CallContext
from agent_tools.tool import Pause
from mcp_host import limits
from mcp_host.calling import tasks
from mcp_host.calling.held import HeldCalls, HeldKey, OpenCall
from mcp_host.calling.questions import Question, answers, is_given, shown
from mcp_host.calling.tasks import CreatedTask, FoundTask, Watched
from mcp_host.connecting.connection import Connection
from mcp_host.connecting.under_way import Asked, UnderWay

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 0.25
"""Before a server is asked again that only said that it needs more time: as the SDK has it."""
_NOT_HERE = "the server asks the user for something, which only a call of the model can wait for"
_HOST_GONE = (
    "the host that kept the call open while the user was asked stopped, or its connection did; the call may "
    "or may not have taken effect, and it was not tried again: find out before you repeat it"
)


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a call stood when it paused: what was `asked`, how many times in all, and how it goes on. `held`:
    it is open still; `again`: it is sent anew; `task`: the server works on it; else it is sent with the
    answers and the server's own `state`."""

    how: Literal["held", "again", "answered", "task"]
    asked: tuple[Question, ...] = ()
    times: int = 0
    state: str | None = None
    task: Watched | None = None


class NamedTool(msgspec.Struct, frozen=True):
    """What is called: of a server, by its name there and the name that models know."""

    server: str
    name: str
    offered: str


class PausingCall:
    """One run of a call, from its request, or from where it paused, to its result or the next pause."""

    def __init__(
        self, tool: NamedTool, connection: Connection, held: HeldCalls, context: CallContext, clock: Clock
    ) -> None:
        self._tool = tool
        self._connection = connection
        self._held = held
        self._context = context
        self._clock = clock
        self._round = context.resumed.round if context.resumed is not None else 0
        self._kept = kept_by(context)

    @property
    def only_looks(self) -> bool:
        """Whether it was sent before, and is only asked for now."""
        return self._kept is not None and self._kept.task is not None

    async def run(self, args: dict[str, Json], timeout_s: float, *, acts: bool) -> CallToolResult | Pause:
        """What the server gave, or what it asks. Raises what `Connection.call` does."""
        sent, kept = _Sent(), self._kept
        if kept is not None:
            assert self._context.resumed is not None
            answer = self._context.resumed.answer
            replies = answers(kept.asked, answer)
            if kept.task is not None:
                return await self._looked(kept.task, replies, timeout_s)
            if kept.how == "held":
                return _ended(await self._outcome(self._held_call(kept, replies)))
            if kept.how == "again" and not is_given(answer):
                raise Rejected("the user did not do what the server asks for", kind=ErrorKind.REFUSED)
            if kept.how == "answered":
                sent = _Sent(replies or None, kept.state)
        wait_s = _FIRST_WAIT_S
        for _ in range(limits.ROUNDS):
            outcome = await self._outcome(self._send(args, sent, timeout_s, acts=acts))
            if not isinstance(outcome, InputRequiredResult):
                return outcome
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
            sent = _Sent(None, outcome.request_state)
        raise _too_often()

    async def _looked(
        self, task: Watched, replies: dict[str, Any], timeout_s: float
    ) -> CallToolResult | Pause:
        """Look after a task until it is done, asks something, or it is time for a pause."""
        # One whose host died looks once: the next might die as well, and deliveries are counted.
        over = time.monotonic() + (min(limits.LOOKS_S, timeout_s) if self._context.attempt == 1 else 0)
        task = msgspec.structs.replace(
            task, looks=task.looks + 1, answered=(*task.answered, *(one for one in replies))
        )
        try:
            if replies:
                await self._told(lambda client: tasks.update(client, task.id, replies))
            while True:
                now = await self._told(lambda client: tasks.found(client, task.id))
                if (ended := self._ended(now)) is not None:
                    return ended
                asked = {
                    key: one for key, one in (now.input_requests or {}).items() if key not in task.answered
                }
                if asked and now.status == "input_required":
                    return self._pause(_for_a_person(asked), "task", None, task)
                if time.monotonic() + tasks.interval_s(now) >= over:
                    return self._later(task, now)
                await asyncio.sleep(tasks.interval_s(now))
        except Transient:
            return self._later(task, None)  # the server is away, or slow: its work may go on

    async def _told(self, work: Any) -> Any:
        return await self._connection.call(work, limits.LOOK_ANSWER_S, acts=False)

    def _ended(self, now: FoundTask) -> CallToolResult | None:
        """What the task gave; None while it goes on."""
        match now.status:
            case "completed":
                return CallToolResult.model_validate(now.result or {}, by_name=False)
            case "failed":
                said = str((now.error or {}).get("message", "")) or now.status_message or "it said no more"
                raise Rejected(f"the server's task failed: {self._clean(said)}", kind=ErrorKind.UPSTREAM)
            case "cancelled":
                raise Rejected("the server cancelled its task", kind=ErrorKind.UPSTREAM)
            case _:
                return None

    def _begun(self, created: CreatedTask) -> Pause:
        """The handle of a task gets into the log before anything else."""
        if not self._context.may_pause:
            message = "the server works on it for longer, which only a call of the model can wait for"
            raise Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
        until = self._clock.now() + timedelta(seconds=tasks.life_s(created))
        return self._later(Watched(tasks.required_id(created), rfc3339(until)), created)

    def _later(self, task: Watched, now: CreatedTask | FoundTask | None) -> Pause:
        said = self._clean((now.status_message if now is not None else None) or "")
        return later(self._tool, self._round, task, self._clock, self._times, now, said)

    @property
    def _times(self) -> int:
        return self._kept.times if self._kept is not None else 0

    def _clean(self, text: str) -> str:
        return escaped(self._connection.redaction.text(text)[:500])

    def _held_call(self, kept: Kept, replies: dict[str, Any]) -> OpenCall:
        call = self._held.take(self._key())
        if call is None:
            raise Permanent(_HOST_GONE, kind=ErrorKind.OUTCOME_UNKNOWN)
        call.answer(replies[kept.asked[0].key])
        return call

    def _send(self, args: dict[str, Json], sent: "_Sent", timeout_s: float, *, acts: bool) -> OpenCall:
        async def called(client: Client) -> Any:
            try:
                return await client.session.call_tool(
                    self._tool.name,
                    args,
                    input_responses=sent.responses,
                    request_state=sent.state,
                    allow_input_required=True,
                    allow_claimed=True,
                )
            except MCPError as error:
                if error.code != URL_ELICITATION_REQUIRED:
                    raise
                wanted = ElicitationRequiredErrorData.model_validate(error.data)
                return _AddressWanted({str(n): one for n, one in enumerate(wanted.elicitations)})

        under_way = UnderWay()
        work = self._connection.call(called, timeout_s, acts=acts, under_way=under_way)
        return OpenCall(asyncio.create_task(work), under_way)

    async def _outcome(self, call: OpenCall) -> CallToolResult | Pause | InputRequiredResult:
        """A result, a pause, or an `InputRequiredResult` that asks nobody."""
        match await call.next():
            case Asked() as asked:
                return self._hold(call, asked)
            case InputRequiredResult(input_requests=requests, request_state=state) as more:
                if not requests:
                    return more
                return self._pause(_for_a_person(requests), "answered", self._storable(state))
            case _AddressWanted(asked=wanted):
                return self._pause(wanted, "again", None)
            case CreatedTask() as created:
                return self._begun(created)
            case CallToolResult() as result:
                return result
            case other:
                raise _unusable(f"it sent a {type(other).__name__}")

    def _hold(self, call: OpenCall, asked: Asked) -> Pause:
        """The call stays open. What can't be asked ends it."""
        try:
            pause = self._pause({"": asked.params}, "held", None)
            if not self._held.hold(self._key(), call):
                message = "too many calls wait for people on this host: the call was given up"
                raise Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
        except BaseException:
            call.give_up()
            raise
        return pause

    def _pause(
        self,
        wanted: dict[str, ElicitRequestParams],
        how: Literal["held", "again", "answered", "task"],
        state: str | None,
        task: Watched | None = None,
    ) -> Pause:
        if not self._context.may_pause:
            raise Rejected(_NOT_HERE, kind=ErrorKind.NOT_AVAILABLE)
        if self._times >= limits.ROUNDS:
            raise _too_often()
        clean = {key: self._without_secrets(params) for key, params in wanted.items()}
        show, questions = shown(self._tool.server, self._tool.offered, clean, self._round + 1)
        expires_at = self._clock.now() + timedelta(seconds=limits.HELD_S) if how == "held" else None
        kept: Json = msgspec.to_builtins(Kept(how, questions, self._times + 1, state, task))
        return Pause(show, expires_at, Resume(self._round + 1, kept, looks=task is not None))

    def _without_secrets(self, params: ElicitRequestParams) -> ElicitRequestParams:
        said = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        return type(params).model_validate(self._connection.redaction.json(said))

    def _storable(self, state: str | None) -> str | None:
        """The server's state, as it is sent back: unchanged, or not at all."""
        if state is not None and len(state.encode()) > limits.STATE_BYTES:
            raise _unusable(f"it wants {limits.STATE_BYTES // 1024} KiB and more kept for it")
        if state is not None and self._connection.redaction.finds(state):
            raise _unusable("what it wants kept for it has a secret in it")
        return state

    def _key(self) -> HeldKey:
        return HeldKey(self._context.session_id, self._context.call_id)


class _Sent(msgspec.Struct, frozen=True):
    responses: Any = None
    state: str | None = None


class _AddressWanted(msgspec.Struct, frozen=True):
    """A server up to 2025-11-25 does nothing before a person was at an address."""

    asked: dict[str, ElicitRequestParams]


def _ended(outcome: CallToolResult | Pause | InputRequiredResult) -> CallToolResult | Pause:
    if isinstance(outcome, InputRequiredResult):
        raise _unusable("it wants to be asked again, which it may not by its protocol")
    return outcome


def _for_a_person(requests: dict[str, Any]) -> dict[str, ElicitRequestParams]:
    for one in requests.values():
        if not isinstance(one, ElicitRequest):
            raise _unusable(f"it asks for something that it was not offered ({one.method})")
    return {key: one.params for key, one in requests.items()}


def _too_often() -> Permanent:
    message = f"the server asked {limits.ROUNDS} times and asks again: the call was given up"
    return Permanent(message, kind=ErrorKind.UPSTREAM)


def _unusable(why: str) -> Permanent:
    return Permanent(f"the server can't be answered: {why}", kind=ErrorKind.UPSTREAM)


def kept_by(context: CallContext) -> Kept | None:
    """How the call stood when it paused, if it had."""
    resumed = context.resumed
    return None if resumed is None else msgspec.convert(resumed.state, Kept)


def later(  # noqa: PLR0913 — all that is shown, and kept
    tool: NamedTool,
    round_: int,
    task: Watched,
    clock: Clock,
    times: int,
    now: CreatedTask | FoundTask | None,
    said: str = "",
) -> Pause:
    """The task is looked after again after a while. `Permanent` once that has been done for long enough."""
    if clock.now() >= datetime.fromisoformat(task.until):
        message = "the server's task was not done in its time; what became of it isn't known"
        raise Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
    at = clock.now() + timedelta(seconds=tasks.pause_s(now, task.looks))
    show: dict[str, Json] = {
        "kind": MCP_TASK,
        "title": f"The MCP server {tool.server} works on it{f': {said}' if said else ''}",
        "server": tool.server,
        "tool": tool.offered,
        "round": round_ + 1,
    }
    kept: Json = msgspec.to_builtins(Kept("task", (), times, None, task))
    return Pause(show, None, Resume(round_ + 1, kept, rfc3339(at), looks=True))
