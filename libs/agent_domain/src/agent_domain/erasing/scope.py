"""What belongs to a session or an agent, and where it lies."""

from functools import cached_property

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import ChildSpawned, ForkMade
from agent_contracts.session_events.inputs import Created
from agent_platform.log.port import Log


class Scope(msgspec.Struct, frozen=True, dict=True):
    """What is erased: an agent's sessions with what is theirs, the files of their workspaces and their
    reminders, or with `whole_agent` all that it has. `theirs` are the subjects of these files and reminders,
    `reminders` the ids of the latter. `outlived`: they were kept long enough, so their own marks go, too, and
    what is left of their bytes does no harm; with them go the log's `records` of what became of them."""

    name: str
    agent_id: AgentId
    sessions: tuple[SessionKey, ...]
    whole_agent: bool = False
    theirs: frozenset[str] = frozenset()
    reminders: frozenset[str] = frozenset()
    outlived: bool = False
    records: tuple[int, ...] = ()

    @property
    def of_the_log(self) -> list[str]:
        """The subjects of the log that hold it; the marks that say what was erased are not among them."""
        if not self.whole_agent:
            return [*(one.everything for one in self.sessions), *sorted(self._texts | self.theirs)]
        kinds = [kind for kind in KINDS if kind is not EntityKind.ERASED]
        return [
            *(one.everything for one in self.sessions),
            *(subjects.entity_filter(self.agent_id, kind) for kind in kinds),
            subjects.database_subject(self.agent_id),
        ]

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(one.session_id for one in self.sessions)

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(
            subjects.entity_subject(self.agent_id, kind, one)
            for one in self._ids
            for kind, declared in KINDS.items()
            if declared.named == "session" or (self.outlived and kind is EntityKind.ERASED)
        )

    def holds(self, subject: str) -> bool:
        """Whether a message of the log is part of it."""
        parts = subject.split(".")
        if parts[0] == "ses":
            return len(parts) > 3 and parts[3] in self._ids
        if self.whole_agent:
            return parts[1] == self.agent_id and parts[2] != EntityKind.ERASED
        return subject in self.theirs or subject in self._texts


class Family(msgspec.Struct, frozen=True):
    """A session with its sub-sessions, and which others begin with one of these, by a fork."""

    sessions: tuple[SessionKey, ...]
    forks: tuple[SessionId, ...]


async def scope_of(log: Log, name: str) -> Scope:
    """A session with its sub-sessions, or an agent; also one of which an erasure was begun.

    `Rejected`: `not_found`; `conflict` for a session that others begin with, by a fork.
    """
    check_id(name, "session or agent id")
    session = await session_in(log, SessionId(name))
    if session is not None:
        return await _with_children(log, session)
    marked = await log.last_of_each(subjects.anyones_entity(EntityKind.ERASED, name))
    if marked:
        agent_id = subjects.owner_of(marked[-1].subject)
        erasure = msgspec.convert(msgspec.json.decode(marked[-1].data)["value"], Erasure)
        keys = tuple(SessionKey(agent_id, SessionId(one)) for one in erasure.sessions)
        return Scope(name, agent_id, keys, erasure.what == "agent")
    agent_id = AgentId(name)
    of_agent = [
        session_subjects.parse_session_subject(one.subject).key
        async for one in log.read(subjects.all_inputs_of(agent_id, type_of(Created)))
    ]
    if not of_agent and await log.last(subjects.entity_subject(agent_id, EntityKind.AGENT, name)) is None:
        raise Rejected(f"No session or agent is called {name}", kind="not_found")
    return Scope(name, agent_id, tuple(of_agent), whole_agent=True)


async def session_in(log: Log, session_id: SessionId) -> SessionKey | None:
    """A session, as long as the log has its first event."""
    found = await log.last_of_each(subjects.any_agents_inputs(session_id, type_of(Created)))
    return session_subjects.parse_session_subject(found[0].subject).key if found else None


async def family_of(log: Log, session: SessionKey) -> Family:
    """A session that is still in the log, with what belongs to it. Reads it whole, and its sub-sessions."""
    found = [session]
    forks: list[SessionId] = []
    for one in found:  # grows while it is gone through
        async for message in log.read(one.everything):
            kind = message.event_type
            if kind not in (type_of(ChildSpawned), type_of(ForkMade)):
                continue  # what can't be read needn't be, to be erased
            event = decode(message).event
            if isinstance(event, ChildSpawned):
                found.append(one.sibling(event.child_id))
            elif isinstance(event, ForkMade):
                forks.append(event.session_id)
    sessions = tuple(dict.fromkeys(found))
    ids = {one.session_id for one in sessions}
    others = [fork for fork in dict.fromkeys(forks) if fork not in ids]
    left = [fork for fork in others if await session_in(log, fork) is not None]
    return Family(sessions, tuple(left))


async def _with_children(log: Log, session: SessionKey) -> Scope:
    family = await family_of(log, session)
    if family.forks:
        raise Rejected(
            f"The history of {', '.join(family.forks)} begins with that of {session.session_id}, by a fork: "
            "erase these first",
            kind="conflict",
        )
    return Scope(session.session_id, session.agent_id, family.sessions)
