"""Settings: what counts, where it comes from, who may change it, and what is never told."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.model_tests import TEST_MODEL, ModelCheck, ModelTrial, ModelTried
from agent_platform.nats.connection import NatsConnection
from foldline_testing.gateway.running import RunningGateway, Start

OPENAI_KEY = "sk-never-to-be-seen-1234567890"


async def settings_of(gateway: RunningGateway, agent: str | None = None) -> dict[str, dict[str, Any]]:
    path = "/api/v1/settings" if agent is None else f"/api/v1/agents/{agent}/settings"
    answer = await gateway.client.get(path)
    assert answer.status_code == 200, answer.text
    return {one["name"]: one for one in answer.json()["items"]}


async def put(
    gateway: RunningGateway, values: Mapping[str, Any], agent: str | None = None, **more: Any
) -> Any:
    path = f"/api/v1/agents/{agent}/settings" if agent else "/api/v1/settings"
    return await gateway.client.patch(path, json={"values": values, **more})


async def test_what_nobody_set_comes_from_the_start(gateway: RunningGateway) -> None:
    limit = (await settings_of(gateway))["token_limit"]
    assert (limit["value"], limit["source"], limit["own"], limit["locked"]) == (
        1_000_000,
        "default",
        None,
        False,
    )
    assert limit["variable"] == "FOLDLINE_TOKEN_LIMIT"


async def test_an_agents_setting_comes_before_the_installations_and_a_reset_takes_it_back(
    gateway: RunningGateway,
) -> None:
    assert (await put(gateway, {"token_limit": 5_000})).status_code == 200
    assert (await put(gateway, {"token_limit": 700}, "default")).status_code == 200
    own, everyones = await settings_of(gateway, "default"), await settings_of(gateway)
    assert (own["token_limit"]["value"], own["token_limit"]["source"]) == (700, "agent")
    assert own["token_limit"]["below"] == {"value": 5_000, "is_set": True, "source": "installation"}
    assert (everyones["token_limit"]["value"], everyones["token_limit"]["source"]) == (5_000, "installation")
    assert everyones["token_limit"]["own"]["version"] == 1
    assert everyones["token_limit"]["own"]["actor"] == "user"
    await put(gateway, {"token_limit": None}, "default")
    own = await settings_of(gateway, "default")
    assert (own["token_limit"]["value"], own["token_limit"]["own"]) == (5_000, None)


async def test_a_new_session_gets_the_limits_that_hold_at_that_moment(gateway: RunningGateway) -> None:
    before = await gateway.stored(await gateway.new_session())
    await put(gateway, {"token_limit": 4_321, "child_count": 2, "retry_delays": "never"})
    after = await gateway.stored(await gateway.new_session())
    assert b"4321" in after[0].data
    assert b"4321" not in before[0].data


async def test_what_the_environment_says_is_locked_and_says_by_what(start: Start) -> None:
    port = {"value": "8420", "source": "toml /etc/foldline.toml", "meaning": "the port"}
    limit_row = {"value": "9000", "source": "env FOLDLINE_TOKEN_LIMIT", "meaning": "tokens"}
    key_row = {"value": "••••••", "source": "env OPENAI_API_KEY", "meaning": "key"}
    rows = [
        {"name": "FOLDLINE_TOKEN_LIMIT", **limit_row},
        {"name": "FOLDLINE_PORT", **port},
        {"name": "OPENAI_API_KEY", **key_row},
    ]
    declared = msgspec.json.encode(rows).decode()
    told = {"token_limit": 9_000, "locked": "token_limit,openai_api_key", "declared": declared}
    gateway = await start(told=told)
    found = await settings_of(gateway)
    limit, key = found["token_limit"], found["openai_api_key"]
    assert (limit["value"], limit["source"], limit["locked"]) == (9_000, "environment", True)
    assert limit["origin"] == "FOLDLINE_TOKEN_LIMIT"
    assert (key["value"], key["is_set"], key["source"]) == (None, True, "environment")
    refused = await put(gateway, {"token_limit": 1, "child_count": 2})
    assert (refused.status_code, refused.json()["path"]) == (409, "/values/token_limit")
    assert "FOLDLINE_TOKEN_LIMIT" in refused.json()["detail"]
    assert (await settings_of(gateway))["child_count"]["own"] is None, "all or none"
    operator = (await gateway.client.get("/api/v1/settings")).json()["operator"]
    assert operator == [{"variable": "FOLDLINE_PORT", **port}]


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"token_limit": 0}, "/values/token_limit"),
        ({"token_limit": True}, "/values/token_limit"),
        ({"token_limit": "many"}, "/values/token_limit"),
        ({"token_limit": 10**15}, "/values/token_limit"),
        ({"child_timeout": 10**15}, "/values/child_timeout"),
        ({"model": "a b\n"}, "/values/model"),
        ({"model": "x" * 201}, "/values/model"),
        ({"model_base_url": "ftp://x"}, "/values/model_base_url"),
        ({"timezone": "Mars/Olympus"}, "/values/timezone"),
        ({"tools": "some"}, "/values/tools"),
        ({"prices": {"openai/x": {"input": -1, "output": 1}}}, "/values/prices/openai~1x/input"),
        ({"prices": {"openai/x": {"input": 1}}}, "/values/prices/openai~1x/output"),
        ({"openai_api_key": "with a blank"}, "/values/openai_api_key"),
        ({"nothing_of_ours": 1}, "/values/nothing_of_ours"),
        ({"port": 1}, "/values/port"),
    ],
)
async def test_a_wrong_value_is_refused_with_its_path_and_a_sentence(
    gateway: RunningGateway, values: dict[str, Any], path: str
) -> None:
    answer = await put(gateway, {"child_count": 4, **values})
    assert answer.status_code == 422
    assert answer.json().get("path") == path
    assert answer.json()["detail"][0].isalpha()
    assert await gateway.log.last_sequence() == 0, "nothing is written"


async def test_several_are_written_in_one_record(gateway: RunningGateway) -> None:
    before = await gateway.log.last_sequence()
    await put(
        gateway, {"model": "openai/x", "model_base_url": "http://127.0.0.1:1/v1", "model_low": "openai/y"}
    )
    stored = [one async for one in gateway.log.read(f"agt.{SYSTEM_AGENT}.>", after=before)]
    assert len(stored) == 3
    found = await settings_of(gateway)
    assert found["model"]["own"]["sequence"] is not None
    await put(gateway, {"model": "openai/x", "model_low": "openai/y"})
    assert len([one async for one in gateway.log.read(f"agt.{SYSTEM_AGENT}.>")]) == 3, (
        "the same makes no version"
    )


async def test_an_empty_text_sets_nothing_whatever_stands_below(start: Start) -> None:
    gateway = await start(told={"model": "openai/x", "model_base_url": "http://127.0.0.1:1/v1"})
    assert (await put(gateway, {"model_base_url": ""})).status_code == 200
    url = (await settings_of(gateway))["model_base_url"]
    assert (url["value"], url["source"], url["own"]["value"]) == (None, "installation", "")
    assert url["below"]["value"] == "http://127.0.0.1:1/v1"
    assert (await put(gateway, {"token_limit": ""})).status_code == 422


async def test_one_that_was_changed_meanwhile_is_not_overwritten(gateway: RunningGateway) -> None:
    await put(gateway, {"token_limit": 10})
    taken = await put(gateway, {"token_limit": 20, "child_count": 5}, versions={"token_limit": 0})
    assert (taken.status_code, taken.json()["path"]) == (409, "/values/token_limit")
    assert (await put(gateway, {"token_limit": 20}, versions={"token_limit": 1})).status_code == 200


async def test_a_setting_has_versions_and_goes_back_to_one(gateway: RunningGateway) -> None:
    for limit in (10, 20, None, 30):
        await put(gateway, {"token_limit": limit})
    page = (await gateway.client.get("/api/v1/settings/token_limit/versions")).json()
    assert [one["deleted"] for one in page["items"]] == [False, True, False, False]
    first = page["items"][-1]["sequence"]
    back = await gateway.client.post("/api/v1/settings/token_limit:revert", json={"sequence": first})
    assert back.status_code == 200
    assert (await settings_of(gateway))["token_limit"]["value"] == 10


async def test_a_key_is_kept_and_never_told(gateway: RunningGateway) -> None:
    assert (await put(gateway, {"openai_api_key": f" {OPENAI_KEY}\n"})).status_code == 200
    key = (await settings_of(gateway))["openai_api_key"]
    assert (key["value"], key["is_set"], key["source"], key["own"]["value"]) == (
        None,
        True,
        "installation",
        None,
    )
    assert await gateway.vault.get(SYSTEM_AGENT, "openai_api_key") == OPENAI_KEY
    stored = [one.data async for one in gateway.log.read(">")]
    assert not any(OPENAI_KEY.encode() in data for data in stored)
    back = await gateway.client.post("/api/v1/settings/openai_api_key:revert", json={"version": 1})
    assert back.status_code == 422
    assert (await put(gateway, {"openai_api_key": None})).status_code == 200
    assert (await settings_of(gateway))["openai_api_key"]["is_set"] is False


async def test_the_reserved_agent_is_none(gateway: RunningGateway) -> None:
    await put(gateway, {"token_limit": 10})
    client, agent = gateway.client, SYSTEM_AGENT
    assert (await client.get(f"/api/v1/agents/{agent}")).status_code == 404
    assert (await client.get(f"/api/v1/agents/{agent}/settings")).status_code == 404
    assert (await client.post("/api/v1/sessions", json={"agent_id": agent})).status_code == 404
    assert (await client.delete(f"/api/v1/agents/{agent}")).status_code == 404
    assert (await client.put(f"/api/v1/agents/{agent}/state/x", json={"value": 1})).status_code == 404
    made = await client.post("/api/v1/agents", json={"name": "Mine", "id": agent})
    assert (made.status_code, made.json()["kind"]) == (422, "invalid_id")
    assert agent not in [one["id"] for one in (await client.get("/api/v1/agents")).json()["items"]]
    assert (await settings_of(gateway))["token_limit"]["value"] == 10


async def answering(connection: NatsConnection, tested: ModelTried) -> list[ModelTrial]:
    asked: list[ModelTrial] = []

    async def answer(message: Any) -> None:
        asked.append(msgspec.json.decode(message.data, type=ModelTrial))
        await connection.publish(message.reply, msgspec.json.encode(tested))

    await connection.subscribe(query_subject(TEST_MODEL), answer)
    return asked


async def test_a_model_is_tested_by_values_that_are_not_stored(gateway: RunningGateway) -> None:
    asked = await answering(gateway.connection, ModelTried("openai/x", said="ok", ms=12))
    body = {"level": "low", "values": {"model_low": "openai/x", "openai_api_key": OPENAI_KEY}}
    answer = await gateway.client.post("/api/v1/settings:test-model", json=body)
    assert answer.json()["ok"] is True
    assert (answer.json()["model"], answer.json()["said"], answer.json()["ms"]) == ("openai/x", "ok", 12)
    assert asked[0].values == {"model_low": "openai/x"}
    sealed = asked[0].sealed["openai_api_key"]
    assert OPENAI_KEY.encode() not in sealed
    assert gateway.vault.opened(SYSTEM_AGENT, "openai_api_key", sealed) == OPENAI_KEY
    assert await gateway.log.last_sequence() == 0


async def test_checks_of_a_model_and_its_server_s_models_can_be_asked_for(
    gateway: RunningGateway,
) -> None:
    check = ModelCheck("tool call", ok=False, needed=True, words="no call")
    tried = ModelTried("openai/x", problem="tool call: no call", checks=(check,), models=("openai/x",))
    asked = await answering(gateway.connection, tried)
    for wants in ("checks", "list"):
        body = {"values": {"model": "openai/x"}, "wants": wants}
        answer = (await gateway.client.post("/api/v1/settings:test-model", json=body)).json()
        assert answer["ok"] is False
        assert answer["checks"] == [{"name": "tool call", "ok": False, "needed": True, "words": "no call"}]
        assert answer["models"] == ["openai/x"]
    assert [one.wants for one in asked] == ["checks", "list"]


async def test_without_a_model_caller_a_test_says_that_nothing_was_changed(gateway: RunningGateway) -> None:
    answer = await gateway.client.post("/api/v1/settings:test-model", json={})
    assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
    assert "Nothing was changed" in answer.json()["detail"]


async def test_settings_are_not_told_without_the_token(gateway: RunningGateway) -> None:
    answer = await gateway.client.get("/api/v1/settings", headers={"Authorization": ""})
    assert answer.status_code == 401
