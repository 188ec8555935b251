"""An agent as of an event."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.moments import AgentMoment, ThingInTime
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.kinds.rewound import REWOUND_KINDS
from gateway.http.wire.parameters import AgentPath, AsOf, At, MinSequence, SessionFilter, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.moments import ThingRef
from gateway.queries.agent_events import SHOWN_KINDS

router = resource("history", "/agents/{agent_id}/moment")


@router.get("", operation_id="getAgentMoment")
async def get_moment(
    operations: Using,
    agent_id: AgentPath,
    at: At,
    session_id: SessionFilter,
    min_sequence: MinSequence = None,
) -> AgentMoment:
    """All that the agent had after event `at`, without its content, and what of it is different now.

    With `session_id`: that session's notepad, and the files that it sees.
    """
    return await operations.moments.of(agent_id, at, session_id, min_sequence)


@router.get("/thing", operation_id="getThingInTime")
async def get_thing(
    operations: Using,
    agent_id: AgentPath,
    kind: Annotated[EntityKind, Query(description="Kind of the thing.")],
    name: Annotated[str, Query(max_length=1_000, description="Its name, unique within its kind.")],
    at: AsOf = None,
) -> ThingInTime:
    """One thing, whole: right before event `at`, after it, and now."""
    shown_kinds = tuple(dict.fromkeys((*SHOWN_KINDS, *REWOUND_KINDS)))
    if at is None or kind not in shown_kinds:
        shown = ", ".join(shown_kinds)
        raise Rejected(f"Name the event by `at`, and a kind of {shown}", kind="invalid_request")
    return await operations.moments.thing(ThingRef(agent_id, kind, name), at)
