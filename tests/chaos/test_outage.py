"""A model server that is down for three minutes under 50 sessions at work, with everybody's settings."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.outage import Outage, script
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

DOWN_S = 180.0
SESSIONS = 50


def test_three_minutes_without_a_model_server(tmp_path: Path, report: Callable[[str], None]) -> None:
    with (
        ModelServer(script(tool_ms=5_000)) as model,
        Stack(tmp_path, env=model.environment() | {"FOLDLINE_SELFTEST_TOOLS": "true"}) as stack,
        stack.gateway() as door,
    ):
        outage = Outage(door, model, SESSIONS)
        outage.goes_down(patience_s=300)
        began = time.monotonic()
        told = outage.says_more(sessions=5)
        time.sleep(DOWN_S)  # sleeps: work
        down_s = time.monotonic() - began
        took_s = outage.comes_back(patience_s=300)
        outage.check(told)
        asked = outage.asked_after()
        report(
            f"{SESSIONS} sessions, the server silent for {down_s:.0f} s or more: all done {took_s:.1f} s "
            f"after it came back; {asked} requests reached it then"
        )
        assert asked <= SESSIONS + 3
