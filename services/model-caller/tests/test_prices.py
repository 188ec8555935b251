"""What a call costs is known by its model's price: the user's own, else the list's."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.session_events.results import ModelCallCompleted, Usage
from agent_domain.prices import Price
from agent_platform.settings.loading import load_settings
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import Conversation
from model_caller.choosing.target import ModelTarget
from model_caller.pricing.prices import Prices
from model_caller.settings import ModelCallerSettings

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

SPENT = Usage(input=1_000_000, output=100_000, cached_input=600_000, cache_written=300_000)


def cost(target: ModelTarget, prices: Prices | None = None, usage: Usage = SPENT) -> int | None:
    return (prices or Prices()).priced(usage, target).cost_micros


def test_cached_input_and_what_is_written_to_the_cache_have_prices_of_their_own() -> None:
    price = Price(input=10, output=50, cached_input=1, cache_written=12.5)
    assert price.of(SPENT) == 100_000 * 10 + 600_000 * 1 + 300_000 * 12.5 + 100_000 * 50
    assert Price(input=10, output=50).of(SPENT) == 1_000_000 * 10 + 100_000 * 50
    assert Price(input=1, output=1).of(Usage(1, 0, cached_input=5)) == 5  # figures that contradict themselves


def test_the_lists_prices_are_by_provider() -> None:
    known = cost(ModelTarget("anthropic/claude-sonnet-4-5"))
    assert known == 100_000 * 3 + 600_000 * 0.3 + 300_000 * 3.75 + 100_000 * 15
    assert known == cost(ModelTarget("litellm/anthropic/claude-sonnet-4-5"))
    assert cost(ModelTarget("openai/gpt-5-mini")) is not None
    for unknown in ("openai/claude-sonnet-4-5", "openai/my-own", "demo", "x"):
        assert cost(ModelTarget(unknown)) is None, unknown


def test_a_name_at_somebodys_own_server_says_nothing_of_its_price() -> None:
    target = ModelTarget("openai/gpt-5-mini", "http://127.0.0.1:8000/v1")
    assert cost(target) is None
    assert cost(target, Prices({"openai/gpt-5-mini": Price(1, 1)})) == 1_100_000


def test_the_users_own_prices_come_first() -> None:
    own = ModelCallerSettings.model_validate(
        {"prices": '{"anthropic/claude-sonnet-4-5": {"input": 0, "output": 1}}'}
    )
    assert cost(ModelTarget("anthropic/claude-sonnet-4-5"), Prices(own.prices)) == 100_000


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"m": {"input": 1}}', '{"m": {"input": 1, "output": 1, "per": 3}}',
                '{"m": {"input": -1, "output": 1}}', '{"m": {"input": "x", "output": 1}}']
)  # fmt: skip
def test_prices_that_cannot_be_used_are_refused_by_name(tmp_path: Path, content: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(content)
    environ = {"FOLDLINE_PRICES_FILE": str(file), "HOME": str(tmp_path)}
    with pytest.raises(Rejected, match=r"FOLDLINE_PRICES .*prices\.json"):
        load_settings(ModelCallerSettings, environ, folder=tmp_path)


async def test_an_answer_is_recorded_with_what_it_cost_and_the_session_adds_it_up(talk: Talk) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "cached_tokens": 600}
    script = {"rules": [{"reply": {"text": "Hi.", "usage": usage}}]}
    prices = {"openai/demo": Price(input=2, output=10, cached_input=0.2)}
    conversation, _ = await talk(script, prices=prices)
    await conversation.say("hello")
    await conversation.say("again")
    for answer in await conversation.answers():
        assert isinstance(answer, ModelCallCompleted)
        assert answer.usage.cost_micros == 400 * 2 + 120 + 100
    assert (await conversation.state()).totals.cost_micros == 2 * 1020
