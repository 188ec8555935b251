"""What services that people add ask of Foldline, over HTTP."""

import json

import pytest
from pydantic import SecretStr

from agent_contracts.errors import Rejected, Transient
from egress.foldline_api import FoldlineApi
from egress.settings import ApiSettings
from foldline_testing.egress.web import answered, local_server

TOKEN = SecretStr("a-token-of-the-person")


def answer(request: str) -> bytes:
    if request.startswith("GET /api/v1/sessions/s1?at=5 "):
        return answered(b'{"title": "Teapots"}')
    if request.startswith("POST "):
        problem = {"kind": "session_closed", "detail": "It is archived"}
        return answered(json.dumps(problem).encode(), status=409)
    if request.startswith("DELETE "):
        return answered(status=204)
    return answered(b"<p>not now</p>", status=503)


async def test_it_is_asked_with_the_token_and_refuses_in_the_gateways_words() -> None:
    async with local_server(answer) as server:
        settings = ApiSettings(port=server.port, token=TOKEN)
        async with FoldlineApi(settings) as foldline:
            assert await foldline.get("/sessions/s1", at=5) == {"title": "Teapots"}
            assert await foldline.delete("/sessions/s1") is None
            with pytest.raises(Rejected, match="It is archived") as refused:
                await foldline.post("/sessions/s1/messages", {"content": "hello"})
            with pytest.raises(Transient, match="503"):
                await foldline.put("/sessions/s1", {})
    assert refused.value.kind == "session_closed"
    assert "Authorization: Bearer a-token-of-the-person" in server.seen[0]
    async with FoldlineApi(settings) as foldline:
        with pytest.raises(Transient, match="no answer"):
            await foldline.patch("/sessions/s1", {"title": "x"})


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8420"),
        ("::1", "http://[::1]:8420"),
        ("10.0.0.7", "http://10.0.0.7:8420"),
    ],
)
def test_it_is_found_where_the_gateway_listens(host: str, url: str) -> None:
    assert ApiSettings(host=host).api_url == url
