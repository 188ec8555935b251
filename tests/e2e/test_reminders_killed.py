"""Reminders come due while the scheduler, NATS and the engine are killed: each is told, and answered, once.

`make chaos` does it with 5,000.
"""

import pytest

from foldline_testing.product.chaos.reminders import SCRIPT, Flood, flood
from foldline_testing.product.chaos.stage import Stage

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


async def test_100_reminders_within_3_seconds_are_told_once(processes: Stage) -> None:
    processes.model.play(SCRIPT)
    came = await flood(processes, Flood(count=100, sessions=5, within_s=3, kills=1, patience_s=120))
    assert came.broken == []
    assert set(came.killed.values()) == {1}
