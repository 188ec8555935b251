"""How many bytes an agent keeps: all that it has now, counted from the log and read on when asked."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from cachetools import LRUCache

from agent_contracts.entities.database_events import DatabaseRestored, DatabaseWritten
from agent_contracts.entities.database_snapshots import DatabaseSnapshots
from agent_contracts.entities.entity import EntityDeleted, EntityKind, EntityWritten
from agent_contracts.ids import AgentId
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.log.subjects import all_entities_of, database_snapshots_key, database_subject
from agent_platform.log.bucket import Bucket
from agent_platform.log.events import event_at_or_before, last_event
from agent_platform.log.port import Log

log = structlog.get_logger()

AGENTS = 1_000
"""Of how many agents it is remembered."""

DATABASE = "database"
SNAPSHOTS = "snapshots"


class KeptBytes(msgspec.Struct, frozen=True):
    """What an agent keeps, by part."""

    parts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.parts.values())


class _AgentStorage:
    """Of one agent, as of event `read_to`."""

    def __init__(self) -> None:
        self.by_subject: dict[str, tuple[str, int]] = {}
        self.parts: Counter[str] = Counter()
        self.read_to = 0

    def put(self, subject: str, part: str, size: int) -> None:
        before, was = self.by_subject.pop(subject, (part, 0))
        self.parts[before] -= was
        if size:
            self.by_subject[subject] = (part, size)
            self.parts[part] += size


class StorageMeter:
    """Counts it: every entity as it stands in the log, the bytes of files' current versions, the database and
    its snapshots, which `snapshots` lists. Earlier versions don't count. One for each process: it reads only
    what changed since it was asked last."""

    def __init__(self, log: Log, snapshots: Bucket) -> None:
        self._log = log
        self._snapshots = snapshots
        self._known: LRUCache[AgentId, _AgentStorage] = LRUCache(AGENTS)

    async def of(self, agent_id: AgentId) -> KeptBytes:
        """All that was in the log when this was called."""
        known = self._known.get(agent_id)
        if known is None:
            known = await self._whole(agent_id)
        else:
            known = await self._read_on(agent_id, known)
        self._known[agent_id] = known
        database = await self._database(agent_id)
        beside = {DATABASE: database, SNAPSHOTS: await self._of_snapshots(agent_id)}
        return KeptBytes({**+known.parts, **{part: size for part, size in beside.items() if size}})

    def forget(self, agent_id: AgentId) -> None:
        """Count anew when asked next: something may have been erased."""
        self._known.pop(agent_id, None)

    async def _whole(self, agent_id: AgentId) -> _AgentStorage:
        known = _AgentStorage()
        for message in await self._log.last_of_each(all_entities_of(agent_id)):
            await self._count(known, message)
        return known

    async def _read_on(self, agent_id: AgentId, known: _AgentStorage) -> _AgentStorage:
        subject, after = all_entities_of(agent_id), known.read_to
        async for message in self._log.read(subject, after=after):
            if message.sequence > known.read_to:  # two may read on at once
                await self._count(known, message)
        return known

    async def _count(self, known: _AgentStorage, message: StoredMessage) -> None:
        recorded = event_of(message) or await event_at_or_before(self._log, message)
        if recorded is not None:
            part = KINDS[recorded.event.kind].counted_as
            known.put(message.subject, part, weight_of(recorded, len(message.data)))
        known.read_to = max(known.read_to, message.sequence)

    async def _database(self, agent_id: AgentId) -> int:
        subject = database_subject(agent_id)
        last: RecordedEvent[Any] | None = await last_event(self._log, subject)
        while last is not None and isinstance(last.event, DatabaseRestored):
            of_whom = subject if last.event.agent_id is None else database_subject(last.event.agent_id)
            last = await last_event(self._log, of_whom, up_to=min(last.event.to, last.sequence - 1))
        return last.event.bytes if last is not None and isinstance(last.event, DatabaseWritten) else 0

    async def _of_snapshots(self, agent_id: AgentId) -> int:
        entry = await self._snapshots.get(database_snapshots_key(agent_id))
        if entry is None:
            return 0
        try:
            return msgspec.json.decode(entry.value, type=DatabaseSnapshots).size
        except msgspec.MsgspecError as error:
            log.warning("kept.snapshots_unreadable", agent_id=agent_id, reason=str(error))
            return 0


def weight_of(recorded: RecordedEvent[Any], size: int) -> int:
    """What an event of an entity keeps whose message has `size` bytes; a deletion keeps nothing."""
    match recorded.event:
        case EntityWritten(kind=kind, value=value):
            return size + bytes_beside(kind, value)
        case EntityDeleted():
            return 0
        case _:
            return size


def bytes_beside(kind: EntityKind, value: object) -> int:
    """What a value keeps besides itself: a file has its bytes elsewhere."""
    if kind is EntityKind.FILE and isinstance(value, dict):
        size = value.get("size")
        return size if isinstance(size, int) and size > 0 else 0
    return 0
