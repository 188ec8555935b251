"""What short sessions make of tool calls and model calls: each row with all its columns. Also events.

Beside the tests of single events: a column that those don't assert is noticed here, and so is a new one.
"""

from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import carrying
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events import inputs
from foldline_testing.projector.short_sessions import (
    BACK,
    CHILD,
    FAILED,
    FORK,
    HASH,
    NO_HASH,
    accounting,
    as_json,
    at,
    place,
    short_sessions,
    usage,
)
from foldline_testing.projector.whole_rows import columns_always_alike, columns_never_set
from foldline_testing.session_domain.messages import AGENT, stored
from projections.log_tables import EVENTS, EventRow
from projections.session_tables import MODEL_CALLS, TOOL_CALLS, ModelCallRow, ToolCallRow
from projections.table import ProjectedTable, Row

TABLES = (TOOL_CALLS, MODEL_CALLS)
PROBLEM = (
    "unknown_event_type: unknown event type 'foldline.session.unheard_of.v1': if a newer version wrote it, "
    "update this one"
)
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


RENAMED = inputs.Renamed("Tides")
SUBJECT = subject_of(RENAMED, SessionKey(AGENT, CHILD))
ENVELOPE = Envelope(
    "e_7",
    type_of(RENAMED),
    event_sources.GATEWAY,
    "2026-01-31T12:35:03Z",
    Actor.USER,
    causation=5,
    prev=4,
    traceparent=TRACE,
)
UNHEARD_OF = msgspec.structs.replace(ENVELOPE, id="e_8", type="foldline.session.unheard_of.v1")
"""An event with all that an envelope can say, and one that nobody can read."""

EVENT = EventRow(
    place=place(400),
    subject=SUBJECT,
    session_id=CHILD,
    agent_id="default",
    type="foldline.session.renamed.v1",
    time=at(7),
    actor="user",
    event_id="e_7",
    causation=5,
    prev=4,
    traceparent=TRACE,
    body=as_json({"title": "Tides"}),
)
EXPECTED: dict[str, list[Row]] = {
    "events": [
        EVENT,
        msgspec.structs.replace(
            EVENT,
            place=place(401),
            event_id="e_8",
            type=UNHEARD_OF.type,
            problem=PROBLEM,
        ),
    ],
    "tool_calls": [
        ToolCallRow(
            session_id=CHILD,
            call_id="m000003-00",
            model_call_id="m000003",
            position=0,
            message_place=place(15),
            tool="look",
            arguments=as_json({"at": 1}),
            as_sent=as_json({"at": "1"}),
            status="completed",
            effect="pure",
            runs_on="tools",
            result=as_json({"found": 1}),
            excerpt=as_json({"head": "a", "tail": "z", "blob": {"sha256": NO_HASH, "size": 10}}),
            outside=as_json([{"kind": "web", "name": "example.com", "at": "18", "session": CHILD}]),
            runner="runner_1",
            accounting=accounting(250, 2, usage(3, 4)),
            requested_place=place(18),
            result_place=place(30),
            requested_at=at(2),
            finished_at=at(4),
        ),
        ToolCallRow(
            session_id=CHILD,
            call_id="m000003-01",
            model_call_id="m000003",
            position=1,
            message_place=place(15),
            tool="dig",
            arguments=as_json({"a": 1}),
            status="failed",
            effect="external",
            runs_on="mcp",
            error=as_json({"kind": "upstream", "message": "gone", "path": "/at", "retryable": True}),
            outside=as_json([{"kind": "file", "name": "a.csv", "at": "21", "session": CHILD}]),
            runner="runner_2",
            accounting=accounting(70, 3),
            requested_place=place(21),
            result_place=place(33),
            requested_at=at(2),
            finished_at=at(5),
        ),
        ToolCallRow(
            session_id=CHILD,
            call_id="m000003-02",
            model_call_id="m000003",
            position=2,
            message_place=place(15),
            tool="ask_user",
            arguments=as_json({"a": 1}),
            status="pending",
            effect="pure",
            runs_on="tools",
            show=as_json({"kind": "ask_user", "question": "Which city?", "options": None}),
            runner="r",
            accounting=accounting(0, 1),
            requested_place=place(24),
            requested_at=at(2),
        ),
        ToolCallRow(
            session_id=BACK,
            call_id="m000016-00",
            model_call_id="m000016",
            position=0,
            message_place=place(154),
            tool="dig",
            arguments=as_json({"a": 1}),
            status="cancelled",
            effect="pure",
            runs_on="tools",
            error=as_json(
                {
                    "kind": "cancelled",
                    "message": "the user stopped this call before it had a result",
                    "path": None,
                    "retryable": False,
                }
            ),
            requested_place=place(157),
            result_place=place(163),
            requested_at=at(8),
            finished_at=at(9),
        ),
        ToolCallRow(
            session_id=FAILED,
            call_id="m000003-00",
            model_call_id="m000003",
            position=0,
            message_place=place(315),
            tool="ask_user",
            arguments=as_json({"a": 1}),
            status="completed",
            effect="pure",
            runs_on="tools",
            result=as_json({"answer": "Oslo"}),
            show=as_json({"kind": "ask_user", "question": "Which city?", "options": None}),
            answer=as_json({"answer": "Oslo"}),
            runner="r",
            accounting=accounting(0, 1),
            requested_place=place(318),
            result_place=place(327),
            requested_at=at(2),
            finished_at=at(3),
        ),
        ToolCallRow(
            session_id=FAILED,
            call_id="m000003-01",
            model_call_id="m000003",
            position=1,
            message_place=place(315),
            tool="fly",
            arguments=as_json({"a": 1}),
            status="failed",
            effect="pure",
            runs_on="tools",
            error=as_json(
                {"kind": "unknown_tool", "message": "no such tool", "path": None, "retryable": False}
            ),
            result_place=place(315),
            finished_at=at(2),
        ),
        ToolCallRow(
            session_id=FAILED,
            call_id="m000003-02",
            model_call_id="m000003",
            position=2,
            message_place=place(315),
            tool="list",
            arguments=as_json({"a": 1}),
            status="completed",
            effect="pure",
            runs_on="tools",
            result=as_json(["dig"]),
            result_place=place(315),
            finished_at=at(2),
        ),
    ],
    "model_calls": [
        ModelCallRow(
            session_id=CHILD,
            call_id="m000003",
            number=1,
            model="m",
            requested_place=place(12),
            requested_at=at(1),
            status="completed",
            result_place=place(15),
            usage=usage(100, 20, 30, 40, cost=7),
            latency_ms=900,
            first_token_ms=300,
            attempts=2,
            finish_reason="tool_calls",
            context=NO_HASH,
            finished_at=at(2),
        ),
        ModelCallRow(
            session_id=BACK,
            call_id="m000003",
            number=1,
            model="m",
            requested_place=place(112),
            requested_at=at(1),
            status="completed",
            result_place=place(115),
            usage=usage(0, 10),
            latency_ms=1,
            attempts=1,
            finish_reason="stop",
            context=NO_HASH,
            finished_at=at(2),
        ),
        ModelCallRow(
            session_id=BACK,
            call_id="m000008",
            number=2,
            model="m",
            requested_place=place(127),
            requested_at=at(3),
            status="cancelled",
            result_place=place(133),
            text="half a",
            usage=usage(0, 5, counted=True),
            latency_ms=1,
            attempts=1,
            cut="stopped",
            context=NO_HASH,
            finished_at=at(4),
        ),
        ModelCallRow(
            session_id=BACK,
            call_id="m000016",
            number=3,
            model="m",
            requested_place=place(151),
            requested_at=at(7),
            status="completed",
            result_place=place(154),
            usage=usage(0, 10),
            latency_ms=1,
            attempts=1,
            finish_reason="stop",
            context=NO_HASH,
            finished_at=at(8),
        ),
        ModelCallRow(
            session_id=BACK,
            call_id="m000024",
            number=4,
            model=None,
            requested_place=place(175),
            requested_at=at(9),
        ),
        ModelCallRow(
            session_id=FORK,
            call_id="m000003",
            number=1,
            model="m",
            requested_place=place(187),
            requested_at=at(1),
            status="failed",
            result_place=place(190),
            latency_ms=80,
            attempts=4,
            context=HASH,
            error=as_json({"kind": "authentication", "message": "busy"}),
            finished_at=at(2),
        ),
        ModelCallRow(
            session_id=FAILED,
            call_id="m000003",
            number=1,
            model="m",
            requested_place=place(312),
            requested_at=at(1),
            status="completed",
            result_place=place(315),
            usage=usage(0, 10),
            latency_ms=1,
            attempts=1,
            finish_reason="stop",
            context=NO_HASH,
            finished_at=at(2),
        ),
        ModelCallRow(
            session_id=FAILED,
            call_id="m000009",
            number=2,
            model="m",
            requested_place=place(330),
            requested_at=at(3),
            status="completed",
            result_place=place(333),
            usage=usage(0, 10),
            latency_ms=1,
            attempts=1,
            finish_reason="stop",
            context=NO_HASH,
            finished_at=at(4),
        ),
        ModelCallRow(
            session_id=FAILED,
            call_id="m_summary",
            number=3,
            model="m/asked",
            requested_place=place(339),
            requested_at=at(5),
            purpose="summary",
            status="cancelled",
            result_place=place(342),
            finished_at=at(6),
        ),
    ],
}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_row_is_whole(table: ProjectedTable[Any]) -> None:
    assert short_sessions().rows(table) == {table.key_of(row): row for row in EXPECTED[table.name]}


def test_a_row_of_an_event_says_all_that_its_envelope_says() -> None:
    bodies = (encode(RENAMED), encode(RENAMED).replace(b"renamed", b"unheard_of"))
    messages = [carrying(*one, SUBJECT) for one in zip((ENVELOPE, UNHEARD_OF), bodies, strict=True)]
    tables = short_sessions().fold([stored(400 + n, message) for n, message in enumerate(messages)])
    assert list(tables.rows(EVENTS).values())[-2:] == EXPECTED["events"]


def test_the_rows_expected_here_set_each_column_and_tell_it_from_the_others() -> None:
    assert columns_never_set(EXPECTED, (EVENTS, *TABLES)) == []
    assert columns_always_alike(EXPECTED, (EVENTS, *TABLES)) == []
