"""One run of a bisection's check, against its probe agent as that is."""

import asyncio

from agent_contracts.entities.bisections import Bisection, CheckRun
from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.sessions.session_view import SessionView
from agent_domain.sessions.directory import SessionDirectory
from gateway.operations.agents.functions import FunctionCaller
from gateway.operations.bisecting.checks import passes
from gateway.operations.bisecting.probe_agents import ProbeAgents
from gateway.operations.bisecting.probe_steps import ProbeStep
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import Creation, NewSession
from gateway.operations.sessions.past_sessions import PastSessions

_PATIENCE_S = 300.0
_PAUSE_S = 0.2
_BEGINNING = 500
_WRONG_ANSWER = frozenset(("code_failed", "not_found", "invalid_arguments", "disabled_tool"))
"""How a function may fail that is wrong, in place of one that couldn't be called."""


class Probes:
    """Runs them."""

    def __init__(
        self,
        directory: SessionDirectory,
        creation: Creation,
        past: PastSessions,
        functions: FunctionCaller,
        agents: ProbeAgents,
    ) -> None:
        self._directory = directory
        self._creation = creation
        self._past = past
        self._functions = functions
        self._agents = agents

    async def run(self, found: Bisection, source: AgentId, look: ProbeStep) -> CheckRun:
        """The check, once more at a moment. `Failure`: it couldn't be done, which says nothing of the agent.

        A run that was begun before, by this gateway or another, goes on.
        """
        request = asked(f"{found.id}-{look.at}-{look.run}")
        if found.check.function is not None:
            await self._agents.become(found.probe_agent, source, look.at)
            return await self._called(found, look)
        session_id = SessionId(request.derived_id("s", "sessions") or "")
        if not await self._exists(session_id):
            await self._agents.become(found.probe_agent, source, look.at)
        new = NewSession(
            agent_id=found.probe_agent,
            message=found.check.ask,
            model=found.model,
            token_limit=found.token_limit,
            title=f"Probe: the agent as of event {look.at}",
        )
        await self._creation.create(new, request)
        state = await self._answered(session_id)
        answer = _answer(state, found.token_limit)
        used = state.usage
        return CheckRun(
            holds=await passes(found.check, answer),
            session_id=session_id,
            answer=answer[:_BEGINNING],
            tokens=used.tokens,
            cost_micros=used.cost_micros,
        )

    async def _exists(self, session_id: SessionId) -> bool:
        try:
            await self._directory.find(session_id)
        except Rejected:
            return False
        return True

    async def _answered(self, session_id: SessionId) -> SessionView:
        waited = 0.0
        while waited < _PATIENCE_S:
            state = await self._past.state(session_id, messages=10)
            if _is_over(state):
                return state
            await asyncio.sleep(_PAUSE_S)
            waited += _PAUSE_S
        raise Rejected(f"A probe (session {session_id}) did not answer within {_PATIENCE_S:g} s")

    async def _called(self, found: Bisection, look: ProbeStep) -> CheckRun:
        name = found.check.function or ""
        request = asked(f"{found.id}-{look.at}-{look.run}")
        try:
            answer = await self._functions.call(found.probe_agent, name, found.check.arguments, request)
        except Failure as error:
            if error.kind not in _WRONG_ANSWER:
                raise
            return CheckRun(holds=False, answer=error.message[:_BEGINNING])
        usage = answer.usage
        return CheckRun(
            holds=answer.result is True,
            answer=str(answer.result)[:_BEGINNING],
            tokens=usage.tokens if usage else 0,
            cost_micros=usage.cost_micros if usage else None,
        )


def _is_over(state: SessionView) -> bool:
    if state.status == "running":
        return False
    return state.failed_turn is not None or state.status != "idle" or _said(state) is not None


def _said(state: SessionView) -> str | None:
    last = state.messages[-1] if state.messages else None
    return last.text if last is not None and last.role == "assistant" else None


def _answer(state: SessionView, token_limit: int) -> str:
    """What the probe said last; where it asks back, that."""
    if state.failed_turn is not None:
        raise Rejected(f"A probe could not answer: {state.failed_turn.message}")
    if state.status == "token_limit_reached":
        raise Rejected(f"A probe used its {token_limit:,} tokens before it had answered")
    if state.status == "error":
        why = state.error.message if state.error is not None else "it ended in error"
        raise Rejected(f"A probe could not answer: {why}")
    return _said(state) or ""
