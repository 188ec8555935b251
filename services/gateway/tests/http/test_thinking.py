"""All that a model thought before an answer, of which its event has both ends."""

import pytest

from agent_contracts.blob_ref import BlobRef
from agent_contracts.ids import CallId
from agent_contracts.session_events.results import ModelCallCompleted, Thinking, Usage
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from foldline_testing.gateway.running import RunningGateway
from gateway.http.sessions import messages

WHOLE = "hm, well… " * 5_000
SHOWN = 1_006
"""Bytes, of which the last two are the beginning of a character of three."""


async def answered(gateway: RunningGateway, session: str, thinking: Thinking | None, call: str = "m1") -> int:
    """The record of an answer before which this was thought."""
    said = ModelCallCompleted(CallId(call), "Paris.", Usage(1, 1), "openai/x", thinking=thinking)
    return await gateway.resulted(session, said)


async def test_all_of_a_long_thinking_is_read_and_downloaded(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await gateway.new_session()
    blob = await JetStreamBlobs(gateway.connection).put(WHOLE.encode(), "text/plain")
    answer = await answered(gateway, session, Thinking("hm […] well", whole=blob))
    path = f"/api/v1/sessions/{session}/messages/{answer}/thinking"
    shown = await gateway.client.get(path)
    assert (shown.status_code, shown.text) == (200, WHOLE)
    assert shown.headers["content-type"] == "text/plain; charset=utf-8"
    assert "sandbox" in shown.headers["content-security-policy"]
    monkeypatch.setattr(messages, "MOST_SHOWN", SHOWN)
    assert (await gateway.client.get(path)).content == WHOLE.encode()[: SHOWN - 2]
    whole = await gateway.client.get(path, params={"download": True})
    assert whole.text == WHOLE
    assert whole.headers["content-disposition"] == f'attachment; filename="thinking-{answer}.txt"'


async def test_a_short_thinking_is_read_from_its_event_and_none_is_not_found(gateway: RunningGateway) -> None:
    session, other = await gateway.new_session(), await gateway.new_session()
    short = await answered(gateway, session, Thinking("hm"))
    none = await answered(gateway, session, None, "m2")
    texts = await gateway.client.get(f"/api/v1/sessions/{session}/messages/{short}/thinking")
    assert texts.text == "hm"
    for owner, answer in [(session, none), (other, short), (session, 1), (session, 9_999), ("s_none", short)]:
        refused = await gateway.client.get(f"/api/v1/sessions/{owner}/messages/{answer}/thinking")
        assert (refused.status_code, refused.json()["kind"]) == (404, "not_found"), (owner, answer)
    for wrong in ("x", "1.x", "-1"):
        refused = await gateway.client.get(f"/api/v1/sessions/{session}/messages/{wrong}/thinking")
        assert refused.status_code == 422, wrong


async def test_a_thinking_whose_bytes_are_gone_is_a_problem_not_half_an_answer(
    gateway: RunningGateway,
) -> None:
    session = await gateway.new_session()
    gone = BlobRef("0" * 64, 40_000, "text/plain")
    answer = await answered(gateway, session, Thinking("hm […] well", whole=gone))
    refused = await gateway.client.get(f"/api/v1/sessions/{session}/messages/{answer}/thinking")
    assert refused.status_code == 404
    assert refused.headers["content-type"] == "application/problem+json"
