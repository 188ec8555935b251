"""What events of an agent's prompt and notes do to `agent_config` and `agent_config_history`."""

from msgspec.structs import replace

from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, text_of
from agent_contracts.entities.entity import EntityDeleted, EntityEvent, EntityKind
from projections.agent_tables import AGENT_CONFIG, AGENT_CONFIG_HISTORY, ConfigHistoryRow, ConfigRow
from projections.project.batch_rows import Change, Put, Rows
from projections.project.entity_at import EntityAt, misfit

_OWN = {(text.kind, text.name) for text in (SYSTEM_PROMPT, LEARNED_NOTES)}


def edited(at: EntityAt, event: EntityEvent, rows: Rows) -> list[Change]:
    """The agent's texts after an edit of one of them. A text under any other name is nobody's."""
    if (event.kind, event.name) not in _OWN:
        return []
    text, entity_version = _text_after(event)
    before = rows.get(AGENT_CONFIG, (at.agent_id,))
    edit = ConfigHistoryRow(
        agent_id=at.agent_id,
        version=before.version + 1 if before is not None else 1,
        changed="system_prompt" if event.kind is EntityKind.PROMPT else "learned_notes",
        system_prompt=text if event.kind is EntityKind.PROMPT else None,
        learned_notes=text if event.kind is EntityKind.NOTES else None,
        entity_version=entity_version,
        sequence=at.sequence,
        actor=at.actor,
        session_id=event.session_id,
        call_id=event.call_id,
        created_on=at.time,
    )
    return [Put(AGENT_CONFIG, _after(before, edit)), Put(AGENT_CONFIG_HISTORY, edit)]


def _after(before: ConfigRow | None, edit: ConfigHistoryRow) -> ConfigRow:
    config = ConfigRow(
        agent_id=edit.agent_id,
        version=edit.version,
        sequence=edit.sequence,
        actor=edit.actor,
        session_id=edit.session_id,
        call_id=edit.call_id,
        modified_on=edit.created_on,
        system_prompt=before.system_prompt if before else None,
        learned_notes=before.learned_notes if before else None,
        prompt_version=before.prompt_version if before else 0,
        notes_version=before.notes_version if before else 0,
    )
    if edit.changed == "system_prompt":
        return replace(config, system_prompt=edit.system_prompt, prompt_version=edit.entity_version)
    return replace(config, learned_notes=edit.learned_notes, notes_version=edit.entity_version)


def _text_after(event: EntityEvent) -> tuple[str | None, int]:
    """The text and its version; None and 0 once it is deleted."""
    if isinstance(event, EntityDeleted):
        return None, 0
    text = text_of(event.value)
    if text is None:
        raise misfit("it holds no text")
    return text, event.version
