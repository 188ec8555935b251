"""Timers: their ids, what the server is told, and what is not one."""

import pytest

from agent_contracts.errors import Permanent
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log import subjects
from agent_contracts.log.timers import Timer, decode_timer, encode_timer
from agent_contracts.moments import later_by, milliseconds_between

EXPIRY = Timer(
    AgentId("a"), SessionId("s-1"), "call_expiry", "2026-01-31T12:34:56.789Z", CallId("m000003-00")
)


def test_a_timer_is_named_by_its_session_and_what_it_is_for() -> None:
    later = Timer(EXPIRY.agent_id, EXPIRY.session_id, EXPIRY.purpose, "2027-01-01T00:00:00Z", EXPIRY.call_id)
    assert EXPIRY.id == later.id == "s-1~m000003-00"
    running = Timer(EXPIRY.agent_id, EXPIRY.session_id, "run_timeout", EXPIRY.due_at)
    assert running.id == "s-1~run_timeout"


def test_ids_that_run_into_each_other_name_different_timers() -> None:
    one = Timer(AgentId("a"), SessionId("s-1"), "call_expiry", EXPIRY.due_at, CallId("c"))
    other = Timer(AgentId("a"), SessionId("s"), "call_expiry", EXPIRY.due_at, CallId("1-c"))
    assert one.id != other.id


def test_what_comes_due_is_what_was_set() -> None:
    assert decode_timer(subjects.due_subject(EXPIRY.id), encode_timer(EXPIRY)) == EXPIRY


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"{}",
        encode_timer(EXPIRY).replace(b"call_expiry", b"tea_time"),
        encode_timer(EXPIRY).replace(b"s-1", b"s.>"),
        encode_timer(EXPIRY).replace(b"s-1", b"s-2"),
    ],
)
def test_what_is_no_timer_or_another_one_can_never_be_handled(data: bytes) -> None:
    with pytest.raises(Permanent):
        decode_timer(subjects.due_subject(EXPIRY.id), data)


def test_times_are_reckoned_with_across_offsets() -> None:
    assert milliseconds_between("2026-01-31T12:00:00.250Z", "2026-01-31T14:00:01+02:00") == 750
    assert milliseconds_between("2026-01-31T12:00:01Z", "2026-01-31T12:00:00Z") == -1000
    assert later_by("2026-01-31T23:59:59.5+01:00", 600) == "2026-01-31T23:00:00.100Z"


@pytest.mark.parametrize("text", ["", "soon", "2026-01-31T12:00:00"])
def test_what_is_no_time_is_not_guessed_at(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        later_by(text, 0)


def test_a_time_that_no_calendar_has_is_none() -> None:
    with pytest.raises(ValueError, match="is not a time"):
        later_by("9999-12-31T23:59:59Z", 1000)
