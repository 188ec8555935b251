"""What the tables must say of what agents have, read from the entities themselves."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, text_of
from agent_contracts.entities.agents import AgentProfile
from agent_contracts.entities.definitions import (
    ComponentDefinition,
    LibraryDefinition,
    PlaybookDefinition,
    SkillDefinition,
    ToolDefinition,
)
from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind
from agent_contracts.entities.schedules import Reminder, Schedule, ScheduleRun
from agent_contracts.files import FileValue
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.log.codec import Recorded
from agent_contracts.log.subjects import entity_filter
from agent_contracts.wakes import InboxItem
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.log.decoding import events
from projections.agent_tables import (
    AGENT_CONFIG,
    AGENT_CONFIG_HISTORY,
    AGENT_STATE,
    AGENT_TABLES,
    AGENT_TOOLS,
    AGENT_UI_COMPONENTS,
    AGENTS,
    FILES,
    FUNCTIONS,
    INBOX,
    LIBRARIES,
    NOTES,
    PLANS,
    PLAYBOOKS,
    REMINDERS,
    SCHEDULE_RUNS,
    SCHEDULES,
    SKILLS,
)
from projections.schema import SCHEMA
from projections.table import Row, Table
from projector.projecting.store import writing

TableRows = Mapping[str, Sequence[Row]]
"""The rows of each table, by its name."""

Plain = dict[str, Any]


class _Kind(msgspec.Struct, frozen=True):
    """Where a kind is found, what its value is as plain data, and what a row says it is."""

    table: Table[Any]
    plain: Callable[[Json], Json]
    of_row: Callable[[Any], Json]


def _shaped(shape: type[Any]) -> Callable[[Json], Json]:
    return lambda value: json.loads(msgspec.json.encode(msgspec.convert(value, shape)))


def _columns(*names: str, as_json: Sequence[str] = ()) -> Callable[[Any], Json]:
    def read(row: Any) -> Json:
        texts = {name: getattr(row, name) for name in as_json}
        decoded = {name: None if text is None else json.loads(text) for name, text in texts.items()}
        return {name: getattr(row, name) for name in names} | decoded

    return read


_FILE_FIELDS = FileValue.__struct_fields__


def _all_fields(value: Json) -> dict[str, Json]:
    return {name: value.get(name) for name in _FILE_FIELDS if name != "session_id"}


def _renamed(shape: type[Any], names: Mapping[str, str]) -> Callable[[Json], Json]:
    """What a value says, its fields under the names of the columns; columns that end in `_on` and `_until`
    are times."""

    def plain(value: Json) -> Json:
        said = msgspec.structs.asdict(msgspec.convert(value, shape))
        told = {names.get(name, name): one for name, one in said.items() if name not in _IN_THE_LOG_ALONE}
        return {name: _as_time(name, msgspec.to_builtins(one)) for name, one in told.items()}

    return plain


def _as_time(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if value and name.endswith(("_on", "_until")) else value


_REMINDER = {"session_id": "reminds", "at": "due_on"}
_IN_THE_LOG_ALONE = {"last_at"}
"""What decides when a reminder comes again: no list shows it."""
_SCHEDULE = {"name": "title", "at": "due_on"}
_INBOX = {"session_id": "meant_for", "at": "arrived_on", "until": "kept_until"}
_RUN = {"session_id": "ran_in", "due_at": "due_on"}


def _columns_of(
    shape: type[Any], names: Mapping[str, str], as_json: Sequence[str] = ()
) -> Callable[[Any], Json]:
    shown = [name for name in shape.__struct_fields__ if name not in _IN_THE_LOG_ALONE]
    columns = [names.get(name, name) for name in shown]
    return _columns(*(name for name in columns if name not in as_json), as_json=as_json)


_code = _columns("description", "code", "enabled", as_json=["parameter_schema"])
_KINDS = {
    EntityKind.AGENT: _Kind(
        AGENTS,
        lambda value: {"name": value["name"], "created_on": msgspec.convert(value, AgentProfile).created_at},
        _columns("name", "created_on"),
    ),
    EntityKind.TOOL: _Kind(AGENT_TOOLS, _shaped(ToolDefinition), _code),
    EntityKind.FUNCTION: _Kind(FUNCTIONS, _shaped(ToolDefinition), _code),
    EntityKind.LIBRARY: _Kind(LIBRARIES, _shaped(LibraryDefinition), _columns("description", "code")),
    EntityKind.COMPONENT: _Kind(
        AGENT_UI_COMPONENTS,
        _shaped(ComponentDefinition),
        _columns("description", "code", as_json=["props_schema"]),
    ),
    EntityKind.SKILL: _Kind(
        SKILLS,
        _shaped(SkillDefinition),
        _columns("description", "content", "enabled", as_json=["tags"]),
    ),
    EntityKind.NOTEPAD: _Kind(NOTES, text_of, lambda row: row.text),
    EntityKind.PLAN: _Kind(PLANS, text_of, lambda row: row.text),
    EntityKind.PLAYBOOK: _Kind(
        PLAYBOOKS,
        _shaped(PlaybookDefinition),
        _columns("description", "initial_command", "success_criteria", as_json=["workflow"]),
    ),
    EntityKind.FILE: _Kind(
        FILES,
        lambda value: _all_fields(value) | {"workspace_id": value.get("session_id")},
        _columns(*(name for name in _FILE_FIELDS if name != "session_id"), "workspace_id"),
    ),
    EntityKind.REMINDER: _Kind(
        REMINDERS, _renamed(Reminder, _REMINDER), _columns_of(Reminder, _REMINDER, as_json=["again"])
    ),
    EntityKind.SCHEDULE: _Kind(SCHEDULES, _renamed(Schedule, _SCHEDULE), _columns_of(Schedule, _SCHEDULE)),
    EntityKind.INBOX: _Kind(
        INBOX, _renamed(InboxItem, _INBOX), _columns_of(InboxItem, _INBOX, as_json=["data"])
    ),
    EntityKind.STATE: _Kind(AGENT_STATE, lambda value: value, lambda row: json.loads(row.value)),
}


async def in_the_log(entities: Entities, agents: Sequence[AgentId]) -> dict[str, list[Plain]]:
    """What these agents have now, and how their texts came to be, as the rows of each table should say it."""
    found: dict[str, list[Plain]] = {table.name: [] for table in AGENT_TABLES}
    for agent_id in agents:
        for kind, one in _KINDS.items():
            for entity in await entities.list(agent_id, kind):
                since = await _since(entities, entity.key)
                dated = {} if kind in (EntityKind.STATE, EntityKind.AGENT) else {"created_on": since}
                found[one.table.name].append(
                    _of_entity(entity)
                    | {"value": _exactly(one.plain(entity.value)), "name": entity.key.name}
                    | dated
                )
        found[SCHEDULE_RUNS.name] += await _runs(entities, agent_id)
        edits = await _edits(entities, agent_id)
        found[AGENT_CONFIG_HISTORY.name] += edits
        if edits:
            found[AGENT_CONFIG.name].append(await _config(entities, agent_id, edits))
    return {name: sorted(rows, key=_order) for name, rows in found.items()}


def in_the_tables(rows: TableRows) -> dict[str, list[Plain]]:
    """What the rows say, in the same words."""
    found: dict[str, list[Plain]] = {}
    for kind, one in _KINDS.items():
        found[one.table.name] = []
        for row in rows[one.table.name]:
            said: Any = msgspec.structs.asdict(row)
            name = {EntityKind.STATE: "key", EntityKind.AGENT: "agent_id"}.get(kind, "name")
            dated = {} if kind in (EntityKind.STATE, EntityKind.AGENT) else {"created_on": said["created_on"]}
            found[one.table.name].append(
                _who(said) | {"value": _exactly(one.of_row(row)), "name": said[name]} | dated
            )
    for table in (AGENT_CONFIG, AGENT_CONFIG_HISTORY, SCHEDULE_RUNS):
        found[table.name] = [msgspec.structs.asdict(row) for row in rows[table.name]]
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


def _exactly(value: Json) -> str:
    """JSON as text, in which 1, 1.0 and true are three; the order of members doesn't count."""
    return json.dumps(value, sort_keys=True, default=str)


def _who(said: Plain) -> Plain:
    names = ("agent_id", "version", "sequence", "actor", "session_id", "call_id", "modified_on")
    return {name: said[name] for name in names}


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
    unsaid = ("decided", "running", "waiting")
    async for recorded in events(entities._log.read(entity_filter(agent_id, EntityKind.RUN))):
        event = recorded.event
        if isinstance(event, EntityDeleted):
            continue
        said: Any = _renamed(ScheduleRun, _RUN)(event.value)
        who = {
            "agent_id": agent_id,
            "version": event.version,
            "sequence": recorded.sequence,
            "actor": recorded.envelope.actor.value,
            "session_id": event.session_id,
            "call_id": event.call_id,
            "modified_on": datetime.fromisoformat(recorded.envelope.time),
        }
        run = {name: value for name, value in said.items() if name not in unsaid}
        told[event.name, said["due_on"], said["by_hand"]] = who | {"schedule_id": event.name} | run
    return list(told.values())


async def _edits(entities: Entities, agent_id: AgentId) -> list[Plain]:
    """Each edit of the agent's prompt and notes, in the order of the log."""
    texts = ((SYSTEM_PROMPT, "system_prompt"), (LEARNED_NOTES, "learned_notes"))
    events = [
        (recorded.sequence, column, recorded)
        for text, column in texts
        for recorded in await entities.history(EntityKey(agent_id, text.kind, text.name))
    ]
    return [
        _edit(agent_id, version, column, recorded)
        for version, (_, column, recorded) in enumerate(sorted(events, key=lambda one: one[0]), 1)
    ]


def _edit(agent_id: AgentId, version: int, column: str, recorded: Recorded[EntityEvent]) -> Plain:
    event = recorded.event
    written = None if isinstance(event, EntityDeleted) else event
    texts = {"system_prompt": None, "learned_notes": None} | {column: written and text_of(written.value)}
    return {
        "agent_id": agent_id,
        "version": version,
        "changed": column,
        "entity_version": written.version if written else 0,
        "sequence": recorded.sequence,
        "actor": recorded.envelope.actor.value,
        "session_id": event.session_id,
        "call_id": event.call_id,
        "created_on": datetime.fromisoformat(recorded.envelope.time),
    } | texts


async def _config(entities: Entities, agent_id: AgentId, edits: Sequence[Plain]) -> Plain:
    """The agent's texts as they are, with who edited one of them last."""
    prompt, notes = [
        await entities.current(EntityKey(agent_id, text.kind, text.name))
        for text in (SYSTEM_PROMPT, LEARNED_NOTES)
    ]
    last = edits[-1]
    return _who(last | {"modified_on": last["created_on"]}) | {
        "system_prompt": text_of(prompt.value) if prompt else None,
        "learned_notes": text_of(notes.value) if notes else None,
        "prompt_version": prompt.version if prompt else 0,
        "notes_version": notes.version if notes else 0,
    }


def _order(said: Plain) -> tuple[str, str, int]:
    name = said.get("name") or said.get("schedule_id")
    return said["agent_id"], str(name), said["version"]
