"""Bytes to events and back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.cloud_events import from_cloud_event, to_cloud_event
from agent_contracts.codec import UnknownEventType, decode, encode, may_have_long_number, type_of
from agent_contracts.envelope import (
    Actor,
    Envelope,
    join_documents,
    read_document,
    split_documents,
    write_document,
)
from agent_contracts.errors import Permanent
from agent_contracts.ids import CallId
from agent_contracts.session_events.inputs import ToolResponse, UserMessage

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


def test_an_event_s_document_says_nothing_twice_and_reads_back() -> None:
    document = write_document(ENVELOPE, BODY, "e_1")
    assert b"e_1" not in document
    assert document.count(type_of(UserMessage).encode()) == 1
    assert read_document(document, "e_1") == (ENVELOPE, BODY)


def test_an_id_that_is_not_the_message_s_is_in_the_document() -> None:
    assert read_document(write_document(ENVELOPE, BODY, "import.1"), "import.1") == (ENVELOPE, BODY)


def test_a_short_event_costs_few_bytes_beside_its_own() -> None:
    short = Envelope("e_1", type_of(UserMessage), "/gateway", "2026-01-31T12:34:56.000Z", Actor.USER, prev=8)
    assert len(write_document(short, BODY, "e_1")) - len(BODY) < 100


def test_documents_are_joined_and_taken_apart() -> None:
    documents = [write_document(ENVELOPE, BODY, "e_1"), write_document(ENVELOPE, BODY, "e_2")]
    assert split_documents(join_documents(documents)) == documents
    assert split_documents(join_documents(documents[:1])) == documents[:1]


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
        b'{"by":"/gateway","at":"2026-01-31T12:34:56Z"}',
        b'{"by":"/gateway","at":"yesterday","event":{"type":"x"}}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56","event":{"type":"x"}}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56Z","event":{}}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56Z","event":[]}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56Z","actor":"dog","event":{"type":"x"}}',
        b'{"by":"/gateway","at":"2026-01-31T12:34:56Z","prev":-1,"event":{"type":"x"}}',
        b'{"by":"\\u0001","at":"2026-01-31T12:34:56Z","event":{"type":"x"}}',
    ],
)
def test_a_broken_document_is_permanent(document: bytes) -> None:
    with pytest.raises(Permanent, match="envelope"):
        read_document(document, "e_1")


@given(st.text("019eE+.x", max_size=30))
def test_numbers_that_may_be_too_large_are_found_wherever_they_stand(text: str) -> None:
    looked_at = re.search(r"\d{19}|[eE]\+?\d{3}", text) is not None
    assert may_have_long_number(text.encode()) == looked_at


def test_a_number_that_nobody_can_hold_is_refused_where_the_type_does_not_look() -> None:
    body = b'{"type":"foldline.session.user_message.v1","text":"hi","mood":%s}'
    with pytest.raises(Permanent):
        decode(type_of(UserMessage), body % b"1E999")
    decode(type_of(UserMessage), body % b"1E9")
