"""The agent that a bisection's probes have: made to be what another agent was after an event."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.database_events import DatabaseRestored
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import is_secret_setting
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.files import FileScope, FileValue
from agent_contracts.ids import AgentId
from agent_contracts.json_value import same_json
from agent_contracts.log.envelope import Actor
from agent_contracts.log.subjects import database_subject
from agent_domain.rewinding.database import DatabaseLog
from agent_platform.entities.entity import Delete, Entity, EntityKey, Other, Write, Writer
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.agents.agents import key_of
from gateway.operations.agents.deletion import Deletion
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import Asked

COPIED_KINDS = (
    EntityKind.PROMPT,
    EntityKind.NOTES,
    EntityKind.STATE,
    EntityKind.TOOL,
    EntityKind.FUNCTION,
    EntityKind.LIBRARY,
    EntityKind.COMPONENT,
    EntityKind.SKILL,
    EntityKind.PLAYBOOK,
    EntityKind.FILE,
    EntityKind.SETTING,
)
"""What a probe has of the agent, with its database. Nothing that acts by itself, and no secret."""
_CLEARED_KINDS = (EntityKind.PATH, EntityKind.REMINDER, EntityKind.SCHEDULE)
_AT_ONCE = 500
_ATTEMPTS = 20


class ProbeAgents:
    """Makes them and puts them away."""

    def __init__(
        self, log: Log, clock: Clock, edits: Edits, database: DatabaseLog, deletion: Deletion
    ) -> None:
        self._log = log
        self._clock = clock
        self._edits = edits
        self._database = database
        self._deletion = deletion

    async def become(self, probe: AgentId, source: AgentId, at: int) -> None:
        """Make the probe's agent what `source` was after event `at`, whatever it had or did before."""
        entities = self._edits.entities
        if await entities.current(key_of(probe)) is None:
            value = {"name": f"Probe of {source}"[:100], "created_at": rfc3339(self._clock.now())}
            await entities.write(key_of(probe), value, self._writer())
        wanted = await self._wanted(probe, source, at)
        for _ in range(_ATTEMPTS):
            try:
                changes = await self._changes(probe, wanted)
                for start in range(0, len(changes), _AT_ONCE):
                    await entities.change_all(changes[start : start + _AT_ONCE])
                break
            except Conflict:
                continue  # something that a probe began is still writing
        else:
            raise Rejected("The probe's agent is being changed again and again", kind="conflict")
        if await self._log.last(database_subject(source)) is not None:
            event = DatabaseRestored(at, agent_id=source)
            await self._database.become(probe, event, self._writer())

    async def put_away(self, probe: AgentId) -> None:
        """Delete the probe's agent, and archive its sessions, which can still be read."""
        if await self._edits.entities.current(key_of(probe)) is None:
            return
        await self._deletion.delete(probe, Asked(None, "", creates=True))

    async def _wanted(self, probe: AgentId, source: AgentId, at: int) -> dict[EntityKey, Write]:
        found: dict[EntityKey, Write] = {}
        for kind in COPIED_KINDS:
            for one in await self._edits.entities.list(source, kind, up_to=at):
                if _is_copied(one):
                    found[EntityKey(probe, kind, one.key.name)] = Write(one.value, one.outside)
        for one in await self._edits.entities.list(source, EntityKind.PATH, up_to=at):
            held = EntityKey(probe, EntityKind.FILE, one.value["file_id"])
            if held in found:
                found[EntityKey(probe, EntityKind.PATH, one.key.name)] = Write(one.value)
        return found

    async def _changes(self, probe: AgentId, wanted: dict[EntityKey, Write]) -> Sequence[Other]:
        there: dict[EntityKey, Entity] = {}
        for kind in (*COPIED_KINDS, *_CLEARED_KINDS):
            for one in await self._edits.entities.list(probe, kind):
                there[one.key] = one
        changes = [
            Other(key, there.get(key), write, self._writer())
            for key, write in wanted.items()
            if key not in there or not same_json(there[key].value, write.value)
        ]
        gone = (one for key, one in there.items() if key not in wanted)
        return [*changes, *(Other(one.key, one, Delete(), self._writer()) for one in gone)]

    def _writer(self) -> Writer:
        return Writer(self._clock.new_id("e"), Actor.USER)


def _is_copied(one: Entity) -> bool:
    if one.key.kind is EntityKind.FILE:
        return msgspec.convert(one.value, FileValue).scope is FileScope.AGENT
    return not (one.key.kind is EntityKind.SETTING and is_secret_setting(one.value))
