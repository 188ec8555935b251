"""Calls of a server's tools by its own apps: judged, claimed and recorded here, since no turn does."""

import asyncio
import contextlib
import time
from collections import deque
from datetime import timedelta

import msgspec
from cachetools import LRUCache
from nats.aio.msg import Msg

from agent_contracts.entities.tool_answers import AppsCall, KeyedCall, ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, Rejected, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.policies import PolicyJudgement, Verdict, shown_of
from agent_contracts.questions.code_calls import CodeCall, OfApp, StopCodeCall
from agent_contracts.tool_spec import Effect
from agent_domain.mcp.offered_tools import server_in
from agent_domain.policies.judgement import CompiledPolicies
from agent_domain.policies.policy_request import call_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.running.answers import refused
from agent_tools.running.code_calls import CodeCalls, Find
from agent_tools.running.contexts import context_of_code
from agent_tools.running.failures import error_from, outcome_unknown
from agent_tools.running.gate import RequestGate
from agent_tools.running.keyed_calls import KeyedCalls, call_key
from agent_tools.tool import Tool
from agent_tools.validation import InvalidArguments, parse_arguments
from mcp_host import limits

_MINUTE_S = 60.0
_APPS = 1_000
_KIB = 1024
_DIED = timedelta(0)
"""How long a call is waited for that is open, and not in hand here: its host is gone, for this one is
connected with the server."""


class AppCalls:
    """Runs what apps ask for, each once; what code asks for goes on to `of_code`."""

    def __init__(self, find: Find, entities: Entities, of_code: CodeCalls, keyed: KeyedCalls) -> None:
        self._find = find
        self._entities = entities
        self._of_code = of_code
        self._keyed = keyed
        self._policies = CompiledPolicies()
        self._in_hand: dict[EntityKey, _InHand] = {}
        self._paces: LRUCache[tuple[SessionId | None, CallId], _Pace] = LRUCache(_APPS)

    async def run(self, asked: CodeCall) -> bytes:
        """A `ToolAnswer`, as JSON."""
        if asked.of_app is None:
            return await self._of_code.run(asked)
        try:
            return msgspec.json.encode(await self._once(asked, asked.of_app))
        except InvalidArguments as invalid:
            return msgspec.json.encode(refused(invalid.error))
        except Failure as failure:
            return msgspec.json.encode(refused(error_from(failure, Effect.PURE)))

    async def told_to_stop(self, message: Msg) -> None:
        """Nobody waits any more for what code asked, or for all that the app of a session's call has in hand:
        a `StopCodeCall`, in JSON."""
        await self._of_code.told_to_stop(message)
        with contextlib.suppress(msgspec.DecodeError):  # which has been told
            told = msgspec.json.decode(message.data, type=StopCodeCall)
            self.stop(told.session_id, told.call_id)

    def stop(self, session: SessionId | None, app: CallId) -> None:
        """Nobody waits any more for what the app of the session's call `app` has in hand."""
        for key, one in list(self._in_hand.items()):
            if (one.session, one.app) == (session, app):
                self._of_code.stop(session, CallId(key.name))

    async def _once(self, asked: CodeCall, app: OfApp) -> ToolAnswer:
        """Raises InvalidArguments and failures only before anything ran."""
        key = call_key(asked.agent_id, asked.call_id)
        while True:
            while (before := self._in_hand.get(key)) is not None:
                await before.over.wait()
            if (earlier := await self._keyed.answer(key, app.request, _DIED)) is not None:
                return earlier
            if (answer := await self._first(key, asked, app)) is not None:
                return answer

    async def _first(self, key: EntityKey, asked: CodeCall, app: OfApp) -> ToolAnswer | None:
        """None where another call under the same key came first."""
        if key in self._in_hand:
            return None
        pace = self._paces.setdefault((asked.session_id, app.call_id), _Pace())
        pace.take()
        in_hand = self._in_hand[key] = _InHand(asked.session_id, app.call_id)
        try:
            tool = await self._tool(asked)
            judged = await self._judged(asked, tool)
            by_app = AppsCall(
                asked.session_id, app.call_id, asked.arguments, judged.verdict, judged.rule, app.approved
            )
            made = KeyedCall(asked.tool, app.request, by_app=by_app)
            if (error := _stopped(asked, judged, app)) is not None:
                answer = msgspec.structs.replace(refused(error), request=app.request)
                made = msgspec.structs.replace(made, answer=answer)
                return None if await self._keyed.begin(key, made) is None else answer
            claim = await self._keyed.begin(key, made)
            return None if claim is None else await self._ran(key, claim, made, asked)
        finally:
            del self._in_hand[key]
            in_hand.over.set()
            pace.at_once -= 1

    async def _tool(self, asked: CodeCall) -> Tool:
        """As its server's apps are offered it. Raises where they aren't, or for arguments that don't fit."""
        tool = await self._find(asked)
        if tool is None:
            server = server_in(asked.tool)
            raise Rejected(
                f"the MCP server {server} offers its apps no such tool: it has none, says it isn't for apps, "
                "or the user has not accepted it as it is now",
                kind=ErrorKind.NOT_FOUND,
            )
        parse_arguments(tool, asked.arguments)
        return tool

    async def _judged(self, asked: CodeCall, tool: Tool) -> PolicyJudgement:
        context = context_of_code(asked, asyncio.Event())
        gate = RequestGate(self._entities, context, self._policies)
        return await gate.judged(call_of(tool.spec, asked.arguments))

    async def _ran(self, key: EntityKey, claim: int, made: KeyedCall, asked: CodeCall) -> ToolAnswer:
        try:
            encoded = await self._of_code.run(asked)
        except asyncio.CancelledError:
            unknown = refused(outcome_unknown("the MCP host was stopped meanwhile"))
            unknown = msgspec.structs.replace(unknown, request=made.request)
            await self._keyed.end(key, claim, made, unknown)
            raise
        answer = msgspec.json.decode(encoded, type=ToolAnswer)
        if len(encoded) > limits.APP_RESULT:
            most = f"{limits.APP_RESULT // _KIB} KiB is the most that an app gets"
            answer = refused(
                ToolError(ErrorKind.TOO_LARGE, f"the tool ran, but its result is too large: {most}")
            )
        answer = msgspec.structs.replace(answer, request=made.request)
        await self._keyed.end(key, claim, made, answer)
        return answer


class _InHand:
    """A call of the app that the session's call `app` brought."""

    def __init__(self, session: SessionId | None, app: CallId) -> None:
        self.session = session
        self.app = app
        self.over = asyncio.Event()


class _Pace:
    """Of one app: how many calls are in hand, and when it made those of the last minute."""

    def __init__(self) -> None:
        self.at_once = 0
        self._made: deque[float] = deque()

    def take(self) -> None:
        """Count one more. `Rejected(kind="too_often")` where that is too much."""
        now = time.monotonic()
        while self._made and now - self._made[0] > _MINUTE_S:
            self._made.popleft()
        if self.at_once >= limits.APP_AT_ONCE:
            message = f"{limits.APP_AT_ONCE} calls of this app are in hand: wait until one is over"
            raise Rejected(message, kind=ErrorKind.TOO_OFTEN)
        if len(self._made) >= limits.APP_A_MINUTE:
            message = f"this app has called tools {limits.APP_A_MINUTE} times in a minute: wait"
            raise Rejected(message, kind=ErrorKind.TOO_OFTEN)
        self._made.append(now)
        self.at_once += 1


def _stopped(asked: CodeCall, judged: PolicyJudgement, app: OfApp) -> ToolError | None:
    """Why it doesn't run. A yes is for exactly this call; nothing is allowed by it that the policy denies."""
    match judged.verdict:
        case Verdict.DENY:
            return ToolError(ErrorKind.REFUSED, f"the policy doesn't allow {asked.tool} ({judged.rule})")
        case Verdict.ASK if not app.approved:
            show: dict[str, Json] = {**shown_of(asked.tool, judged), "arguments": asked.arguments}
            message = f"{asked.tool} needs a person's yes ({judged.rule})"
            return ToolError(ErrorKind.APPROVAL_NEEDED, message, retryable=True, details=show)
        case _:
            return None
