"""Which sessions exist and which of them are closed, straight from the log: never behind it."""

import asyncio
from typing import Any

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Completed, Failed
from agent_contracts.session_events.inputs import Archived, Created, Reopened
from agent_platform.log.events import events, first_event, last_event
from agent_platform.log.port import Log

_REMEMBERED = 10_000


class KnownSession(msgspec.Struct, frozen=True):
    """A session that exists: whose it is and the sequence of its first event."""

    key: SessionKey
    created: int

    @property
    def session_id(self) -> SessionId:
        """Its id."""
        return self.key.session_id

    @property
    def agent_id(self) -> AgentId:
        """Whose it is."""
        return self.key.agent_id


class Endings(msgspec.Struct, frozen=True):
    """The sequences of a session's last events of each kind that ends it or opens it again; 0: none."""

    failed: int
    completed: int
    archived: int
    reopened: int

    @property
    def is_archived(self) -> bool:
        """Closed, and not opened again since."""
        return max(self.completed, self.archived) > self.reopened


class SessionDirectory:
    """Looks sessions up by id. What it found stays true until the session is taken out of the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._known: LRUCache[SessionId, KnownSession] = LRUCache(_REMEMBERED)

    async def find(self, session_id: SessionId) -> KnownSession:
        """The session; `Rejected`: `not_found` if there is none, `erased` if there was one."""
        known = self._known.get(session_id)
        if known is not None:
            mark = subjects.entity_subject(known.agent_id, EntityKind.ERASED, session_id)
            found = await self._log.last_of_each(mark, known.key.input(type_of(Created)))
            if any(message.subject == mark and event_of(message) is not None for message in found):
                raise _erased(session_id)
            if any(message.subject != mark for message in found):
                return known
            del self._known[session_id]
        created = await first_event(
            self._log, subjects.any_agents_inputs(session_id, type_of(Created)), after=0
        )
        await self.refuse_if_erased(session_id)
        if created is None:
            raise Rejected(f"There is no session {session_id}", kind="not_found")
        known = _known(created)
        self._known[session_id] = known
        return known

    async def refuse_if_erased(self, session_id: SessionId) -> None:
        """`Rejected(kind="erased")` if there was such a session and it was deleted."""
        erasures = await self._log.last_of_each(subjects.anyones_entity(EntityKind.ERASED, session_id))
        if any(event_of(message) is not None for message in erasures):
            raise _erased(session_id)

    async def of_agent(self, agent_id: AgentId) -> list[KnownSession]:
        """Every session of an agent, oldest first."""
        everywhere = subjects.all_inputs_of(agent_id, type_of(Created))
        found: dict[SessionId, KnownSession] = {}
        async for created in events(self._log.read(everywhere)):
            session = _known(created)
            found.setdefault(session.session_id, session)
        return list(found.values())

    async def refusal(self, session: KnownSession) -> Rejected | None:
        """Why the session takes no input, as of now: it was archived or ended. None: it takes them."""
        endings = await self.endings(session)
        if endings.failed:
            closed = "ended with an error"
        elif endings.is_archived:
            closed = "was closed"
        else:
            return None
        return Rejected(
            f"Session {session.session_id} {closed} and takes no more input", kind="session_closed"
        )

    async def endings(self, session: KnownSession) -> Endings:
        """What ended the session, and what opened it again, as of now."""
        subjects_of = (
            session.key.decision(type_of(Failed)),
            session.key.decision(type_of(Completed)),
            session.key.input(type_of(Archived)),
            session.key.input(type_of(Reopened)),
        )
        found = await asyncio.gather(*(last_event(self._log, subject) for subject in subjects_of))
        return Endings(*(0 if event is None else event.sequence for event in found))


def _erased(session_id: SessionId) -> Rejected:
    return Rejected(f"Session {session_id} was erased", kind="erased")


def _known(created: RecordedEvent[Any]) -> KnownSession:
    return KnownSession(session_subjects.parse_session_subject(created.subject).key, created.sequence)
