"""Rollbacks: what one would do, and doing it. Nothing is deleted, so each can be rolled back itself."""

import asyncio
from collections.abc import Callable

import msgspec

from agent_contracts.codec import type_of
from agent_contracts.errors import Conflict
from agent_contracts.session_events.decisions import Completed, Failed, InputRefused
from agent_contracts.session_events.decisions import RolledBack as WentBack
from agent_contracts.session_events.inputs import RollbackAsked
from agent_platform.entities.entity import Change, Changed, Delete, Entity, EntityKey, Write
from agent_platform.log.decoding import decode
from gateway.deps import Deps
from gateway.http.problems import Kind, ProblemError
from gateway.http.rewind_requests import Part, Rollback
from gateway.operations.asked import Asked
from gateway.operations.rewind.agent_changes import AgentChange, AgentChanges, same_value
from gateway.operations.rewind.database_changes import AgentDatabaseLog
from gateway.operations.rewind.safe_points import safe_point
from gateway.operations.rewind.views import LeftOut, Restored, RolledBack
from gateway.operations.sessions.directory import KnownSession
from gateway.operations.sessions.refusals import closed

_LATER_PARTS: tuple[Part, ...] = ("files",)
_DATABASE = "database"
_ATTEMPTS = 10
_PATIENCE_S = 10.0
_PAUSE_S = 0.02


async def roll_back(deps: Deps, session: KnownSession, wanted: Rollback, request: Asked) -> RolledBack:
    """Take the chosen parts back to where they were; a repeat of the same key finishes what was begun.

    The session's log says so first. Where the conversation goes back, no tool of the session is still at work
    when the agent follows.
    Problems: `invalid_request` (a part that can't go back yet), `session_closed`, `unavailable` (the session
    engine didn't go back in time: the same request with the same key goes on).
    """
    _refuse_later_parts(wanted.parts)
    point = (await safe_point(deps, session.session_id, wanted.to)).at
    back = await _session_back(deps, session, point, wanted.parts, request)
    restored, left_out = [], []
    if "agent" in wanted.parts:
        agent = _AgentBack(deps, session, point, request)
        included = {EntityKey(session.agent_id, one.kind, one.name) for one in wanted.include}
        for change in await agent.changes.since(session, point, up_to=back):
            key = change.key
            done = await agent.restore(key, key in included)
            if done is None:
                left_out.append(LeftOut(kind=key.kind.value, name=key.name))
            elif done.sequence is not None:
                restored.append(Restored(kind=key.kind.value, name=key.name, sequence=done.sequence))
    if _DATABASE in wanted.parts:
        writer = deps.edits.writer(request, session.session_id, _DATABASE, "rollback")
        written = AgentDatabaseLog(deps.log, deps.clock, session.agent_id)
        is_back, sequence = await written.restore(session, point, writer, with_others=wanted.include_database)
        if not is_back:
            left_out.append(LeftOut(kind=_DATABASE, name=_DATABASE))
        elif sequence is not None:
            restored.append(Restored(kind=_DATABASE, name=_DATABASE, sequence=sequence))
    return RolledBack(at=point, sequence=back, restored=restored, left_out=left_out)


def _refuse_later_parts(parts: list[Part]) -> None:
    later = [part for part in _LATER_PARTS if part in parts]
    if later:
        raise ProblemError(
            Kind.INVALID_REQUEST,
            f"this version can't roll back {' and '.join(later)}: only conversation, agent and database",
        )


async def _session_back(
    deps: Deps, session: KnownSession, point: int, parts: list[Part], request: Asked
) -> int:
    """Ask for it and wait until the engine decided it; the sequence of its decision."""
    conversation = "conversation" in parts
    refusal = await closed(deps, session) if conversation else None
    if refusal is not None:
        refusal = ProblemError(
            Kind.SESSION_CLOSED,
            f"session {session.session_id} was closed and can't go back: fork it at event {point} instead",
        )
    event = RollbackAsked(to=point, parts=tuple(sorted(set(parts))))
    asked = await deps.inputs.append_unless_refused(session, event, request, refusal)
    waited = 0.0
    while waited < _PATIENCE_S:
        decided = await _decided(deps, session, asked.sequence, WentBack(point, conversation))
        if decided is not None:
            return decided
        await asyncio.sleep(_PAUSE_S)
        waited += _PAUSE_S
    raise ProblemError(
        Kind.UNAVAILABLE,
        f"the session engine has not gone back in {_PATIENCE_S:g} s (event {asked.sequence} asks for it): "
        "is it running? Nothing of the agent was changed; the same request with its Idempotency-Key goes on",
    )


async def _decided(deps: Deps, session: KnownSession, asked: int, wanted: WentBack) -> int | None:
    """The sequence of this rollback, after `asked`.

    A `session_closed` problem if the session ended first: then its conversation stays.
    """
    async for back in deps.log.read(session.key.decision(type_of(WentBack)), after=asked):
        if decode(back).event == wanted:
            return back.sequence
    for ending in (Completed, Failed, InputRefused) if wanted.conversation else ():
        last = await deps.log.last(session.key.decision(type_of(ending)))
        if last is not None and last.sequence > asked:
            raise ProblemError(
                Kind.SESSION_CLOSED, f"session {session.session_id} was closed before it went back: fork it"
            )
    return None


class _AgentBack:
    """One rollback of what a session changed of its agent's: each value written once more, in its name.

    The writes carry the session's id, so that a rollback to before them finds and undoes them.
    """

    def __init__(self, deps: Deps, session: KnownSession, point: int, request: Asked) -> None:
        self.changes = AgentChanges(deps.log, deps.edits.entities)
        self._edits = deps.edits
        self._session = session
        self._point = point
        self._request = request

    async def restore(self, key: EntityKey, included: bool) -> Changed | None:
        """Give the entity its earlier value back, or delete it. None: others changed it too, so it stays.

        What was decided on is compared with what is there when it is written: whoever is faster is seen.
        """
        session = self._session
        writer = msgspec.structs.replace(
            self._edits.writer(self._request, session.session_id, key.subject, "rollback"),
            session_id=session.session_id,
            since=self._point,
        )
        for _ in range(_ATTEMPTS):
            done_before = any(
                one.envelope.id == writer.id for one in await self.changes.later(key, self._point)
            )
            change = await self.changes.of(session, key, self._point)
            if change.touched_by_others and not included and not done_before:
                return None
            try:
                return await self._edits.change(key, writer, self._request, _back(change))
            except Conflict:
                continue
        raise ProblemError(
            Kind.CONFLICT, f"{key.kind} {key.name!r} is being changed again and again; try later"
        )


def _back(change: AgentChange) -> Callable[[Entity | None], Change]:
    """What makes the entity what it was; `Conflict` where it isn't any more what it is in `change`."""

    def decide(found: Entity | None) -> Change:
        if _event_of(found) != _event_of(change.now):
            raise Conflict(f"{change.key.name!r} was changed meanwhile")
        if same_value(change.before, found):
            return None
        return Delete() if change.before is None else Write(change.before.value)

    return decide


def _event_of(entity: Entity | None) -> int | None:
    return entity.sequence if entity else None
