"""One rollback of what a session changed of its agent's."""

from collections.abc import Callable

import msgspec

from agent_contracts.errors import Conflict, Rejected
from agent_domain.sessions.directory import KnownSession
from agent_platform.entities.entity import Change, Changed, Delete, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import Asked
from gateway.operations.rewind.agent_changes import AgentChange, AgentChanges, same_value

_ATTEMPTS = 10


class AgentBack:
    """Writes each value once more, in the session's name.

    The writes carry the session's id, so that a rollback to before them finds and undoes them.
    """

    def __init__(
        self, changes: AgentChanges, edits: Edits, session: KnownSession, point: int, request: Asked
    ) -> None:
        self._changes = changes
        self._edits = edits
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
                one.envelope.id == writer.id for one in await self._changes.later(key, self._point)
            )
            change = await self._changes.of(session, key, self._point)
            if change.touched_by_others and not included and not done_before:
                return None
            try:
                return await self._edits.change(key, writer, self._request, _back(change))
            except Conflict:
                continue
        raise Rejected(
            f"{key.kind} {key.name!r} is being changed again and again; try later", kind="conflict"
        )


def _back(change: AgentChange) -> Callable[[Entity | None], Change]:
    """What makes the entity what it was; `Conflict` where it isn't any more what it is in `change`."""

    def decide(found: Entity | None) -> Change:
        if _event_of(found) != _event_of(change.now):
            raise Conflict(f"{change.key.name!r} was changed meanwhile")
        if same_value(change.before, found):
            return None
        return Delete() if change.before is None else Write(change.before.value, change.before.outside)

    return decide


def _event_of(entity: Entity | None) -> int | None:
    return entity.sequence if entity else None
