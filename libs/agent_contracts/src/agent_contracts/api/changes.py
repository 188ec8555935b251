"""What agents changed of themselves."""

from typing import Literal

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import ResponseBody
from agent_contracts.timestamp import Timestamp


class OwnChange(ResponseBody, frozen=True, kw_only=True):
    """Something of its own that an agent made, changed or deleted."""

    changed_at: Timestamp
    """When the agent did it."""
    address: str
    """Address of the event that did it."""
    what: Literal["made", "changed", "deleted"]
    """Whether the thing was made, changed or deleted."""
    kind: str
    """Kind of the thing, such as `skill`, `tool`, `state` or `database`."""
    name: str
    """Name of the thing, unique within its kind."""
    label: str
    """What people call the thing where its name is an id. For the database: the SQL statement."""
    version: int | None
    """The version that it wrote; null: a deletion, or a thing without versions."""
    session_id: str | None
    """Id of the session in which it did so; null: outside of sessions."""
    title: str | None
    """The title of that session; null: it has none."""
    call_id: str | None
    """Id of the tool call that did it; null: no call did."""
    tool: str | None
    """The tool that did it; null: no call did."""
    why: str | None
    """The beginning of the last message that the agent had when it decided on the call; null: unknown."""
    woken_by: str | None
    """Who sent that message, such as the name of a service; null: a person did."""
    outside: list[ProvenanceSource]
    """Sources of outside material that the agent had read by then."""
    changed_since: str | None
    """Address of the newest event that changed the same thing later. Null: the change can be undone."""
