"""Ten thousand that are no wakes, by both doors: every session lives, and each good wake comes once."""

from pathlib import Path

import pytest

from foldline_testing.product.chaos.wake_flood import KINDS, flood

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]


async def test_ten_thousand_that_are_no_wakes_leave_every_session_alive(tmp_path: Path) -> None:
    found = await flood(tmp_path, wakes=10_000, sessions=20, seed=1)
    print(f"sent in {found.seconds:.1f} s, listed in {found.listed_in_s:.2f} s, refused: {found.refused}")
    assert found.broken == []
    assert found.bad > 200 * len(KINDS), "through NATS"
    assert sum(found.refused.values()) > 1900, "by HTTP"
    assert found.listed_in_s < 5
