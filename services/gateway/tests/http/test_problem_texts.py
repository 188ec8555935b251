"""No problem that anybody is sent holds a secret, whoever wrote its words."""

import json
from typing import Any

import pytest

from agent_contracts.api.problems import Kind
from agent_contracts.errors import Permanent, Rejected, Transient
from agent_platform.secrecy.known_secrets import MASK
from gateway.http.wire.problems import ProblemError, from_failure, response

SECRET = "q8Zr-51kd_93LmQx"


def body_of(problem: ProblemError) -> dict[str, Any]:
    return dict(json.loads(bytes(response(problem).body)))


@pytest.mark.parametrize(
    "words",
    [
        f"Illegal header value b'Bearer {SECRET}'",
        f"{{'Authorization': '{SECRET}'}}",
        f"POST https://me:{SECRET}@a.test/ failed",
        f"GET https://a.test/cb?code={SECRET}&state=1 gave 400",
        f"Set-Cookie: {SECRET}",
    ],
)
def test_what_stands_where_secrets_do_is_taken_out_of_each_kind(words: str) -> None:
    """Nobody has told us of these: they come from libraries' exceptions."""
    for failure in (Rejected(words, path="/a"), Transient(words), Permanent(words)):
        body = body_of(from_failure(failure))
        assert SECRET not in json.dumps(body), body
        assert MASK in body["detail"]


def test_a_422_repeats_the_words_that_are_shown() -> None:
    body = body_of(from_failure(Rejected(f"Bearer {SECRET} is wrong", kind="invalid_request", path="/key")))
    assert body["errors"] == [{"where": "key", "message": body["detail"]}]
    assert (body["path"], body["detail"]) == ("/key", f"Bearer {MASK} is wrong")


def test_what_a_busy_or_overrun_server_says_has_a_time() -> None:
    for kind, after, header in (
        (Kind.UNAVAILABLE, 2.4, "2"),
        (Kind.RATE_LIMITED, 0.1, "1"),
        (Kind.PROJECTION_BEHIND, None, "1"),
        (Kind.INTERNAL, 5.0, None),
    ):
        assert response(ProblemError(kind, "no", retry_after=after)).headers.get("retry-after") == header
