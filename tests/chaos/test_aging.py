"""What is kept by nobody doesn't stay: people do everything again and again, delete their chats, and what
Foldline holds doesn't grow.

`make soak` runs it for `FOLDLINE_SOAK_MINUTES` (480). In a minute only what leaks at each turn shows.
"""

import os
import time
from pathlib import Path

import pytest
from tests.chaos.conftest import Report

from foldline_testing.product.aging.crowd import SCRIPT, AgingCrowd
from foldline_testing.product.aging.weights import Looks, Weights, growth, level, weigh
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

_LOOKS = 20
MB_A_1000_TURNS = 4.0
"""What Foldline's own processes may grow by: 6 % of what they have when idle in a day of 10,000 turns."""
_WHOLE_S = float(os.environ.get("FOLDLINE_SOAK_MINUTES", "480")) * 60


def aged(folder: Path, seconds: float, report: Report) -> list[Weights]:
    """Look at it while it ages."""
    temporary = folder / "tmp"
    temporary.mkdir()
    found: list[Weights] = []
    with ModelServer(SCRIPT) as model:
        env = model.environment() | {"FOLDLINE_SELFTEST_TOOLS": "true", "TMPDIR": str(temporary)}
        with Stack(folder / "data", env=env) as stack:
            crowd, looks = AgingCrowd(stack), Looks(seconds / _LOOKS)

            def watch() -> None:
                deadline = time.monotonic() + seconds
                while time.monotonic() < deadline:
                    time.sleep(0.2)  # sleeps: it ages
                    if looks.are_due:
                        found.append(weigh(stack, temporary, crowd.turns))
                        report(str(found[-1]))

            crowd.run(watch)
            assert not crowd.failures, crowd.failures[:5]
    return found


def _check(found: list[Weights], mb: float) -> None:
    assert len(found) > _LOOKS // 2, "it was looked at too seldom"
    assert found[-1].turns > 2 * len(found), "too little happened"
    assert growth(found, "resident") <= mb
    for of, more in (("files", 12), ("threads", 4), ("temporary", 10), ("consumers", 1)):
        before, after = level(found, of)
        assert after <= before + more, f"{of}: {before:g}, then {after:g}"


@pytest.mark.soak
@pytest.mark.timeout(_WHOLE_S + 600)
def test_a_foldline_that_works_for_hours_does_not_grow(tmp_path: Path, report: Report) -> None:
    found = aged(tmp_path, _WHOLE_S, report)
    _check(found, MB_A_1000_TURNS)
    before, after = level(found, "tables")
    assert after <= 1.5 * before, "what was deleted leaves room that is used again"


@pytest.mark.faults
@pytest.mark.timeout(240)
def test_a_minute_of_it_leaks_nothing_at_each_turn(tmp_path: Path, report: Report) -> None:
    _check(aged(tmp_path, 60, report), 60.0)
