"""U+2028, U+2029 and U+0085 end a line for readers of lines: they leave escaped, by every door."""

import json

import httpx

from agent_contracts.sessions.session_file import read
from foldline_testing.gateway.running import RunningGateway

SAID = "one\u2028two\u2029three\x85four €"
BASE = "/api/v1"


async def sse_lines(gateway: RunningGateway, wanted: str) -> list[str]:
    """The lines of the stream as httpx cuts them, up to the one that holds this."""
    lines = []
    async with gateway.client.stream("GET", f"{BASE}/events", params={"after": 0}) as stream:
        async for line in stream.aiter_lines():
            lines.append(line)
            if wanted in line:
                break
    return lines


async def test_events_answers_exports_and_problems_are_one_line_each(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    body = {"text": SAID}
    sent = await gateway.client.post(f"{BASE}/sessions/{session}/messages", json=body)
    assert sent.status_code == 202, sent.text
    lines = await sse_lines(gateway, "four")
    told = next(line for line in lines if "four" in line)
    assert json.loads(told.removeprefix("data: "))["body"]["text"] == SAID
    exported = await gateway.client.get(f"{BASE}/sessions/{session}/export")
    rows = [json.loads(line) for line in exported.text.splitlines()]
    assert any(SAID in json.dumps(row, ensure_ascii=False) for row in rows)
    assert len(read(exported.content).events) == 2, "the file is as its hash says"
    made = await gateway.client.post(f"{BASE}/agents", json={"name": SAID})
    listed = await gateway.client.get(f"{BASE}/agents")
    for answer in (made, listed):
        assert len(answer.text.splitlines()) == 1, answer.request.url
        assert SAID in json.dumps(answer.json(), ensure_ascii=False)
        assert int(answer.headers["content-length"]) == len(answer.content)


async def test_a_files_bytes_are_as_they_were_stored(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    content = json.dumps(SAID, ensure_ascii=False).encode()
    files = {"file": ("a.json", content, "application/json")}
    stored = await gateway.client.post(f"{BASE}/files", data={"session_id": session}, files=files)
    assert stored.status_code == 201, stored.text
    (file,) = stored.json()["items"]
    got = await gateway.client.get(f"{BASE}/files/{file['file_id']}/content")
    assert got.content == content


async def test_mcp_answers_are_one_line_each(gateway: RunningGateway) -> None:
    agent = (await gateway.client.post(f"{BASE}/agents", json={"name": "A"})).json()["id"]
    body = {"name": "reader", "agent_id": agent, "rights": ["read"]}
    token = await gateway.client.post(f"{BASE}/program-tokens", json=body)
    headers = {
        "authorization": f"Bearer {token.json()['token']}",
        "accept": "application/json, text/event-stream",
    }
    async with httpx.AsyncClient(base_url=gateway.url, headers=headers, timeout=20) as client:
        answer = await client.post("/mcp", json={"jsonrpc": "2.0", "id": SAID, "method": "ping"})
    (line,) = [line for line in answer.text.splitlines() if "four" in line]
    assert json.loads(line.removeprefix("data: "))["id"] == SAID, "the server says it back"
