"""All hand-overs of a pool: begun by calls, ended by people, by Stop, or by time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any

import msgspec
import structlog

from agent_contracts.errors import Failure
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.subjects import hand_over_subject
from agent_contracts.questions.takeover import Answer, TakeoverLost, TakeoverQuestion, TakeoverRefusal
from agent_domain.site_logins.site_logins import SiteLogins
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.process.clock import Clock
from browser_pool.contexts.session_context import SessionContext
from browser_pool.takeover.bounds import AFTERWARDS_S
from browser_pool.takeover.takeover import Takeover

_LOOKS_AFTER_S = 2.0
_STOPPED = msgspec.msgpack.encode(TakeoverLost("the browser pool was stopped"))
_FAILED = msgspec.msgpack.encode(TakeoverRefusal("internal", "the browser pool failed: its log says why"))

log = structlog.get_logger()

Serve = Callable[[SessionId, Callable[[bytes], Awaitable[bytes]]], Coroutine[Any, Any, None]]
"""Answer the questions about a session's hand-over until cancelled."""


def over_nats(connection: NatsConnection) -> Serve:
    """On a subject of the session's."""

    async def serve(session: SessionId, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
        subject = hand_over_subject(session)
        await QuestionServer(connection, subject, "", answer, failed=_FAILED, stopped=_STOPPED).run()

    return serve


class Takeovers:
    """At most one a session."""

    def __init__(self, serve: Serve, logins: SiteLogins, clock: Clock, within_s: float) -> None:
        """`within_s`: seconds that a person has."""
        self._serve = serve
        self._logins = logins
        self._clock = clock
        self._within_s = within_s
        self._open: dict[SessionId, tuple[Takeover, asyncio.Task[None]]] = {}
        self._ending: set[asyncio.Task[Any]] = set()

    def of(self, session: SessionId, call: CallId | None = None) -> Takeover | None:
        """The session's, if it is of this call."""
        found, _ = self._open.get(session, (None, None))
        return found if found is not None and call in (None, found.call_id) else None

    def expires_at(self) -> datetime:
        """When one that begins now does."""
        return self._clock.now() + timedelta(seconds=self._within_s)

    async def begin(
        self, agent: AgentId, session: SessionId, call: CallId, context: SessionContext
    ) -> Takeover:
        """The person has the context from now on."""
        await self.end(session)
        made = Takeover(agent, session, call, context, self.expires_at(), self._logins, time.monotonic)
        self._open[session] = (made, asyncio.create_task(self._live(made), name=f"hand-over {session}"))
        log.info("hand_over.begun", session_id=session, call_id=call)
        return made

    async def end(self, session: SessionId, call: CallId | None = None) -> None:
        """The session's call, or whichever it is, is over."""
        found = self.of(session, call)
        if found is None:
            return
        _, task = self._open.pop(session)
        await found.end()
        task.cancel()
        log.info("hand_over.ended", session_id=session, call_id=found.call_id)

    async def stop(self) -> None:
        """End all: the pool stops."""
        tasks = [task for _, task in self._open.values()]
        self._open.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=3)

    async def _live(self, one: Takeover) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._serve(one.session_id, lambda question: self._answer(one, question)))
            group.create_task(self._look_after(one))

    async def _look_after(self, one: Takeover) -> None:
        afterwards = timedelta(seconds=AFTERWARDS_S)
        while self._clock.now() < one.expires_at + afterwards:
            await asyncio.sleep(min(_LOOKS_AFTER_S, self._within_s))
            await one.look_after()
        self._later(self.end(one.session_id, one.call_id))

    async def _answer(self, one: Takeover, question: bytes) -> bytes:
        return msgspec.msgpack.encode(await self._answered(one, question))

    async def _answered(self, one: Takeover, question: bytes) -> Answer:
        try:
            asked = msgspec.msgpack.decode(question, type=TakeoverQuestion)
        except msgspec.DecodeError:  # whose text may quote what was typed
            return TakeoverRefusal("invalid_request", "this question can't be read")
        if asked.call_id != one.call_id:
            return TakeoverRefusal("call_not_open", "the browser was handed over by another call")
        try:
            answer = await one.answer(asked.what)
        except Failure as failure:
            return TakeoverRefusal(failure.kind, failure.message)
        if not one.holds and self.of(one.session_id) is one and one.is_over:
            self._later(self.end(one.session_id, one.call_id))
        return answer

    def _later(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
