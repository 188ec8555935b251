"""Ids and subjects."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId, SessionId, check_id, new_id, partition_of
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.tool_spec import RunsOn

KEY = SessionKey(AgentId("default"), SessionId("s_1"))


@pytest.mark.parametrize("bad", ["", "a.>", "*", "a b", "a\n", "é", "x" * 65, "a/b", "\x00", None, 7])
def test_an_id_that_is_no_safe_token_is_rejected(bad: object) -> None:
    with pytest.raises(Rejected):
        check_id(bad)  # type: ignore[arg-type]
    with pytest.raises(Rejected):
        _ = SessionKey(AgentId("default"), bad).prefix  # type: ignore[arg-type]


def test_ids_sort_by_time_and_fit_the_rule() -> None:
    ids = [new_id("s", at, bytes(10)) for at in (1, 2, 1_000_000, 1_800_000_000_000)]
    assert ids == sorted(ids)
    assert all(check_id(one) for one in ids)


def test_partitions_are_fixed_for_ever() -> None:
    assert [partition_of(SessionId(one)) for one in ("s_1", "s_2", "hello", "")] == PARTITIONS_ONCE_WRITTEN


def test_the_subjects_of_a_session_share_its_prefix() -> None:
    prefix = KEY.prefix
    assert KEY.input("foldline.x.user_message.v1") == f"{prefix}.in.user_message"
    requested = KEY.decision("foldline.session.tool_call_requested.v1", RunsOn.TOOLS.value)
    assert requested == f"{prefix}.ev.tool_call_requested.tools"
    assert KEY.decision("foldline.x.waiting.v1") == f"{prefix}.ev.waiting"
    assert (KEY.results, KEY.claims) == (f"{prefix}.result", f"{prefix}.claim")
    parsed = session_subjects.parse_session_subject(f"{prefix}.ev.model_call_requested.model")
    assert (parsed.key, parsed.rest) == (KEY, "ev.model_call_requested.model")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=256))
def test_any_name_becomes_one_safe_token_of_its_own(name: str) -> None:
    token = subjects.entity_token(name)
    assert re.fullmatch(r"~?[A-Za-z0-9_=-]+", token)
    assert subjects.entity_token(name + "x") != token


def test_a_plain_name_stays_readable() -> None:
    assert subjects.entity_subject(AgentId("default"), EntityKind.STATE, "city") == "agt.default.state.city"


@pytest.mark.parametrize("bad", ["agt.default.state.x", "ses.a.b.c.d", "ses.a.1.s", "", "ses.a.\u00b2.s.i.x"])
def test_what_is_no_session_subject_is_refused(bad: str) -> None:
    with pytest.raises(Permanent):
        session_subjects.parse_session_subject(bad)


PARTITIONS_ONCE_WRITTEN = [34, 15, 43, 5]


def test_a_cancellation_names_a_session_and_one_call_or_all() -> None:
    told = subjects.cancel_subject(SessionId("s_1"))
    assert subjects.parse_cancellation(told, b"m000001-01") == ("s_1", "m000001-01")
    assert subjects.parse_cancellation(told, b"") == ("s_1", None)


@pytest.mark.parametrize(
    ("subject", "body"), [("live.cancel.s_1", b"\xff"), ("live.cancel.s 1", b""), ("live.cancel.s_1", b"a b")]
)
def test_a_cancellation_that_cannot_be_read_is_refused(subject: str, body: bytes) -> None:
    with pytest.raises(Rejected):
        subjects.parse_cancellation(subject, body)
