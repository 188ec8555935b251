"""A foreign tool's call, which may pause: the server asks a person something in its middle, or works on it
for longer. It goes on with the answer, or after a while, on any host."""

import asyncio
import functools
import time
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from mcp_types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ErrorData,
    InputRequiredResult,
)
from mcp_types.version import LATEST_MODERN_VERSION
from pydantic import BaseModel

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Resume
from agent_domain.mcp.offered_tools import escaped
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.context import CallContext
from agent_tools.tool import Pause
from mcp_host import limits
from mcp_host.calling import tasks
from mcp_host.calling.call_extras import AddressNeeded, CallExtras, apart, called, unusable
from mcp_host.calling.held_calls import HeldCalls, HeldKey, SentCall
from mcp_host.calling.paused_call import NamedTool, PausedCall, kept_by, later
from mcp_host.calling.questions import answers, is_given, shown
from mcp_host.calling.sampling import ModelSampling
from mcp_host.calling.tasks import CreatedTask, FoundTask, WatchedTask
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.under_way import PendingQuestion, Sample, UnderWay
from mcp_host.definitions.sifting import CALL, sifted

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 0.25
"""Before a server is asked again that only said that it needs more time: as the SDK has it."""
_NOT_HERE = "the server asks the user for something, which only a call of the model can wait for"
_NO_ANSWERS: Mapping[str, CreateMessageResult] = MappingProxyType({})
NOBODY_ANSWERED = "nobody answered in time what the server asked the user"
_HOST_GONE = (
    "the host that kept the call open while the user was asked stopped, or its connection did; the call may "
    "or may not have taken effect, and it was not tried again: find out before you repeat it"
)


class PausingCall:
    """One run of a call, from its request, or from where it paused, to its result or the next pause."""

    def __init__(  # noqa: PLR0913 — of what, where, in whose name, and by what it goes on
        self,
        tool: NamedTool,
        connection: McpConnection,
        held: HeldCalls,
        context: CallContext,
        clock: Clock,
        sampling: ModelSampling | None,
    ) -> None:
        """Without `sampling` the server may have no model asked."""
        self._sampling = sampling
        self._tool = tool
        self._connection = connection
        self._held = held
        self._context = context
        self._clock = clock
        self._round = context.resumed.round if context.resumed is not None else 0
        self._kept = kept_by(context)

    @property
    def was_unanswered(self) -> bool:
        """Whether it goes on since nobody answered in time what the server asked."""
        resumed = self._context.resumed
        return resumed is not None and resumed.answer is None and bool(self._kept and self._kept.asked)

    @property
    def only_looks(self) -> bool:
        """Whether it was sent before, and is only asked for now."""
        return self._kept is not None and self._kept.task is not None

    async def run(self, args: dict[str, Json], timeout_s: float, *, acts: bool) -> CallToolResult | Pause:
        """What the server gave, or what it asks. Raises what `McpConnection.call` does."""
        send, kept = CallExtras(), self._kept
        if kept is not None:
            assert self._context.resumed is not None
            answer = self._context.resumed.answer
            replies = answers(kept.asked, answer)
            if kept.task is not None:
                return await self._looked(kept.task, replies, timeout_s)
            if kept.how == "held":
                return _ended(await self._outcome(self._held_call(kept, replies)))
            if kept.how == "again" and self.was_unanswered:
                raise Rejected(NOBODY_ANSWERED, kind=ErrorKind.EXPIRED)
            if kept.how == "again" and not is_given(answer):
                raise Rejected("the user did not do what the server asks for", kind=ErrorKind.REFUSED)
            if kept.how == "answered":
                gave = {key: CreateMessageResult.model_validate(one) for key, one in kept.gave.items()}
                send = CallExtras({**replies, **gave} or None, kept.state)
        wait_s = _FIRST_WAIT_S
        for _ in range(limits.ROUNDS):
            outcome = await self._outcome(self._sent(args, send, timeout_s, acts=acts))
            if not isinstance(outcome, CallExtras):
                return outcome
            send = outcome
            if send.responses is None:
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        raise _too_often()

    async def _looked(
        self, task: WatchedTask, replies: dict[str, Any], timeout_s: float
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
                    return self._pause(apart(asked, samples=False)[1], "task", task=task)
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
                whole = sifted(CALL, LATEST_MODERN_VERSION, now.result or {})
                return CallToolResult.model_validate(whole, by_name=False)
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
        return self._later(WatchedTask(tasks.required_id(created), rfc3339(until)), created)

    def _later(self, task: WatchedTask, now: CreatedTask | FoundTask | None) -> Pause:
        said = self._clean((now.status_message if now is not None else None) or "")
        return later(self._tool, self._round, task, self._clock, self._times, now, said)

    @property
    def _times(self) -> int:
        return self._kept.times if self._kept is not None else 0

    def _clean(self, text: str) -> str:
        return escaped(self._connection.redaction.text(text)[:500])

    def _held_call(self, kept: PausedCall, replies: dict[str, Any]) -> SentCall:
        call = self._held.take(self._key())
        if call is None:
            raise Permanent(_HOST_GONE, kind=ErrorKind.OUTCOME_UNKNOWN)
        call.under_way.sample = self._sample
        call.answer(replies[kept.asked[0].key])
        return call

    def _sent(self, args: dict[str, Json], send: CallExtras, timeout_s: float, *, acts: bool) -> SentCall:
        under_way = UnderWay(self._sample)
        calling = functools.partial(called, tool=self._tool.name, args=args, send=send)
        work = self._connection.call(calling, timeout_s, acts=acts, under_way=under_way)
        return SentCall(asyncio.create_task(work), under_way)

    @property
    def _sample(self) -> Sample | None:
        return None if self._sampling is None else self._sampling.sample

    async def _outcome(self, call: SentCall) -> CallToolResult | Pause | CallExtras:
        """A result, a pause, or what is sent again at once, since it asks no person."""
        match await call.next():
            case PendingQuestion() as asked:
                return self._hold(call, asked)
            case InputRequiredResult(input_requests=requests, request_state=state):
                to_models, to_person = apart(requests or {}, samples=self._sampling is not None)
                gave = await self._sampled(to_models)
                if not to_person:
                    return CallExtras(gave or None, state)
                return self._pause(to_person, "answered", self._storable(state), gave=gave)
            case AddressNeeded(asked=wanted):
                return self._pause(wanted, "again")
            case CreatedTask() as created:
                return self._begun(created)
            case CallToolResult() as result:
                return result
            case other:
                raise unusable(f"it sent a {type(other).__name__}")

    async def _sampled(
        self, wanted: Mapping[str, CreateMessageRequestParams]
    ) -> dict[str, CreateMessageResult]:
        """What models answered. One that gives no answer ends the call, as the protocol has it."""
        gave: dict[str, CreateMessageResult] = {}
        for key, params in wanted.items():
            assert self._sampling is not None
            answer = await self._sampling.sample(params)
            if isinstance(answer, ErrorData):
                raise unusable(f"it wants a model asked. {answer.message}")
            gave[key] = answer
        return gave

    def _hold(self, call: SentCall, asked: PendingQuestion) -> Pause:
        """The call stays open. What can't be asked ends it."""
        try:
            pause = self._pause({"": asked.params}, "held")
            call.under_way.sample = None  # nobody counts meanwhile what it takes
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
        state: str | None = None,
        task: WatchedTask | None = None,
        gave: Mapping[str, CreateMessageResult] = _NO_ANSWERS,
    ) -> Pause:
        if not self._context.may_pause:
            raise Rejected(_NOT_HERE, kind=ErrorKind.NOT_AVAILABLE)
        if self._times >= limits.ROUNDS:
            raise _too_often()
        if self.was_unanswered:
            raise Rejected(f"{NOBODY_ANSWERED}, and it asks again", kind=ErrorKind.EXPIRED)
        clean = {key: self._without_secrets(params) for key, params in wanted.items()}
        show, questions = shown(self._tool.server, self._tool.offered, clean, self._round + 1)
        expires_at = self._clock.now() + timedelta(seconds=self._held.held_s) if how == "held" else None
        said = {key: _as_json(one) for key, one in gave.items()}
        sampled = self._sampling.asked if self._sampling is not None else 0
        kept: Json = msgspec.to_builtins(
            PausedCall(how, questions, self._times + 1, state, task, said, sampled=sampled)
        )
        return Pause(show, expires_at, Resume(self._round + 1, kept, looks=task is not None))

    def _without_secrets(self, params: ElicitRequestParams) -> ElicitRequestParams:
        return type(params).model_validate(self._connection.redaction.json(_as_json(params)))

    def _storable(self, state: str | None) -> str | None:
        """The server's state, as it is sent back: unchanged, or not at all."""
        if state is not None and len(state.encode()) > limits.STATE_BYTES:
            raise unusable(f"it wants {limits.STATE_BYTES // 1024} KiB and more kept for it")
        if state is not None and self._connection.redaction.finds(state):
            raise unusable("what it wants kept for it has a secret in it")
        return state

    def _key(self) -> HeldKey:
        return HeldKey(self._context.session_id, self._context.call_id)


def _ended(outcome: CallToolResult | Pause | CallExtras) -> CallToolResult | Pause:
    if isinstance(outcome, CallExtras):
        raise unusable("it wants to be asked again, which it may not by its protocol")
    return outcome


def _too_often() -> Permanent:
    message = f"the server asked {limits.ROUNDS} times and asks again: the call was given up"
    return Permanent(message, kind=ErrorKind.UPSTREAM)


def _as_json(said: BaseModel) -> dict[str, Any]:
    return said.model_dump(mode="json", by_alias=True, exclude_none=True)
