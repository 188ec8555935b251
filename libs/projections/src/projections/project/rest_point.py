"""What a session was at an earlier event, from its rows: where forks and rewinds lead."""

import msgspec

from agent_contracts.log.address import place_before
from projections.project.batch_rows import BatchRows
from projections.session_tables import (
    MESSAGES,
    MODEL_CALLS,
    STAGES,
    TOOL_CALLS,
    ModelCallRow,
    SessionRow,
    StageRow,
    ToolCallRow,
)
from session_domain.domain.state import Status


class RestPoint(msgspec.Struct, frozen=True):
    """A session at the last point, up to and including place `at`, at which none of its calls was open."""

    at: int
    status: Status
    title: str | None
    thinking_effort: str | None = None
    thinking_budget: int | None = None


def at_rest(rows: BatchRows, session: SessionRow, at: int) -> RestPoint:
    """The session as it was at place `at`, or at the last point before it at which no call was open."""
    stage = _stage_at(rows, session, at)
    if stage is not None and stage.model_call_id is not None:
        call = rows.get(MODEL_CALLS, (session.session_id, stage.model_call_id))
        if call is not None and _is_open(rows, call, at):
            at = place_before(call.requested_place)
            stage = _stage_at(rows, session, at)
    if stage is None:
        return RestPoint(at, Status.IDLE, None)
    return RestPoint(at, Status(stage.status), stage.title, stage.thinking_effort, stage.thinking_budget)


def calls_of(rows: BatchRows, call: ModelCallRow) -> list[ToolCallRow]:
    """The tool calls that the answer to a model call asked for, in order."""
    if call.status != "completed" or call.result_place is None:
        return []
    message = rows.get(MESSAGES, (call.session_id, call.result_place))
    if message is None:  # a summary
        return []
    ids: list[str] = msgspec.json.decode(message.body)["tool_calls"]
    found = (rows.get(TOOL_CALLS, (call.session_id, call_id)) for call_id in ids)
    return [one for one in found if one is not None]


def _is_open(rows: BatchRows, call: ModelCallRow, at: int) -> bool:
    """Whether the model call had no ending at place `at`, or a tool call of its answer had none."""
    endings = (call.result_place, *(one.result_place for one in calls_of(rows, call)))
    return any(ending is None or ending > at for ending in endings)


def _stage_at(rows: BatchRows, session: SessionRow, at: int) -> StageRow | None:
    """The last stage that had begun at place `at`: a binary search, each step a row."""
    found: StageRow | None = None
    low, high = 1, session.stage_count
    while low <= high:
        middle = (low + high) // 2
        stage = rows.get(STAGES, (session.session_id, middle))
        if stage is not None and stage.place <= at:
            found, low = stage, middle + 1
        else:
            high = middle - 1
    return found
