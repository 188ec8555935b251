"""What four short sessions make of sessions, stages and messages: each row with all its columns.

Beside the tests of single events: a column that those don't assert is noticed here, and so is a new one.
"""

from typing import Any

import msgspec
import pytest

from projections.session_tables import MESSAGES, SESSIONS, STAGES, MessageRow, SessionRow, StageRow
from projections.table import JsonText, Row, Table
from projector.testing.four_sessions import (
    BACK,
    CHILD,
    FAILED,
    FORK,
    as_json,
    at,
    end,
    four_sessions,
    place,
    usage,
)
from projector.testing.whole_rows import columns_always_alike, columns_never_set
from session_domain.testing.story import SENT

TABLES = (SESSIONS, STAGES, MESSAGES)


def said(usage: JsonText, calls: list[str], incomplete: str | None = None) -> JsonText:
    """The body of an answer."""
    body = {"model": "m", "usage": msgspec.json.decode(usage), "tool_calls": calls}
    return as_json(body if incomplete is None else {**body, "incomplete": incomplete})


NO_FILES = as_json({"files": []})

EXPECTED: dict[str, list[Row]] = {
    "sessions": [
        SessionRow(
            session_id=CHILD,
            agent_id="default",
            parent_id="s_parent",
            parent_call_id="c_parent",
            depth=2,
            title="t",
            status="waiting_for_input",
            model="m/asked",
            token_limit=500,
            created_at=at(0),
            active_at=at(6),
            updated_at=at(7),
            last_sequence=45,
            input_tokens=103,
            output_tokens=24,
            cached_input_tokens=30,
            cost_micros=7,
            model_call_count=1,
            waiting_calls=as_json(["m000003-02"]),
            newest_model_call="m000003",
            begun_by=as_json({"what": "schedule", "name": "t_1"}),
            pinned=True,
            stage_count=4,
            segments=as_json([[CHILD, 0, None]]),
        ),
        SessionRow(
            session_id=BACK,
            agent_id="default",
            parent_id=None,
            parent_call_id=None,
            depth=0,
            title="t",
            status="running",
            model=None,
            token_limit=100000,
            created_at=at(0),
            active_at=at(7),
            updated_at=at(7),
            last_sequence=151,
            output_tokens=15,
            model_call_count=3,
            open_model_call="m000016",
            newest_model_call="m000016",
            stage_count=9,
            rollbacks=as_json([[place(142), end(115)]]),
            segments=as_json([[BACK, 0, end(115)], [BACK, place(142), None]]),
        ),
        SessionRow(
            session_id=FORK,
            agent_id="default",
            parent_id=None,
            parent_call_id=None,
            depth=0,
            title="t",
            status="idle",
            model=None,
            token_limit=100000,
            created_at=at(0),
            active_at=at(1),
            updated_at=at(2),
            last_sequence=169,
            model_call_count=1,
            failed_turn=as_json(
                {
                    "failed_at": 169,
                    "kind": "authentication",
                    "message": "busy",
                    "retryable": False,
                    "retry_at": None,
                    "setting": None,
                }
            ),
            newest_model_call="m000003",
            stage_count=4,
            forked_from_id=BACK,
            forked_from_at=115,
            forked_place=place(157),
            inherited=as_json([[BACK, 0, end(115)]]),
            segments=as_json([[BACK, 0, end(115)], [FORK, 0, None]]),
        ),
        SessionRow(
            session_id=FAILED,
            agent_id="default",
            parent_id=None,
            parent_call_id=None,
            depth=0,
            title="t",
            status="error",
            model=None,
            token_limit=100000,
            created_at=at(0),
            active_at=at(4),
            updated_at=at(6),
            last_sequence=342,
            output_tokens=20,
            model_call_count=3,
            cut_model_call="m_summary",
            error_kind="internal",
            error_message="It broke.",
            newest_model_call="m_summary",
            stage_count=8,
            segments=as_json([[FAILED, 0, None]]),
        ),
    ],
    "stages": [
        StageRow(CHILD, 1, place(3), "idle", "t", None),
        StageRow(CHILD, 2, place(9), "running", "t", None),
        StageRow(CHILD, 3, place(12), "running", "t", "m000003"),
        StageRow(CHILD, 4, place(39), "waiting_for_input", "t", "m000003"),
        StageRow(BACK, 1, place(103), "idle", "t", None),
        StageRow(BACK, 2, place(109), "running", "t", None),
        StageRow(BACK, 3, place(112), "running", "t", "m000003"),
        StageRow(BACK, 4, place(118), "idle", "t", "m000003"),
        StageRow(BACK, 5, place(124), "running", "t", "m000003"),
        StageRow(BACK, 6, place(127), "running", "t", "m000008"),
        StageRow(BACK, 7, place(133), "idle", "t", "m000008"),
        StageRow(BACK, 8, place(148), "running", "t", "m000008"),
        StageRow(BACK, 9, place(151), "running", "t", "m000016"),
        StageRow(FORK, 1, place(154), "idle", None, None),
        StageRow(FORK, 2, place(157), "running", "t", None),
        StageRow(FORK, 3, place(163), "running", "t", "m000003"),
        StageRow(FORK, 4, place(169), "idle", "t", "m000003"),
        StageRow(FAILED, 1, place(303), "idle", "t", None),
        StageRow(FAILED, 2, place(309), "running", "t", None),
        StageRow(FAILED, 3, place(312), "running", "t", "m000003"),
        StageRow(FAILED, 4, place(324), "waiting_for_input", "t", "m000003"),
        StageRow(FAILED, 5, place(330), "running", "t", "m000009"),
        StageRow(FAILED, 6, place(336), "idle", "t", "m000009"),
        StageRow(FAILED, 7, place(339), "running", "t", "m_summary"),
        StageRow(FAILED, 8, place(342), "error", "t", "m_summary"),
    ],
    "messages": [
        MessageRow(
            session_id=CHILD,
            place=place(6),
            role="user",
            text="hello",
            time=at(1),
            model_call_id=None,
            body=as_json({"files": [SENT]}),
        ),
        MessageRow(
            session_id=CHILD,
            place=place(15),
            role="assistant",
            text="Let me see.",
            time=at(2),
            model_call_id="m000003",
            body=said(usage(100, 20, 30, 40, cost=7), ["m000003-00", "m000003-01", "m000003-02"]),
            rating="up",
            rating_text="so clear",
        ),
        MessageRow(
            session_id=BACK,
            place=place(106),
            role="user",
            text="one",
            time=at(1),
            model_call_id=None,
            body=NO_FILES,
        ),
        MessageRow(
            session_id=BACK,
            place=place(115),
            role="assistant",
            text="First.",
            time=at(2),
            model_call_id="m000003",
            body=said(usage(0, 10), []),
        ),
        MessageRow(
            session_id=BACK,
            place=place(121),
            role="user",
            text="two",
            time=at(3),
            model_call_id=None,
            body=NO_FILES,
        ),
        MessageRow(
            session_id=BACK,
            place=place(136),
            role="assistant",
            text="half a",
            time=at(5),
            model_call_id="m000008",
            body=said(usage(0, 5, counted=True), [], "stopped"),
        ),
        MessageRow(
            session_id=BACK,
            place=place(145),
            role="user",
            text="anew",
            time=at(7),
            model_call_id=None,
            body=NO_FILES,
        ),
        MessageRow(
            session_id=FORK,
            place=place(160),
            role="user",
            text="or so",
            time=at(1),
            model_call_id=None,
            body=NO_FILES,
        ),
        MessageRow(
            session_id=FORK,
            place=place(169),
            role="error",
            text="busy",
            time=at(2),
            model_call_id=None,
            body=as_json({"kind": "authentication"}),
        ),
        MessageRow(
            session_id=FAILED,
            place=place(306),
            role="user",
            text="go",
            time=at(1),
            model_call_id=None,
            body=NO_FILES,
        ),
        MessageRow(
            session_id=FAILED,
            place=place(315),
            role="assistant",
            text="",
            time=at(2),
            model_call_id="m000003",
            body=said(usage(0, 10), ["m000003-00"]),
        ),
        MessageRow(
            session_id=FAILED,
            place=place(333),
            role="assistant",
            text="Oslo it is.",
            time=at(4),
            model_call_id="m000009",
            body=said(usage(0, 10), []),
        ),
        MessageRow(
            session_id=FAILED,
            place=place(342),
            role="error",
            text="It broke.",
            time=at(6),
            model_call_id=None,
            body=as_json({"kind": "internal"}),
        ),
    ],
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_row_is_whole(table: Table[Any]) -> None:
    assert four_sessions().rows(table) == {table.key_of(row): row for row in EXPECTED[table.name]}


def test_the_rows_expected_here_set_each_column_and_tell_it_from_the_others() -> None:
    assert columns_never_set(EXPECTED, TABLES) == []
    assert columns_always_alike(EXPECTED, TABLES) == []
