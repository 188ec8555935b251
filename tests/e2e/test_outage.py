"""A model server that is away for a while: turns fail, wait, and go on by themselves once it answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.outage import Outage, script
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

PATIENT = {
    "FOLDLINE_SELFTEST_TOOLS": "true",
    "FOLDLINE_MODEL_RETRIES": "1",
    "FOLDLINE_MODEL_PROBE_INTERVAL": "2",
    "FOLDLINE_RETRY_SPREAD": "2",
    "FOLDLINE_RETRY_DELAYS": "3600,3600",
}
"""No timer comes due here: what goes on does so because the server was seen to answer."""


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(script(tool_ms=2_000)) as served:
        yield served


@pytest.fixture
def door(model: ModelServer, tmp_path: Path) -> Iterator[Gateway]:
    env = model.environment() | PATIENT
    with Stack(tmp_path, env=env) as stack, stack.gateway() as opened:
        yield opened


def test_fifty_sessions_and_a_waiting_parent_get_over_an_outage_by_themselves(
    door: Gateway, model: ModelServer
) -> None:
    outage = Outage(door, model, sessions=50)
    outage.goes_down(patience_s=120)
    told = outage.says_more(sessions=5)
    outage.fails_again(told, patience_s=60)
    outage.comes_back(patience_s=120)
    outage.check(told)
    assert outage.asked_after() <= len(outage.sessions) + 3, "each asks once, the child and its parent twice"
