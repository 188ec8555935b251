"""Bytes to events and back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.errors import Permanent
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId
from agent_contracts.log.cloud_events import from_cloud_event, to_cloud_event
from agent_contracts.log.record.codec import (
    Envelope,
    UnknownEventType,
    decode,
    encode,
    may_have_long_number,
    type_of,
)
from agent_contracts.log.record.documents import (
    EventDefaults,
    read_document,
    read_record,
    write_document,
    write_record,
)
from agent_contracts.session_events.inputs import ToolResponse, UserMessage
from agent_contracts.session_events.results import ModelCallCompleted, ResolvedCall, Usage

unicode_text = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | unicode_text,
    lambda children: st.lists(children) | st.dictionaries(unicode_text, children),
    max_leaves=10,
)


@given(json_values)
def test_what_is_encoded_decodes_to_the_same(value: object) -> None:
    event = ToolResponse(call_id=CallId("c"), response=value)
    assert decode(type_of(event), encode(event)) == event


def test_an_unknown_field_is_ignored() -> None:
    body = {"type": "foldline.session.user_message.v1", "text": "hi", "mood": "sunny"}
    assert decode(type_of(UserMessage), json.dumps(body).encode()) == UserMessage(text="hi")


def test_an_unknown_type_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(UnknownEventType, match=r"'foldline\.session\.danced\.v1'.*newer version"):
        decode("foldline.session.danced.v1", b"{}")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"type":"foldline.session.user_message.v1"}',
        b"\xff",
        b'{"text":"\xff"}',
        b"[" * 9999,
    ],
)
def test_a_body_that_does_not_fit_its_type_is_permanent(body: bytes) -> None:
    with pytest.raises(Permanent):
        decode(type_of(UserMessage), body)


def test_a_type_that_differs_between_header_and_body_is_refused() -> None:
    with pytest.raises(Permanent):
        decode("foldline.session.archived.v1", encode(UserMessage(text="hi")))


def test_a_lone_surrogate_is_refused_when_written() -> None:
    with pytest.raises(Permanent, match="surrogate"):
        encode(UserMessage(text="\ud800"))


ENVELOPE = Envelope(
    id="e_1",
    type=type_of(UserMessage),
    source="/gateway",
    time="2026-01-31T12:34:56.000Z",
    actor=Actor.USER,
    causation=7,
    prev=8,
    traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    request="a" * 64,
    imported="b" * 64,
)
BODY = encode(UserMessage(text="hi"))


HERE = EventDefaults("e_1", ENVELOPE.time)


def test_an_event_s_document_says_nothing_twice_and_reads_back() -> None:
    document = write_document(ENVELOPE, BODY, HERE)
    assert not [word for word in (b"e_1", b"/gateway", b"12:34", b"foldline") if word in document]
    assert read_document(document, HERE) == (ENVELOPE, BODY)


@pytest.mark.parametrize(
    "follows",
    [
        EventDefaults("import.1", ENVELOPE.time),
        EventDefaults("e_1", "2025-01-31T12:34:56.000Z"),
        EventDefaults("e_1", ENVELOPE.time, cause=7),
        EventDefaults("e_1", ENVELOPE.time, cause=8),
        EventDefaults(None, ENVELOPE.time, cause=9, body=lambda: BODY),
    ],
)
@pytest.mark.parametrize(
    "envelope",
    [
        ENVELOPE,
        Envelope("e_1", type_of(UserMessage), "/engine", "2026-01-31T12:34:56+02:00", prev=8),
        Envelope("e_1", type_of(UserMessage), "/gateway", "2026-01-31T12:34:56.000Z", Actor.USER, 7),
        Envelope("e_1", type_of(UserMessage), "/gateway", "2026-01-31T12:34:56.000Z", Actor.USER, 7, 7),
        Envelope("e_1", type_of(UserMessage), "/gateway", "2026-01-31T12:34:56.000Z", Actor.USER),
    ],
)
def test_what_is_left_out_is_found_again(envelope: Envelope, follows: EventDefaults) -> None:
    assert read_document(write_document(envelope, BODY, follows), follows) == (envelope, BODY)


def test_an_event_as_it_usually_is_costs_nothing_beside_its_own() -> None:
    usual = Envelope("e_1", type_of(UserMessage), "/gateway", ENVELOPE.time, Actor.USER)
    assert write_document(usual, BODY, HERE) == b'{"type":"user_message","text":"hi"}'
    assert write_document(usual, BODY, EventDefaults("e_1", ENVELOPE.time, body=lambda: BODY)) == b"{}"


@pytest.mark.parametrize("text", ["hi", '"tool_calls":[{"call_id":"m000001-00",', ""])
@pytest.mark.parametrize("ids", [(), ("m000001-00",), ("m000001-00", "m000001-01"), ("other",), ("",)])
def test_the_ids_of_an_answer_s_calls_follow_from_their_places(text: str, ids: tuple[str, ...]) -> None:
    arguments = {"tool_calls": [{"call_id": "m000001-00", "a": text}], "call_id": "m000001-01"}
    calls = tuple(ResolvedCall(CallId(one), "p", "t", arguments) for one in ids)
    answer = ModelCallCompleted(CallId("m000001"), text, Usage(1, 2), "m", tool_calls=calls, cut="stopped")
    envelope = Envelope("e_1", type_of(answer), "/model-caller", ENVELOPE.time, Actor.AGENT)
    document = write_document(envelope, encode(answer), HERE)
    assert read_document(document, HERE) == (envelope, encode(answer))
    ours = [index for index, one in enumerate(ids) if one == f"m000001-{index:02d}"]
    assert len(encode(answer)) - len(document) == len("foldline.session..v1") + len(ours) * 23


@pytest.mark.parametrize(
    "time", ["2026-01-31T12:34:56.789Z", "2026-01-31T12:34:56Z", "2026-01-31T12:34:56.789123+05:30"]
)
def test_records_are_written_and_taken_apart(time: str) -> None:
    documents = [write_document(ENVELOPE, BODY, HERE), b"{}"]
    assert read_record(write_record(time, documents)) == (time, documents)


@pytest.mark.parametrize(
    "record",
    [b"", b"[]", b"{}", b"[", b"[1]", b'["x",{}]', b'["2026-01-31T12:34:56",{}]', b"[%d,{}]" % 10**18],
)
def test_a_broken_record_is_permanent(record: bytes) -> None:
    with pytest.raises(Permanent, match="envelope"):
        read_record(record)


def test_the_envelope_survives_the_door() -> None:
    attributes = to_cloud_event(ENVELOPE, "s_1")
    assert (attributes["ce-specversion"], attributes["ce-subject"]) == ("1.0", "s_1")
    assert from_cloud_event(attributes) == ENVELOPE


@pytest.mark.parametrize("broken", [{"ce-id": None}, {"ce-prev": "x"}, {"ce-actor": "dog"}])
def test_a_broken_cloud_event_is_permanent(broken: dict[str, str | None]) -> None:
    attributes = to_cloud_event(ENVELOPE, "s_1") | broken
    with pytest.raises(Permanent, match="CloudEvent"):
        from_cloud_event({name: value for name, value in attributes.items() if value is not None})


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"{}",
        b'{"by":"/gateway"}',
        b'{"type":"foldline.agent.entity_written.v1"}',
        b'{"event":{"type":"foldline.agent.entity_written.v1"}}',
        b'{"by":"/gateway","at":"yesterday","event":{"type":"x"}}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56","event":{"type":"x"}}',
        b'{"by":"/gateway","event":{}}',
        b'{"by":"/gateway","event":[]}',
        b'{"by":"/gateway","actor":"dog","event":{"type":"x"}}',
        b'{"by":"/gateway","prev":-1,"event":{"type":"x"}}',
        b'{"by":"\\u0001","event":{"type":"x"}}',
    ],
)
def test_a_broken_document_is_permanent(document: bytes) -> None:
    with pytest.raises(Permanent, match="envelope"):
        read_document(document, HERE)


@given(st.text("019eE+.x", max_size=30))
def test_numbers_that_may_be_too_large_are_found_wherever_they_stand(text: str) -> None:
    looked_at = re.search(r"\d{19}|[eE]\+?\d{3}", text) is not None
    assert may_have_long_number(text.encode()) == looked_at


def test_a_number_that_nobody_can_hold_is_refused_where_the_type_does_not_look() -> None:
    body = b'{"type":"foldline.session.user_message.v1","text":"hi","mood":%s}'
    with pytest.raises(Permanent):
        decode(type_of(UserMessage), body % b"1E999")
    decode(type_of(UserMessage), body % b"1E9")
