"""Rollbacks. Nothing is deleted, so each can be rolled back itself."""

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_domain.sessions.directory import Directory, KnownSession
from agent_platform.entities.entity import EntityKey
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import Asked
from gateway.operations.rewind.agent_back import AgentBack
from gateway.operations.rewind.changes import Changes
from gateway.operations.rewind.files_back import FilesBack
from gateway.operations.rewind.session_back import Part, SessionBack
from gateway.operations.sessions.past import Past
from gateway.queries.view import View

_DATABASE = "database"


class Restored(View):
    """One thing of the agent's, its database included. `sequence`: the event that gave it its earlier value
    back, or deleted it."""

    kind: str
    name: str
    sequence: int


class LeftOut(View):
    """One thing of the agent's that stays as it is, since others changed it too, or, of a file, since its
    path is another's now."""

    kind: str
    name: str


class RolledBack(View):
    """What a rollback did. `sequence` is the event that says so in the session's log."""

    at: int
    sequence: int
    restored: list[Restored]
    left_out: list[LeftOut]


Outcome = Restored | LeftOut | None
"""What became of one thing; None: it was what it had been."""


class Back(msgspec.Struct, frozen=True):
    """What goes back to how it was at `to`.

    Of the agent and its files, what others changed since is left out, except what `include` names (by kind
    and name). The database goes back as a whole: where others wrote to it since, only with
    `include_database`.
    """

    to: Address
    parts: tuple[Part, ...]
    include: frozenset[tuple[EntityKind, str]] = frozenset()
    include_database: bool = False


class Rollbacks:
    """Takes sessions, and what they changed of their agents, back."""

    def __init__(
        self, directory: Directory, past: Past, changes: Changes, edits: Edits, session: SessionBack
    ) -> None:
        self._directory = directory
        self._past = past
        self._changes = changes
        self._edits = edits
        self._session = session

    async def roll_back(self, session_id: SessionId, wanted: Back, request: Asked) -> RolledBack:
        """Take the chosen parts back to where they were; a repeat of the same key finishes what was begun.

        The session's log says so first. Where the conversation goes back, no tool of the session is still at
        work when the agent follows.
        `Rejected`: `not_found` (no such session), `session_closed`. `Transient`: the session engine didn't go
        back in time; the same request with the same key goes on.
        """
        session = await self._directory.find(session_id)
        point = await self._past.safe_point(session_id, wanted.to)
        back = await self._session.go_back(session, point, wanted.parts, request)
        outcomes: list[Outcome] = []
        if "agent" in wanted.parts:
            agent = AgentBack(self._changes.agent, self._edits, session, point, request)
            for change in await self._changes.agent.since(session, point, up_to=back):
                outcomes.append(await _agent_back(agent, change.key, wanted))
        if "files" in wanted.parts:
            outcomes += await self._files_back(session, point, back, wanted, request)
        if _DATABASE in wanted.parts:
            writer = self._edits.writer(request, session_id, _DATABASE, "rollback")
            is_back, sequence = await self._changes.database.restore(
                session, point, writer, with_others=wanted.include_database
            )
            outcomes.append(_outcome(_DATABASE, _DATABASE, is_back, sequence))
        return RolledBack(
            at=point,
            sequence=back,
            restored=[one for one in outcomes if isinstance(one, Restored)],
            left_out=[one for one in outcomes if isinstance(one, LeftOut)],
        )

    async def _files_back(
        self, session: KnownSession, point: int, back: int, wanted: Back, request: Asked
    ) -> list[Outcome]:
        by = await self._changes.files.tree(session)
        changes = await self._changes.files.since(session, by, point, up_to=back)
        files = FilesBack(self._changes.files, self._edits, session, point, request)
        keys = sorted((one.key for one in changes), key=lambda key: key.name)
        done = await files.restore(keys, by, wanted.include)
        return [_outcome(key.kind.value, key.name, key in done, done.get(key)) for key in keys]


async def _agent_back(agent: AgentBack, key: EntityKey, wanted: Back) -> Outcome:
    done = await agent.restore(key, (key.kind, key.name) in wanted.include)
    return _outcome(key.kind.value, key.name, done is not None, done.sequence if done else None)


def _outcome(kind: str, name: str, is_back: bool, sequence: int | None) -> Outcome:
    if not is_back:
        return LeftOut(kind=kind, name=name)
    return None if sequence is None else Restored(kind=kind, name=name, sequence=sequence)
