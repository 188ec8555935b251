"""What belongs to a session or an agent, and where it lies."""

import msgspec

from agent_contracts import subjects
from agent_contracts.codec import type_of
from agent_contracts.entities import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId, check_id
from agent_contracts.session_events.decisions import ChildSpawned, ForkMade
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_key import SessionKey
from agent_platform.log.decoding import decode
from agent_platform.log.port import Log


class Scope(msgspec.Struct, frozen=True):
    """What is erased: an agent's sessions with what is theirs, the files of their workspaces and their
    reminders (`theirs`: the subjects of these), or with `whole_agent` all that it has."""

    name: str
    agent_id: AgentId
    sessions: tuple[SessionKey, ...]
    whole_agent: bool = False
    theirs: frozenset[str] = frozenset()

    @property
    def of_the_log(self) -> list[str]:
        """The subjects of the log that hold it; the marks that say what was erased are not among them."""
        if not self.whole_agent:
            return [*(one.everything for one in self.sessions), *self._notepads, *sorted(self.theirs)]
        kinds = [kind for kind in EntityKind if kind is not EntityKind.ERASED]
        return [
            *(one.everything for one in self.sessions),
            *(subjects.entity_filter(self.agent_id, kind) for kind in kinds),
            subjects.database_subject(self.agent_id),
        ]

    @property
    def _notepads(self) -> list[str]:
        ids = (one.session_id for one in self.sessions)
        return [subjects.entity_subject(self.agent_id, EntityKind.NOTEPAD, one) for one in ids]

    def holds(self, subject: str) -> bool:
        """Whether a message of the log is part of it."""
        parts = subject.split(".")
        if parts[0] == "ses":
            return len(parts) > 3 and SessionId(parts[3]) in {one.session_id for one in self.sessions}
        if self.whole_agent:
            return parts[1] == self.agent_id and parts[2] != EntityKind.ERASED
        return subject in self.theirs or subject in self._notepads


async def scope_of(log: Log, name: str) -> Scope:
    """A session with its sub-sessions, or an agent; also one of which an erasure was begun.

    `Rejected`: `not_found`; `conflict` for a session that others begin with, by a fork.
    """
    check_id(name, "session or agent id")
    session = await _session(log, SessionId(name))
    if session is not None:
        return await _with_children(log, session)
    marked = await log.last_of_each(subjects.anyones_entity(EntityKind.ERASED, name))
    if marked:
        value = msgspec.json.decode(marked[-1].data)["value"]
        agent_id = subjects.owner_of(marked[-1].subject)
        keys = tuple(SessionKey(agent_id, SessionId(one)) for one in value["sessions"])
        return Scope(name, agent_id, keys, value["what"] == "agent")
    agent_id = AgentId(name)
    of_agent = [
        subjects.parse_session_subject(one.subject).key
        async for one in log.read(subjects.all_inputs_of(agent_id, type_of(Created)))
    ]
    if not of_agent and await log.last(subjects.entity_subject(agent_id, EntityKind.AGENT, name)) is None:
        raise Rejected(f"No session or agent is called {name}", kind="not_found")
    return Scope(name, agent_id, tuple(of_agent), whole_agent=True)


async def _session(log: Log, session_id: SessionId) -> SessionKey | None:
    found = await log.last_of_each(subjects.any_agents_inputs(session_id, type_of(Created)))
    return subjects.parse_session_subject(found[0].subject).key if found else None


async def _with_children(log: Log, session: SessionKey) -> Scope:
    found = [session]
    forks: list[str] = []
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
    left = [fork for fork in forks if await _session(log, SessionId(fork)) is not None]
    if left:
        raise Rejected(
            f"The history of {', '.join(left)} begins with that of {session.session_id}, by a fork: "
            "erase these first",
            kind="conflict",
        )
    return Scope(session.session_id, session.agent_id, tuple(dict.fromkeys(found)))
