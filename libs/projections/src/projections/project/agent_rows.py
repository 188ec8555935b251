"""What entity events do to the tables of what agents have: one row for each thing, of whichever kind."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind
from agent_contracts.errors import Permanent
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import AnyKind
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.subjects import entity_name
from projections.agent_tables import ENTITIES, EntityRow
from projections.json_text import json_text
from projections.project.batch_rows import BatchRows, Change, PutRow, RemoveRow
from projections.project.entity_at import EntityAt, fitting, made, misfit, moment
from projections.project.schedule_rows import run_changes
from projections.session_tables import ERASURES, ErasureRow
from projections.table import Key, ProjectedTable

_WITH_ROWS = frozenset(kind.value for kind, one in KINDS.items() if one.has_row)
_LARGEST = 2**63
"""What a column of whole numbers holds is below."""


def entity_hints(subject: str) -> Sequence[tuple[ProjectedTable[Any], Key]]:
    """The row that `entity_changes` will ask for, as far as the subject names it. Never raises."""
    _, agent_id, kind, _ = subject.split(".")
    if kind not in _WITH_ROWS:
        return ()
    try:
        name = entity_name(subject)
    except Permanent:
        return ()
    return () if "\x00" in name else ((ENTITIES, (agent_id, kind, name)),)


def entity_changes(at: EntityAt, event: EntityEvent, rows: BatchRows) -> list[Change]:
    """The rows that an entity's event makes, changes or removes.

    Raises `Unprojectable` for a value that doesn't fit the entity's kind.
    """
    match event.kind:
        case EntityKind.RUN:
            return run_changes(at, event)
        case EntityKind.ERASED:
            return [PutRow(ERASURES, ErasureRow(event.name, at.agent_id, at.sequence))]
        case kind if not KINDS[kind].has_row:
            return []  # in `events` alone
    key = (at.agent_id, event.kind.value, event.name)
    if isinstance(event, EntityDeleted):
        return [RemoveRow(ENTITIES, key)]
    before, value = rows.get(ENTITIES, key), whole(KINDS[event.kind], event.value)
    row = EntityRow(
        **asdict(made(at, event)),
        kind=event.kind.value,
        name=event.name,
        created_on=before.created_on if before is not None else at.time,
        value=json_text(value),
        enabled=value["enabled"] if KINDS[event.kind].is_switchable else None,
    )
    return [PutRow(ENTITIES, row)]


def whole(declared: AnyKind, value: Json) -> Any:
    """A value as its row holds it: a text as that; of a struct every member, those by default too.

    Views cast members to columns, so one that none of these holds counts as never written.
    """
    if declared.is_text:
        return text_of(value)
    found = fitting(value, declared.shape)
    if not isinstance(found, Struct):
        return value
    members = {name: one for name, one in asdict(found).items() if one is not UNSET}
    for name, one in members.items():
        if type(one) is int and not -_LARGEST <= one < _LARGEST:
            raise misfit(f"`{name}` is too large a number")
    times = {name: moment(members[name]) for name in declared.times if members[name] is not None}
    return {**members, **times}
