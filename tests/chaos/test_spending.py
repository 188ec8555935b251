"""A cap on money, raised ten cents at a time, by twenty sessions at once: it is never exceeded.

Killed are those who spend, those who decide, and the log that keeps the ledger.
"""

from collections.abc import Iterator

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos.spending import CAP_MICROS, ENVIRONMENT, REPLICAS, SCRIPT, Spending
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]

ROUNDS = 10
KILLS = (
    ((service_names.MODEL_CALLER, 0.5), (service_names.MODEL_CALLER, 0.8), (service_names.MODEL_CALLER, 1.1)),
    ((service_names.MODEL_CALLER, 1.0), (service_names.ENGINE, 0.5), (service_names.MODEL_CALLER, 0.3)),
    ((service_names.MODEL_CALLER, 0.7), ("nats", 0.2), (service_names.MODEL_CALLER, 1.5)),
    (
        (service_names.GATEWAY, 0.4),
        (service_names.MODEL_CALLER, 0.1),
        (service_names.MODEL_CALLER, 0.1),
        (service_names.MODEL_CALLER, 0.1),
    ),
)


@pytest.fixture(scope="module")
def spending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spending]:
    with ModelServer(SCRIPT) as model:
        env = {**model.environment(), **ENVIRONMENT}
        folder = tmp_path_factory.mktemp("spending")
        with Stack(folder, processes=True, replicas=REPLICAS, env=env) as stack, stack.gateway() as door:
            yield Spending(stack, door, model)


def test_it_is_never_exceeded_whoever_is_killed(spending: Spending) -> None:
    sessions = spending.priced()
    for number in range(ROUNDS):
        cap = (number + 1) * CAP_MICROS
        spending.capped(cap)
        spending.talk(sessions, times=6, kills=KILLS[number % len(KILLS)])
        spending.within(cap, spending.settled(sessions))
        assert spending.cost > 0.5 * cap, "most of it could be spent"


def test_what_was_decided_replays(spending: Spending) -> None:
    every_session_replays(spending.stack)
