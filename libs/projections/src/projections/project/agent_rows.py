"""What entity events do to the tables of what agents have. Total over the kinds of entities."""

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from msgspec import to_builtins
from msgspec.structs import asdict

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.agents import AgentProfile
from agent_contracts.entities.definitions import (
    ComponentDefinition,
    LibraryDefinition,
    PlaybookDefinition,
    SkillDefinition,
    ToolDefinition,
)
from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind
from agent_contracts.files import FileValue
from agent_contracts.json_value import Json
from projections.agent_tables import (
    AGENT_CONFIG,
    AGENT_STATE,
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
    SCHEDULES,
    SKILLS,
    AgentRow,
    ComponentRow,
    FileRow,
    LibraryRow,
    Named,
    NoteRow,
    PlanRow,
    PlaybookRow,
    SkillRow,
    StateRow,
    ToolRow,
)
from projections.json_text import json_text, json_text_or_none
from projections.project import config_rows
from projections.project.batch_rows import Change, Put, Remove, Rows
from projections.project.entity_at import EntityAt, fitting, made, misfit
from projections.project.schedule_rows import inbox_row, reminder_row, run_changes, schedule_row
from projections.session_tables import ERASURES, ErasureRow
from projections.table import Key, Table

_NAMED: dict[str, Table[Any]] = {
    EntityKind.TOOL.value: AGENT_TOOLS,
    EntityKind.FUNCTION.value: FUNCTIONS,
    EntityKind.LIBRARY.value: LIBRARIES,
    EntityKind.COMPONENT.value: AGENT_UI_COMPONENTS,
    EntityKind.SKILL.value: SKILLS,
    EntityKind.NOTEPAD.value: NOTES,
    EntityKind.PLAN.value: PLANS,
    EntityKind.PLAYBOOK.value: PLAYBOOKS,
    EntityKind.FILE.value: FILES,
    EntityKind.REMINDER.value: REMINDERS,
    EntityKind.SCHEDULE.value: SCHEDULES,
    EntityKind.INBOX.value: INBOX,
}
"""Kinds whose rows say since when there is such an entity, which only the row before knows."""

_TEXTS = (EntityKind.PROMPT.value, EntityKind.NOTES.value)


def entity_hints(agent_id: str, kind: str, token: str) -> Sequence[tuple[Table[Any], Key]]:
    """The row that `entity_changes` will ask for, as far as the subject names it."""
    if kind in _TEXTS:
        return ((AGENT_CONFIG, (agent_id,)),)
    table = _NAMED.get(kind)
    return () if table is None or token.startswith("~") else ((table, (agent_id, token)),)


def entity_changes(at: EntityAt, event: EntityEvent, rows: Rows) -> list[Change]:
    """The rows that an entity's event makes, changes or removes.

    Raises `Unprojectable` for a value that doesn't fit the entity's kind.
    """
    match event.kind:
        case EntityKind.AGENT:
            return _agent(at, event)
        case EntityKind.PROMPT | EntityKind.NOTES:
            return config_rows.edited(at, event, rows)
        case EntityKind.STATE:
            return _state(at, event)
        case EntityKind.TOOL | EntityKind.FUNCTION:
            return _named(at, event, rows, _tool)
        case EntityKind.LIBRARY:
            return _named(at, event, rows, _library)
        case EntityKind.COMPONENT:
            return _named(at, event, rows, _component)
        case EntityKind.SKILL:
            return _named(at, event, rows, _skill)
        case EntityKind.NOTEPAD:
            return _named(at, event, rows, _note)
        case EntityKind.PLAN:
            return _named(at, event, rows, _plan)
        case EntityKind.PLAYBOOK:
            return _named(at, event, rows, _playbook)
        case EntityKind.FILE:
            return _named(at, event, rows, _file)
        case EntityKind.REMINDER:
            return _named(at, event, rows, reminder_row)
        case EntityKind.SCHEDULE:
            return _named(at, event, rows, schedule_row)
        case EntityKind.RUN:
            return run_changes(at, event)
        case EntityKind.INBOX:
            return _named(at, event, rows, inbox_row)
        case EntityKind.PATH | EntityKind.SETTING | EntityKind.SECRET | EntityKind.CALL:
            return []  # in `events` alone
        case EntityKind.ERASED:
            return [Put(ERASURES, ErasureRow(event.name, at.agent_id, at.sequence))]
        case EntityKind.REWIND | EntityKind.BISECTION | EntityKind.POLICY:
            return []  # likewise
        case EntityKind.MCP_SERVER | EntityKind.MCP_TOOLS | EntityKind.MODEL_ADAPTATIONS:
            return []  # likewise
        case _ as never:
            assert_never(never)


def _named(
    at: EntityAt, event: EntityEvent, rows: Rows, row_of: Callable[[Named, Json], Named]
) -> list[Change]:
    table: Table[Any] = _NAMED[event.kind.value]
    key = (at.agent_id, event.name)
    if isinstance(event, EntityDeleted):
        return [Remove(table, key)]
    before = rows.get(table, key)
    created_on = before.created_on if before is not None else at.time
    named = Named(**asdict(made(at, event)), name=event.name, created_on=created_on)
    return [Put(table, row_of(named, event.value))]


def _tool(named: Named, value: Json) -> ToolRow:
    tool = fitting(value, ToolDefinition)
    return ToolRow(
        **asdict(named),
        description=tool.description,
        parameter_schema=json_text(tool.parameter_schema),
        code=tool.code,
        enabled=tool.enabled,
    )


def _library(named: Named, value: Json) -> LibraryRow:
    library = fitting(value, LibraryDefinition)
    return LibraryRow(**asdict(named), description=library.description, code=library.code)


def _component(named: Named, value: Json) -> ComponentRow:
    component = fitting(value, ComponentDefinition)
    return ComponentRow(
        **asdict(named),
        description=component.description,
        code=component.code,
        props_schema=json_text_or_none(component.props_schema),
    )


def _skill(named: Named, value: Json) -> SkillRow:
    skill = fitting(value, SkillDefinition)
    return SkillRow(
        **asdict(named),
        description=skill.description,
        content=skill.content,
        tags=json_text(list(skill.tags)),
        enabled=skill.enabled,
    )


def _note(named: Named, value: Json) -> NoteRow:
    text = text_of(value)
    if text is None:
        raise misfit("it holds no text")
    return NoteRow(**asdict(named), text=text)


def _plan(named: Named, value: Json) -> PlanRow:
    text = text_of(value)
    if text is None:
        raise misfit("it holds no text")
    return PlanRow(**asdict(named), text=text)


def _playbook(named: Named, value: Json) -> PlaybookRow:
    playbook = fitting(value, PlaybookDefinition)
    return PlaybookRow(
        **asdict(named),
        description=playbook.description,
        workflow=json_text(to_builtins(playbook.workflow)),
        initial_command=playbook.initial_command,
        success_criteria=playbook.success_criteria,
    )


def _file(named: Named, value: Json) -> FileRow:
    file = fitting(value, FileValue)
    return FileRow(
        **asdict(named),
        path=file.path,
        media_type=file.media_type,
        size=file.size,
        blob=file.blob,
        scope=file.scope.value,
        workspace_id=file.session_id,
        source=file.source,
        made_from=file.made_from,
        forked_from=file.forked_from,
    )


def _state(at: EntityAt, event: EntityEvent) -> list[Change]:
    if isinstance(event, EntityDeleted):
        return [Remove(AGENT_STATE, (at.agent_id, event.name))]
    row = StateRow(**asdict(made(at, event)), key=event.name, value=json_text(event.value))
    return [Put(AGENT_STATE, row)]


def _agent(at: EntityAt, event: EntityEvent) -> list[Change]:
    if event.name != at.agent_id:
        raise misfit(f"an agent has its own id as name, not {event.name!r}")
    if isinstance(event, EntityDeleted):
        return [Remove(AGENTS, (at.agent_id,))]
    profile = fitting(event.value, AgentProfile)
    row = AgentRow(**asdict(made(at, event)), name=profile.name, created_on=profile.created_at)
    return [Put(AGENTS, row)]
