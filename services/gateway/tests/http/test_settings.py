"""A client learns what answers, and nothing that is secret."""

from agent_domain.sessions.beginning import Defaults
from gateway.testing.running import Start


async def test_a_client_learns_which_model_answers_and_how_much_it_may_use(start: Start) -> None:
    gateway = await start(model="openai/some-model", new_session=Defaults(token_limit=500))
    answer = await gateway.client.get("/api/v1/settings")
    assert answer.json() == {"model": "openai/some-model", "token_limit": 500}


async def test_settings_are_not_told_without_the_token(start: Start) -> None:
    gateway = await start()
    answer = await gateway.client.get("/api/v1/settings", headers={"Authorization": ""})
    assert answer.status_code == 401
