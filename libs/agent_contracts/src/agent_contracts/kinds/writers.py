"""Who may write which event, in whose name: of an entity, as its kind declares it."""

from agent_contracts.entities.entity import EntityDeleted, EntityWritten
from agent_contracts.event import Event
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.writers import Writers, writers_besides


def writers_of(event: Event) -> Writers:
    """Who may write such an event."""
    if isinstance(event, EntityWritten | EntityDeleted):
        return KINDS[event.kind].writers
    return writers_besides(event)
