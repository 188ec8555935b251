"""An agent's state, as a person reads and changes it."""

from typing import Any
from urllib.parse import quote

import pytest
from httpx import Response

from agent_contracts.entities.entity import EntityKind
from agent_platform.entities.entity import EntityKey
from foldline_testing.gateway.running import AGENT, RunningGateway


class State:
    """The default agent's state over HTTP."""

    def __init__(self, gateway: RunningGateway) -> None:
        self.gateway = gateway

    async def __call__(self, method: str, key: str, rest: str = "", **request: Any) -> Response:
        path = f"/api/v1/agents/default/state/{quote(key, safe='')}{rest}"
        return await self.gateway.client.request(method, path, **request)

    async def put(self, key: str, value: Any, **more: Any) -> Any:
        """Store; what is answered."""
        answer = await self("PUT", key, json={"value": value, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def keys(self, **params: Any) -> list[str]:
        """Every key."""
        answer = await self.gateway.client.get("/api/v1/agents/default/state", params=params)
        return [one["key"] for one in answer.json()["items"]]


@pytest.fixture
def state(gateway: RunningGateway) -> State:
    return State(gateway)


def problem(answer: Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["kind"]


async def test_a_value_is_stored_read_and_deleted(state: State) -> None:
    stored = await state.put("k", {"n": [1, 2.5, None]})
    assert (stored["key"], stored["value"], stored["version"]) == ("k", {"n": [1, 2.5, None]}, 1)
    assert (await state("GET", "k")).json() == stored
    assert (await state.put("k", None))["version"] == 2
    assert (await state("GET", "k")).json()["value"] is None
    deleted = (await state("DELETE", "k")).json()
    assert deleted == {"deleted": True, "sequence": 3}
    assert (await state("DELETE", "k")).json() == {"deleted": False, "sequence": None}
    assert problem(await state("GET", "k")) == (404, "not_found")


STRANGE = ["a b", "a/b", "/", "a/versions", "a/revert", "a%2Fb", "a.>*", "~YQ", "å🙂", "?x=1#y", "x" * 256]
LIKE_VERBS = ["a:revert", ":revert", "a:revert:revert", "a/b:revert", "a%3Arevert", ":"]


@pytest.mark.parametrize("key", [*STRANGE, *LIKE_VERBS])
async def test_a_key_may_be_any_text(state: State, key: str) -> None:
    await state.put("a", "another")
    assert (await state.put(key, 1))["key"] == key
    assert (await state("GET", key)).json()["value"] == 1
    assert (await state("GET", key, "/versions/1")).json()["value"] == 1
    await state.put(key, 2)
    back = (await state("POST", key, ":revert", json={"version": 1})).json()
    assert (back["key"], back["value"], back["version"]) == (key, 1, 3)
    assert await state.keys() == sorted({"a", key})
    stored = await state.gateway.entities.current(EntityKey(AGENT, EntityKind.STATE, key))
    assert stored is not None
    assert stored.value == 1
    assert (await state("DELETE", key)).json()["deleted"]


async def test_a_name_like_a_verb_may_come_as_it_is(state: State) -> None:
    await state.put("a:revert", 1)
    path = "/api/v1/agents/default/state/a:revert"
    assert (await state.gateway.client.get(path)).json()["value"] == 1
    await state.gateway.client.put(path, json={"value": 2})
    back = await state.gateway.client.post(f"{path}:revert", json={"version": 1})
    assert (back.json()["key"], back.json()["value"]) == ("a:revert", 1)
    assert problem(await state.gateway.client.post(path, json={"version": 1})) == (404, "not_found")


@pytest.mark.parametrize("path", ["x" * 257, "a%00b", "a%0Ab", "a%2Fb%00", "%C2%85"])
async def test_a_key_that_is_none_is_refused(state: State, path: str) -> None:
    answer = await state.gateway.client.get(f"/api/v1/agents/default/state/{path}")
    assert problem(answer) == (422, "invalid_request")


async def test_a_key_that_is_no_text_is_refused(state: State) -> None:
    for path in ("%FF", "%2F%FF"):
        answer = await state.gateway.client.get(f"/api/v1/agents/default/state/{path}")
        assert problem(answer) == (422, "bad_text")


async def test_keys_are_listed_by_prefix_and_as_of_an_event(state: State) -> None:
    for key in ("b", "a1", "a2"):
        await state.put(key, key)
    await state("DELETE", "b")
    assert await state.keys() == ["a1", "a2"]
    assert await state.keys(prefix="a2") == ["a2"]
    assert await state.keys(at=2) == ["a1", "b"]
    assert (await state("GET", "b", "?at=3")).json()["value"] == "b"
    assert problem(await state("GET", "b", "?at=4")) == (404, "not_found")


async def test_the_same_value_again_makes_no_version_but_another_type_does(state: State) -> None:
    first = await state.put("k", 1)
    assert await state.put("k", 1) == first
    assert (await state.put("k", True))["version"] == 2
    assert (await state.put("k", 1.0))["version"] == 3


async def test_a_write_onto_another_version_is_a_conflict(state: State) -> None:
    await state.put("k", 1, version=0)
    assert problem(await state("PUT", "k", json={"value": 2, "version": 0})) == (409, "conflict")
    assert (await state.put("k", 2, version=1))["version"] == 2


async def test_a_deleted_key_is_reverted_to_any_value_it_had(state: State) -> None:
    first = await state.put("k", "first")
    await state.put("k", "second")
    await state("DELETE", "k")
    again = (await state("POST", "k", ":revert", json={"version": 2})).json()
    assert (again["value"], again["version"]) == ("second", 1)
    assert (await state("GET", "k", "/versions/1")).json()["value"] == "second"
    older = (await state("POST", "k", ":revert", json={"sequence": first["sequence"]})).json()
    assert (older["value"], older["version"]) == ("first", 2)
    versions = (await state("GET", "k", "/versions")).json()["items"]
    assert [(one["version"], one["deleted"]) for one in versions] == [
        (2, False),
        (1, False),
        (None, True),
        (2, False),
        (1, False),
    ]


async def test_a_repeated_write_or_deletion_happens_once(state: State) -> None:
    headers = {"Idempotency-Key": "k"}
    first = await state("PUT", "k", json={"value": 1}, headers=headers)
    deleted = await state("DELETE", "k", headers=headers)
    assert deleted.json()["deleted"]
    await state.put("k", 2)
    assert (await state("PUT", "k", json={"value": 1}, headers=headers)).text == first.text
    assert (await state("DELETE", "k", headers=headers)).text == deleted.text
    answer = await state("PUT", "k", json={"value": 3}, headers=headers)
    assert problem(answer) == (422, "idempotency_mismatch")
    assert (await state("GET", "k")).json()["value"] == 2


async def test_a_value_of_a_mebibyte_fits_and_no_larger_one(state: State) -> None:
    largest = "x" * (1024 * 1024 - 2)
    assert (await state.put("k", largest))["version"] == 1
    assert problem(await state("PUT", "k", json={"value": largest + "x"})) == (413, "too_large")
    assert problem(await state("PUT", "k", json={})) == (422, "invalid_request")
