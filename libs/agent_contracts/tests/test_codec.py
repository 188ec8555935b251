"""Bytes to events and back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.codec import UnknownEventType, decode, encode, may_have_long_number, type_of
from agent_contracts.envelope import Actor, Envelope, from_headers, to_headers
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


def test_the_envelope_survives_its_headers() -> None:
    envelope = Envelope(
        id="e_1",
        type=type_of(UserMessage),
        source="/gateway",
        subject="s_1",
        time="2026-01-31T12:34:56.000Z",
        actor=Actor.USER,
        causation=7,
        prev=8,
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    headers = to_headers(envelope)
    assert from_headers(headers) == envelope
    assert headers["Nats-Msg-Id"] == headers["ce-id"]
    assert headers["ce-specversion"] == "1.0"


@pytest.mark.parametrize("broken", [{"ce-id": None}, {"ce-prev": "x"}, {"ce-actor": "dog"}])
def test_a_broken_envelope_is_permanent(broken: dict[str, str | None]) -> None:
    headers = to_headers(Envelope("e", "t", "/s", "s", "2026-01-31T12:34:56.000Z")) | broken
    with pytest.raises(Permanent, match="envelope"):
        from_headers({name: value for name, value in headers.items() if value is not None})


@given(st.text("019eE+.x", max_size=30))
def test_numbers_that_may_be_too_large_are_found_wherever_they_stand(text: str) -> None:
    looked_at = re.search(r"\d{19}|[eE]\+?\d{3}", text) is not None
    assert may_have_long_number(text.encode()) == looked_at


def test_a_number_that_nobody_can_hold_is_refused_where_the_type_does_not_look() -> None:
    body = b'{"type":"foldline.session.user_message.v1","text":"hi","mood":%s}'
    with pytest.raises(Permanent):
        decode(type_of(UserMessage), body % b"1E999")
    decode(type_of(UserMessage), body % b"1E9")
