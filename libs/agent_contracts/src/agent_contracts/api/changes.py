"""What agents changed of themselves."""

from typing import Literal

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import ResponseBody
from agent_contracts.timestamp import Timestamp


class OwnChange(ResponseBody, frozen=True, kw_only=True):
    """An agent made, changed or deleted something of its own, by the call `call_id` of `tool` in a session.

    `label` is what people call it, where its name is an id; of the database it is the statement. `why` is the
    beginning of what the session had been told last when the model decided on the call, and `woken_by` says
    who told it, if not a person. `outside`: where material from outside came from that the agent had when it
    did so. `changed_since`: the newest event that changed the same thing later; null: it can be undone.
    """

    changed_at: Timestamp
    address: str
    what: Literal["made", "changed", "deleted"]
    kind: str
    name: str
    label: str
    version: int | None
    session_id: str | None
    title: str | None
    call_id: str | None
    tool: str | None
    why: str | None
    woken_by: str | None
    outside: list[ProvenanceSource]
    changed_since: str | None
