"""Thousands of messages that are not wakes: every session goes on, and no real wake is lost."""

from pathlib import Path

import pytest

from foldline_testing.product.chaos.wake_flood import flood

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


async def test_a_thousand_that_are_no_wakes_leave_every_session_alive(tmp_path: Path) -> None:
    found = await flood(tmp_path, wakes=1000, sessions=8, seed=1)
    assert found.broken == []
    assert found.bad > 700, "through NATS"
    assert sum(found.refused.values()) > 190, "by HTTP"
    assert {"404", "413", "422"} <= set(found.refused)
    assert found.listed_in_s < 5
