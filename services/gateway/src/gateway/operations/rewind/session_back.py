"""A session's own part of a rollback: asked for in its log, decided by the session engine."""

import asyncio
from typing import Literal

from agent_contracts.errors import Rejected, Transient
from agent_contracts.session_events.decisions import Completed, Failed, InputRefused
from agent_contracts.session_events.decisions import RolledBack as WentBack
from agent_contracts.session_events.inputs import RollbackAsked
from agent_domain.sessions.directory import Directory, KnownSession
from agent_platform.log.decoding import events
from agent_platform.log.port import Log
from gateway.operations.asked import Asked
from gateway.operations.sessions.inputs import Inputs

Part = Literal["conversation", "agent", "database", "files"]

_PATIENCE_S = 10.0
_PAUSE_S = 0.02


class SessionBack:
    """Asks for it, and waits until the engine decided it."""

    def __init__(self, log: Log, directory: Directory, inputs: Inputs) -> None:
        self._log = log
        self._directory = directory
        self._inputs = inputs

    async def go_back(
        self, session: KnownSession, point: int, parts: tuple[Part, ...], request: Asked
    ) -> int:
        """Go back to event `point`; the sequence of the engine's decision.

        `Rejected(kind="session_closed")` where the conversation should go back and the session was closed;
        `Transient` if nothing was decided within 10 s.
        """
        conversation = "conversation" in parts
        refusal = await self._directory.refusal(session) if conversation else None
        if refusal is not None:
            refusal = Rejected(
                f"Session {session.session_id} was closed and can't go back: "
                f"fork it at event {point} instead",
                kind="session_closed",
            )
        event = RollbackAsked(to=point, parts=tuple(sorted(set(parts))))
        asked = await self._inputs.append_unless_refused(session, event, request, refusal)
        waited = 0.0
        while waited < _PATIENCE_S:
            decided = await self._decided(session, asked.sequence, WentBack(point, conversation))
            if decided is not None:
                return decided
            await asyncio.sleep(_PAUSE_S)
            waited += _PAUSE_S
        raise Transient(
            f"The session engine has not rolled back within {_PATIENCE_S:g} s "
            f"(event {asked.sequence} asks for it): is it running? Nothing of the agent was changed; "
            "the same request with its Idempotency-Key goes on"
        )

    async def _decided(self, session: KnownSession, asked: int, wanted: WentBack) -> int | None:
        """The sequence of this rollback, after `asked`.

        `Rejected(kind="session_closed")` if the session ended first: then its conversation stays.
        """
        ended = False
        async for decided in events(self._log.read(session.key.everything, after=asked)):
            if decided.event == wanted:
                return decided.sequence
            ended = ended or isinstance(decided.event, Completed | Failed | InputRefused)
        if ended and wanted.conversation:
            raise Rejected(
                f"Session {session.session_id} was closed before it went back: fork it",
                kind="session_closed",
            )
        return None
