"""What the tables must say of what agents have, read from the entities themselves."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.entity import EntityDeleted, EntityKind
from agent_contracts.entities.schedules import StoredScheduleRun
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import AnyKind
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.subjects import entity_filter
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.log.events import events
from projections.agent_tables import AGENT_TABLES, ENTITIES, SCHEDULE_RUNS
from projections.schema import SCHEMA
from projections.table import Row
from projector.projecting.store import writing

TableRows = Mapping[str, Sequence[Row]]
"""The rows of each table, by its name."""

Plain = dict[str, Any]


async def in_the_log(entities: Entities, agents: Sequence[AgentId]) -> dict[str, list[Plain]]:
    """What these agents have now, as the rows should say it: by kind, and the runs of their tasks."""
    found: dict[str, list[Plain]] = {kind.value: [] for kind, one in KINDS.items() if one.has_row}
    found[SCHEDULE_RUNS.name] = []
    for agent_id in agents:
        for kind, declared in KINDS.items():
            for entity in await entities.list(agent_id, kind) if declared.has_row else ():
                since = {"created_on": await _since(entities, entity.key)}
                value: Any = _plain(declared, entity.value)
                said: Plain = {"name": entity.key.name, "value": _exactly(value)}
                said |= {"enabled": value["enabled"] if declared.is_switchable else None}
                found[kind.value].append(_of_entity(entity) | since | said)
        found[SCHEDULE_RUNS.name] += await _runs(entities, agent_id)
    return {name: sorted(rows, key=_order) for name, rows in found.items()}


def in_the_tables(rows: TableRows) -> dict[str, list[Plain]]:
    """What the rows say, in the same words."""
    found: dict[str, list[Plain]] = {kind.value: [] for kind, one in KINDS.items() if one.has_row}
    for row in rows[ENTITIES.name]:
        said: Any = msgspec.structs.asdict(row)
        found[said.pop("kind")].append(said | {"value": _exactly(json.loads(said["value"]))})
    found[SCHEDULE_RUNS.name] = [msgspec.structs.asdict(row) for row in rows[SCHEDULE_RUNS.name]]
    return {name: sorted(said, key=_order) for name, said in found.items()}


async def stored_rows(dsn: str, agents: Sequence[AgentId]) -> TableRows:
    """The live rows of all tables of what these agents have."""
    found: dict[str, list[Row]] = {}
    async with writing(dsn, "test") as connection:
        for table in AGENT_TABLES:
            statement = (
                f"SELECT {', '.join(table.columns)} FROM {SCHEMA}.{table.name} WHERE agent_id = ANY(%s)"
            )
            rows = await (await connection.execute(statement.encode(), [list(agents)])).fetchall()
            found[table.name] = [table.row(*values) for values in rows]
    return found


def _plain(declared: AnyKind, value: Json) -> Json:
    """A value with the members that it leaves out."""
    if declared.is_text:
        return text_of(value)
    if not issubclass(declared.shape, msgspec.Struct):
        return value
    members = msgspec.structs.asdict(msgspec.convert(value, declared.shape))
    said = {name: one for name, one in members.items() if one is not msgspec.UNSET}
    times = {name: _moment(said[name]) for name in declared.times if said[name] is not None}
    return json.loads(msgspec.json.encode(said | times))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _exactly(value: Json) -> str:
    """JSON as text, in which 1, 1.0 and true are three; the order of members doesn't count."""
    return json.dumps(value, sort_keys=True)


def _of_entity(entity: Entity) -> Plain:
    return {
        "agent_id": entity.key.agent_id,
        "version": entity.version,
        "sequence": entity.sequence,
        "actor": entity.actor.value,
        "session_id": entity.session_id,
        "call_id": entity.call_id,
        "modified_on": datetime.fromisoformat(entity.time),
    }


async def _since(entities: Entities, key: EntityKey) -> datetime | None:
    """When the entity was made that is there now."""
    since = None
    for recorded in await entities.history(key):
        if isinstance(recorded.event, EntityDeleted):
            since = None
        elif since is None:
            since = datetime.fromisoformat(recorded.envelope.time)
    return since


async def _runs(entities: Entities, agent_id: AgentId) -> list[Plain]:
    """The last that is told of each due time of each of the agent's schedules, deleted ones too."""
    told: dict[Any, Plain] = {}
    async for recorded in events(entities._log.read(entity_filter(agent_id, EntityKind.RUN))):
        event = recorded.event
        if isinstance(event, EntityDeleted):
            continue
        run = msgspec.convert(event.value, StoredScheduleRun)
        due_on = _moment(run.due_at)
        told[event.name, due_on, run.by_hand] = {
            "agent_id": agent_id,
            "version": event.version,
            "sequence": recorded.sequence,
            "actor": recorded.envelope.actor.value,
            "session_id": event.session_id,
            "call_id": event.call_id,
            "modified_on": datetime.fromisoformat(recorded.envelope.time),
            "schedule_id": event.name,
            "due_on": due_on,
            "by_hand": run.by_hand,
            "outcome": run.outcome,
            "ran_in": run.session_id,
            "reason": run.reason,
            "failures": run.failures,
        }
    return list(told.values())


def _order(said: Plain) -> tuple[str, str, int]:
    name = said.get("name") or said.get("schedule_id")
    return said["agent_id"], str(name), said["version"]
