"""Whom people let an agent hand work to: read, written, refused, reverted."""

from typing import Any

import pytest

from gateway.testing.running import RunningGateway

PATH = "/api/v1/agents/default/delegates"
SCOUT = {"name": "scout", "type": "a2a", "url": "https://scout.test/a2a", "secret": "SCOUT_TOKEN"}
MINI = {"name": "mini", "type": "openai", "url": "https://mini.test/v1", "model": "mini-1"}


async def test_delegates_are_written_as_a_whole_and_can_be_taken_back(gateway: RunningGateway) -> None:
    client = gateway.client
    assert (await client.get(PATH)).json()["delegates"] == []
    first = (await client.put(PATH, json={"delegates": [SCOUT, MINI]})).json()
    assert (first["delegates"], first["version"]) == ([SCOUT, MINI], 1)
    assert (await client.put(PATH, json={"delegates": [SCOUT, MINI]})).json()["version"] == 1
    second = await client.put(PATH, json={"delegates": [MINI], "version": 1})
    assert second.json()["delegates"] == [MINI]
    stale = await client.put(PATH, json={"delegates": [], "version": 1})
    assert (stale.status_code, stale.json()["kind"]) == (409, "conflict")
    back = (await client.post(f"{PATH}/revert", json={"version": 1})).json()
    assert (back["delegates"], back["version"]) == ([SCOUT, MINI], 3)
    assert [one["version"] for one in (await client.get(f"{PATH}/versions")).json()["versions"]] == [3, 2, 1]


@pytest.mark.parametrize(
    ("delegates", "path"),
    [
        ([{}], "/delegates/0"),
        ([SCOUT, {**MINI, "url": "file:///etc/passwd"}], "/delegates/1"),
        ([{**SCOUT, "type": "acp"}], "/delegates/0"),
        ([{**SCOUT, "name": "a b"}], "/delegates/0"),
        ([{**SCOUT, "secret": "hunter2"}], "/delegates/0"),
        ([{**SCOUT, "token": "x"}], "/delegates/0"),
        ([SCOUT, SCOUT], "/delegates/1/name"),
        ([{**MINI, "model": ""}], "/delegates/0/model"),
    ],
)
async def test_what_can_not_be_a_delegate_is_refused_by_its_path(
    gateway: RunningGateway, delegates: list[Any], path: str
) -> None:
    refused = await gateway.client.put(PATH, json={"delegates": delegates})
    assert (refused.status_code, refused.json()["path"]) == (422, path)
    assert (await gateway.client.get(PATH)).json()["delegates"] == []
