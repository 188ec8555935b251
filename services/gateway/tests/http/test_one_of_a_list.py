"""What is deleted at a path can be read there, as its list shows it."""

import pytest

from foldline_testing.gateway.running import RunningGateway

API = "/api/v1"


@pytest.mark.parametrize(
    ("path", "method", "below", "body", "key"),
    [
        ("/agents/default/secrets", "PUT", "/KEY", {"value": "s3cr3t-value", "hosts": ["a.example"]}, "name"),
        ("/program-tokens", "POST", "", {"name": "desk", "agent_id": None, "rights": ["read"]}, "name"),
        ("/wake-credentials", "POST", "", {"name": "nats"}, "name"),
    ],
)
async def test_one_is_read_as_it_is_listed_and_not_found_once_it_is_deleted(
    gateway: RunningGateway, path: str, method: str, below: str, body: dict[str, object], key: str
) -> None:
    client = gateway.client
    await gateway.agents.make_default()
    made = await client.request(method, f"{API}{path}{below}", json=body)
    assert made.is_success, made.text
    [listed] = (await client.get(f"{API}{path}")).json()["items"]
    one = f"{API}{path}/{listed[key]}"
    assert (await client.get(one)).json() == listed
    assert (await client.delete(one)).is_success
    gone = await client.get(one)
    assert (gone.status_code, gone.json()["kind"]) == (404, "not_found")


async def test_what_nobody_has_is_not_found(gateway: RunningGateway) -> None:
    await gateway.agents.make_default()
    for path in (
        f"/logins/{'0' * 32}",
        f"/model-adaptations/{'0' * 20}",
        "/agents/default/site-logins/a.example",
        "/agents/default/reminders/r_1",
    ):
        answer = await gateway.client.get(f"{API}{path}")
        assert (answer.status_code, answer.json()["kind"]) == (404, "not_found"), path
