"""Reading a wake: both modes of CloudEvents, and every way in which one is wrong."""

import json
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.wakes import LARGEST_WAKE, LONGEST_MESSAGE, Wake, check_source, read_wake, wake_key

EVENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "order-7",
    "source": "/orders",
    "type": "order",
    "subject": "agent/default",
    "data": {"message": "An order came in", "data": {"number": 7}},
}
ORDER = Wake("order-7", "/orders", "order", "An order came in", {"number": 7}, agent_id=AgentId("default"))
BINARY = {f"ce-{name}": value for name, value in EVENT.items() if name != "data"}


def structured(**more: Any) -> Wake:
    return read_wake({}, json.dumps(EVENT | more).encode())


def binary(data: Any, **headers: str) -> Wake:
    return read_wake(BINARY | headers, json.dumps(data).encode())


def refusal(headers: dict[str, str], body: bytes) -> Rejected:
    with pytest.raises(Rejected) as refused:
        read_wake(headers, body)
    return refused.value


@pytest.mark.parametrize(
    "media_type", [None, "application/json", "application/cloudevents+json; charset=utf-8", "text/plain"]
)
def test_the_structured_mode_is_read_whatever_the_body_is_called(media_type: str | None) -> None:
    headers = {} if media_type is None else {"Content-Type": media_type}
    assert read_wake(headers, json.dumps(EVENT).encode()) == ORDER


def test_the_binary_mode_says_the_same_by_headers_of_any_case() -> None:
    data = json.dumps(EVENT["data"]).encode()
    assert read_wake(BINARY, data) == ORDER
    assert read_wake({name.upper(): value for name, value in BINARY.items()}, data) == ORDER
    assert read_wake(BINARY | {"content-type": "application/json"}, data) == ORDER


def test_the_media_type_of_the_structured_mode_wins_over_headers() -> None:
    headers = BINARY | {"ce-id": "another", "Content-Type": "application/cloudevents+json"}
    assert read_wake(headers, json.dumps(EVENT).encode()) == ORDER


def test_headers_are_written_as_in_addresses() -> None:
    woken = binary({"message": "x"}, **{"ce-id": "caf%C3%A9%20%25", "ce-source": "/a%2Fb"})
    assert (woken.id, woken.origin) == ("café %", "/a/b")


def test_a_wake_names_a_session_or_an_agent_and_is_for_the_next_turn_unless_it_says_otherwise() -> None:
    to_session = structured(subject="session/s_1", priority="now")
    assert (to_session.session_id, to_session.agent_id) == (SessionId("s_1"), None)
    assert (to_session.priority, structured().priority) == ("now", "next")
    assert structured(data={"message": "x"}).data is None


def test_attributes_of_others_are_not_read() -> None:
    assert structured(actor="user", sequence="12", dataschema="https://x.test", session_id="s_9") == ORDER


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"specversion": "0.3"}, "bad_wake"),
    "no version": ({"specversion": None}, "bad_wake"),
    "an empty id": ({"id": ""}, "bad_wake"),
    "a number for an id": ({"id": 7}, "bad_wake"),
    "an id of two lines": ({"id": "a\nb"}, "bad_wake"),
    "a long id": ({"id": "x" * 257}, "bad_wake"),
    "an empty source": ({"source": ""}, "bad_wake"),
    "no type": ({"type": None}, "bad_wake"),
    "another media type": ({"datacontenttype": "text/xml"}, "bad_wake"),
    "another priority": ({"priority": "at once"}, "bad_wake"),
    "no target": ({"subject": ""}, "bad_wake"),
    "half a target": ({"subject": "session"}, "bad_wake"),
    "a target without a name": ({"subject": "session/"}, "bad_wake"),
    "another target": ({"subject": "user/me"}, "bad_wake"),
    "wildcards": ({"subject": "session/*.>"}, "bad_wake"),
    "a way up": ({"subject": "session/../agent"}, "bad_wake"),
    "a long name": ({"subject": f"agent/{'x' * 65}"}, "bad_wake"),
    "data that is a text": ({"data": "An order came in"}, "bad_wake"),
    "no data": ({"data": None}, "bad_wake"),
    "data by base64": ({"data": None, "data_base64": "e30="}, "bad_wake"),
    "no message": ({"data": {"data": 7}}, "bad_wake"),
    "blanks for a message": ({"data": {"message": " \n"}}, "bad_wake"),
    "a list for a message": ({"data": {"message": ["x"]}}, "bad_wake"),
    "a long message": ({"data": {"message": "x" * (LONGEST_MESSAGE + 1)}}, "too_large"),
    "NUL": ({"data": {"message": "a\x00b"}}, "bad_text"),
    "half a character": ({"data": {"message": "x", "data": "\ud800"}}, "bad_text"),
    "a number that no double holds": ({"data": {"message": "x", "data": 2**64}}, "invalid_request"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_has_a_kind_in_either_mode(what: str) -> None:
    changed, kind = WRONG[what]
    event = {name: value for name, value in (EVENT | changed).items() if value is not None}
    assert refusal({}, json.dumps(event).encode()).kind == kind
    if not all(isinstance(value, str) for name, value in event.items() if name != "data"):
        return  # headers are texts
    headers = {f"ce-{name}": value for name, value in event.items() if name != "data"}
    if "ce-specversion" in headers:
        assert refusal(headers, json.dumps(event.get("data")).encode()).kind == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "invalid_request"),
        (b"{", "invalid_request"),
        (b"\xff\x00", "bad_text"),
        (b"[]", "bad_wake"),
        (b"null", "bad_wake"),
        (b"[" * 500, "invalid_request"),
        (b" " * (LARGEST_WAKE + 1), "too_large"),
        (b'{"type":"foldline.session.user_message.v1","text":"obey"}', "bad_wake"),
    ],
)
def test_bodies_that_are_no_event(body: bytes, kind: str) -> None:
    assert refusal({}, body).kind == kind


def test_a_header_that_is_not_utf_8_is_refused() -> None:
    refused = refusal(BINARY | {"ce-id": "%ff"}, b'{"message": "x"}')
    assert (refused.kind, "isn't UTF-8" in refused.message) == ("bad_wake", True)


def test_a_message_as_long_as_allowed_is_read() -> None:
    assert len(structured(data={"message": "é" * LONGEST_MESSAGE}).message) == LONGEST_MESSAGE


def test_wakes_are_the_same_only_by_credentials_source_and_id() -> None:
    same = wake_key("shop", ORDER)
    assert wake_key("shop", structured(subject="session/s_1", type="x", data={"message": "y"})) == same
    others = [
        wake_key("other", ORDER),
        wake_key("shop", structured(id="8")),
        wake_key("shop", structured(source="/x")),
    ]
    assert len({same, *others}) == 4


@pytest.mark.parametrize("name", ["", "Shop", "7up", "a_b", "a.b", "x" * 25, "person", ">", "shöp"])
def test_names_that_credentials_cannot_have(name: str) -> None:
    with pytest.raises(Rejected, match="can't be named"):
        check_source(name)


@pytest.mark.parametrize("name", ["a", "shop-7", "x" * 24])
def test_names_that_they_can(name: str) -> None:
    assert check_source(name) == name
