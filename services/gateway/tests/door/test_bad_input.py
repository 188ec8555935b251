"""Whatever comes in: a clear 4xx, nothing written, never a 5xx."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from foldline_testing.gateway.running import RunningGateway
from gateway.door.serving_options import ServingOptions

pytestmark = pytest.mark.asyncio(loop_scope="module")

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def gateway(shared_gateway: RunningGateway) -> RunningGateway:
    """Refusing leaves no trace, so all tests can ask the same one."""
    return shared_gateway


def raw(text: str) -> bytes:
    """A message's body with `text` as written, escapes and all."""
    return b'{"text": "%s"}' % text.encode()


async def problem_of(
    gateway: RunningGateway, status: int, kind: str, path: str, **request: Any
) -> dict[str, Any]:
    answer = await gateway.client.request(request.pop("method", "POST"), f"/api/v1{path}", **request)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), (
        answer.text
    )
    problem: dict[str, Any] = answer.json()
    assert (problem["kind"], problem["status"]) == (kind, status)
    assert problem["detail"]
    assert problem["title"]
    return problem


async def test_a_10_mb_message_is_too_large_and_the_next_one_arrives(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    await problem_of(
        gateway, 413, "too_large", f"/sessions/{session}/messages", json={"text": "x" * 10_000_000}
    )
    answer = await gateway.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "hello"})
    assert answer.status_code == 202
    assert len(await gateway.stored(session)) == 2


async def test_a_body_without_a_declared_length_is_capped_while_it_arrives(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'{"text": "'
        for _ in range(200):
            sent += 50_000
            yield b"x" * 50_000
        yield b'"}'

    path = f"/sessions/{session}/messages"
    await problem_of(gateway, 413, "too_large", path, content=endless(), headers=JSON)
    assert sent > ServingOptions().body_limit
    assert len(await gateway.stored(session)) == 1


@pytest.mark.parametrize("size", [1_000_001, 2_000_000])
async def test_a_message_has_at_most_a_million_characters(gateway: RunningGateway, size: int) -> None:
    session = await gateway.new_session()
    before = await gateway.log.last_sequence()
    await problem_of(gateway, 413, "too_large", f"/sessions/{session}/messages", json={"text": "x" * size})
    await problem_of(gateway, 413, "too_large", "/sessions", json={"message": "x" * size})
    assert await gateway.log.last_sequence() == before


async def test_a_million_characters_of_any_script_are_stored_whole(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    text = "語" * 999_999 + "!"
    body = json.dumps({"text": text}, ensure_ascii=False).encode()
    answer = await gateway.client.post(f"/api/v1/sessions/{session}/messages", content=body, headers=JSON)
    assert answer.status_code == 202
    stored = (await gateway.stored(session))[-1]
    assert json.loads(stored.data)["text"] == text


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud800", r"\udc00\ud800", r"ok \uD83D", "\\u0000"])
async def test_text_that_cannot_be_stored_is_refused_wherever_it_stands(
    gateway: RunningGateway, text: str
) -> None:
    session = await gateway.new_session()
    nested = b'{"call_id": "c", "response": {"a": [1, {"b": "%s"}]}}' % text.encode()
    name = b'{"call_id": "c", "response": {"a": [1, {"%s": 1}]}}' % text.encode()
    for path, body in [
        ("/messages", raw(text)),
        ("/tool-responses", nested),
        ("/tool-responses", name),
        (":continue", b'{"token_limit": 1, "%s": 1}' % text.encode()),
    ]:
        await problem_of(gateway, 422, "bad_text", f"/sessions/{session}{path}", content=body, headers=JSON)
    await problem_of(
        gateway, 422, "bad_text", "/sessions", content=b'{"message": "%s"}' % text.encode(), headers=JSON
    )
    assert len(await gateway.stored(session)) == 1


async def test_a_pair_of_surrogates_is_one_character(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    answer = await gateway.client.post(
        f"/api/v1/sessions/{session}/messages", content=raw(r"\ud83d\ude00"), headers=JSON
    )
    assert answer.status_code == 202
    assert json.loads((await gateway.stored(session))[-1].data)["text"] == "\U0001f600"


async def test_bytes_that_are_no_utf8_are_refused(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    for data in (b'{"text": "\xed\xa0\x80"}', b'{"text": "\xff"}', '{"text": "x"}'.encode("utf-16")):
        await problem_of(
            gateway, 422, "bad_text", f"/sessions/{session}/messages", content=data, headers=JSON
        )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"12",
        b'"text"',
        b'{"text": 1}',
        b'{"text": null}',
        b'{"text": ""}',
        b'{"text": "  \\n "}',
        b'{"txt": "x"}',
        b'{"text": "x", "more": 1}',
        b'{"text": "x", "files": ["nope"]}',
        b'{"text": "x", "files": "f"}',
        b'{"text": NaN}',
        b'{"text": "x"} trailing',
        b"[" * 100_000,
        b'{"text":' * 5_000 + b"1" + b"}" * 5_000,
    ],
)
async def test_a_body_that_is_not_what_the_route_takes_is_refused(
    gateway: RunningGateway, body: bytes
) -> None:
    session = await gateway.new_session()
    path = f"/sessions/{session}/messages"
    await problem_of(gateway, 422, "invalid_request", path, content=body, headers=JSON)
    assert len(await gateway.stored(session)) == 1


async def test_json_under_another_media_type_is_refused(gateway: RunningGateway) -> None:
    """A page of another site could send that without asking first."""
    session = await gateway.new_session()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        path, headers = f"/sessions/{session}/messages", {"Content-Type": kind}
        await problem_of(gateway, 422, "invalid_request", path, content=raw("x"), headers=headers)


async def test_numbers_that_not_everybody_can_hold_are_refused(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    for number in (b"1e999", b"-1e999", b"123456789012345678901234567890", b"9" * 5000):
        body = b'{"call_id": "c", "response": {"n": %s}}' % number
        path = f"/sessions/{session}/tool-responses"
        await problem_of(gateway, 422, "invalid_request", path, content=body, headers=JSON)


BAD_IDS = [
    "a.>",
    "*",
    ">",
    "a b",
    "%2E%2E",
    "a%00b",
    "é",
    "x" * 65,
    "ses.x",
    "$JS",
    "%F0%9F%98%80",
    "a%0D%0Ab",
]


@pytest.mark.parametrize("bad", BAD_IDS)
async def test_an_id_that_is_none_is_refused_before_it_reaches_a_subject(
    gateway: RunningGateway, bad: str
) -> None:
    session = await gateway.new_session()
    before = await gateway.log.last_sequence()
    for path in ("", "/messages", "/events", "/state", "/model-calls/1", "/calls/c"):
        await problem_of(gateway, 422, "invalid_id", f"/sessions/{bad}{path}", method="GET")
    for path in ("/messages", ":interrupt", ":retry", ":archive", ":continue", "/tool-responses"):
        body = {"text": "x"} if path == "/messages" else None
        answer = await gateway.client.post(f"/api/v1/sessions/{bad}{path}", json=body)
        assert (answer.status_code, answer.json()["kind"]) in [(422, "invalid_id"), (422, "invalid_request")]
    await problem_of(gateway, 422, "invalid_id", f"/sessions/{session}/calls/{bad}", method="GET")
    assert await gateway.log.last_sequence() == before


async def test_ids_in_queries_and_bodies_are_checked_too(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    for name in ("session_id", "agent_id"):
        await problem_of(gateway, 422, "invalid_id", "/events", method="GET", params={name: "a.>"})
    for name in ("agent_id", "parent_id"):
        await problem_of(gateway, 422, "invalid_id", "/sessions", method="GET", params={name: "*"})
    await problem_of(gateway, 422, "invalid_id", "/sessions", json={"agent_id": "a.>"})
    body = {"call_id": "a.>", "response": 1}
    await problem_of(gateway, 422, "invalid_id", f"/sessions/{session}/tool-responses", json=body)


async def test_an_unknown_session_is_not_found(gateway: RunningGateway) -> None:
    for path in ("", "/messages", "/events", "/state", "/model-calls/1", "/calls/c"):
        await problem_of(gateway, 404, "not_found", f"/sessions/s_nobody{path}", method="GET")
    for path, body in [
        ("messages", {"text": "x"}),
        ("tool-responses", {"call_id": "c", "response": 1}),
        ("interrupt", None),
        ("retry", None),
        ("archive", None),
        ("title", {"title": "x"}),
        ("continue", {"token_limit": 1}),
    ]:
        await problem_of(gateway, 404, "not_found", f"/sessions/s_nobody/{path}", json=body)
    await problem_of(gateway, 404, "not_found", "/events", method="GET", params={"session_id": "s_nobody"})


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/sessions", {"limit": "0"}),
        ("/sessions", {"limit": "x"}),
        ("/sessions", {"status": "sleeping"}),
        ("/sessions", {"cursor": "nonsense"}),
        ("/sessions", {"cursor": "eyJhIjoxfQ"}),
        ("/sessions", {"min_sequence": "-1"}),
        ("/sessions", {"min_sequence": "9" * 30}),
        ("/events", {"after": "-1"}),
        ("/events", {"after": "1e3"}),
        ("/events", {"after": "999999"}),
        ("/sessions/{s}/messages", {"before": "x"}),
        ("/sessions/{s}/events", {"cursor": "99999999999999999999"}),
        ("/sessions/{s}/state", {"at": "0"}),
        ("/sessions/{s}/model-calls/0", {}),
        ("/sessions/{s}/model-calls/a%20b", {}),
    ],
)
async def test_a_parameter_out_of_range_is_refused(
    gateway: RunningGateway, path: str, params: dict[str, str]
) -> None:
    session = await gateway.new_session()
    address = path.replace("{s}", session)
    await problem_of(gateway, 422, "invalid_request", address, method="GET", params=params)


async def test_a_null_character_in_a_query_is_refused(gateway: RunningGateway) -> None:
    await problem_of(gateway, 422, "bad_text", "/sessions?q=a%00b", method="GET")


async def test_the_router_answers_with_problems_too(gateway: RunningGateway) -> None:
    await problem_of(gateway, 404, "not_found", "/nothing/here", method="GET")
    await problem_of(gateway, 405, "method_not_allowed", "/sessions", method="DELETE")
    refused = await gateway.client.delete("/api/v1/sessions")
    assert {one.strip() for one in refused.headers["allow"].split(",")} >= {"GET"}, "what is possible is said"
    answer = await gateway.client.post("/")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_last_event_id_that_is_no_address_is_refused(gateway: RunningGateway) -> None:
    for value in ("x", "-1", "1.05", "1.2.3", "9" * 30, ""):
        headers = {"Last-Event-ID": value}
        await problem_of(gateway, 422, "invalid_request", "/events", method="GET", headers=headers)


async def test_an_idempotency_key_must_be_printable(gateway: RunningGateway) -> None:
    for value in ("", "x" * 256, "a\tb"):
        headers = {"Idempotency-Key": value}
        await problem_of(gateway, 422, "invalid_request", "/sessions", headers=headers, json={})


async def test_a_validation_problem_says_where_and_repeats_nothing(gateway: RunningGateway) -> None:
    secret = "very-private" * 10
    problem = await problem_of(gateway, 422, "invalid_request", "/sessions", json={"title": 5, "x": secret})
    assert {error["where"] for error in problem["errors"]} == {"body/title", "body/x"}
    assert secret not in json.dumps(problem)
