"""Calls whose outcome is unknown: a person looks, and says what happened."""

from agent_contracts.api.operating import MAX_NOTE
from agent_contracts.api.sessions import InputReceipt
from agent_contracts.api.waiting import Outcome
from agent_contracts.api.wire import Page
from agent_contracts.errors import Conflict, ErrorKind, Rejected
from agent_contracts.ids import CallId, SessionId, check_id
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, event_of
from agent_contracts.session_events.inputs import OutcomeSettled
from agent_contracts.session_events.results import ToolCallFailed
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.port import Log
from agent_platform.log.result_offers import request_of, result_of
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.inputs import Inputs
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import cursors, waiting


class UnknownOutcomes:
    """Lists them, and records what a person found out: the model is told in the session's next turn."""

    def __init__(
        self, log: Log, directory: SessionDirectory, inputs: Inputs, projected: ProjectedSessions
    ) -> None:
        self._log = log
        self._directory = directory
        self._inputs = inputs
        self._projected = projected

    async def list(
        self, agent_id: str | None, cursor: str | None, limit: int, *, settled: bool
    ) -> Page[Outcome]:
        """Those that nobody settled yet; with `settled`, all."""
        after = cursors.read(cursor)
        async with self._projected.snapshot() as snapshot:
            return await waiting.unknown_outcomes(snapshot, agent_id, after, limit, settled=settled)

    async def settle(
        self, session_id: SessionId, call_id: CallId, happened: bool, note: str, request: IdempotentRequest
    ) -> InputReceipt:
        """Record what happened, once. `Rejected`: `not_found`; `conflict` if the call's outcome is known, or
        was settled before."""
        if len(note) > MAX_NOTE:
            raise Rejected(f"A note may have at most {MAX_NOTE:,} characters", kind="too_large")
        session = await self._directory.find(session_id)
        checked = CallId(check_id(call_id, "call id"))
        earlier = await self._inputs.earlier(session.key, OutcomeSettled, request)
        if earlier is not None:
            return earlier
        await self._require_unknown(session, checked)
        did = "It did its work" if happened else "It did not do its work"
        message = f"About call {call_id}, whose outcome was unknown: I looked. {did}. {note}".strip()
        event = OutcomeSettled(checked, happened, message)
        subject = session.key.input(type_of(event))
        while True:
            last = 0
            async for stored in self._log.read(subject):
                last = stored.sequence
                settled = event_of(stored)
                if settled is not None and settled.event.call_id == checked:
                    raise Rejected(
                        f"The outcome of call {call_id} was settled before, by event {last}", kind="conflict"
                    )
            try:
                return await self._inputs.append(session.key, event, request, Expect(subject, last))
            except Conflict:
                continue  # another one was settled meanwhile

    async def _require_unknown(self, session: KnownSession, call_id: CallId) -> None:
        asked = await request_of(self._log, session.key, call_id)
        since = asked.sequence if asked else 0
        result = await result_of(self._log, session.key, call_id, after=since)
        if result is None:
            raise Rejected(f"Session {session.session_id} has no ended call {call_id}", kind="not_found")
        event = result.event
        if not (isinstance(event, ToolCallFailed) and event.error.kind is ErrorKind.OUTCOME_UNKNOWN):
            raise Rejected(
                f"The outcome of call {call_id} is known: event {result.sequence}", kind="conflict"
            )
