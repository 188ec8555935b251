"""A cap on what models cost holds: twenty sessions at once, killed model callers, a raise.

`make chaos` does it for longer, and kills more: `tests/chaos/test_spending.py`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos.spending import CAP, CAP_MICROS, ENVIRONMENT, REPLICAS, SCRIPT, Spending
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack


@pytest.fixture(scope="module")
def spending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spending]:
    folder = tmp_path_factory.mktemp("budget")
    with ModelServer(SCRIPT) as model:
        env = {**model.environment(), **ENVIRONMENT}
        with Stack(folder, processes=True, replicas=REPLICAS, env=env) as stack, stack.gateway() as door:
            yield Spending(stack, door, model)
            every_session_replays(stack)


def test_twenty_sessions_at_once_never_cost_more_than_the_cap_whoever_is_killed(
    spending: Spending, tmp_path: Path
) -> None:
    foldline = Command(spending.stack.data_dir, tmp_path)
    sessions = spending.priced()
    foldline("config", "set", CAP, "0.10")
    spending.talk(
        sessions, times=6, kills=[(service_names.MODEL_CALLER, 2.0), (service_names.MODEL_CALLER, 1.5)]
    )
    states = spending.settled(sessions)
    spending.within(CAP_MICROS, states)
    assert spending.cost >= 0.5 * CAP_MICROS, "most of it could be spent, whoever was killed"
    assert "of $0.1" in foldline("usage").out

    stopped = next(one for one, state in zip(sessions, states, strict=True) if state["failed_turn"])
    before = spending.cost
    foldline("config", "set", CAP, "5")
    said = foldline("retry", stopped).out
    assert "word word" in said
    assert spending.cost > before
