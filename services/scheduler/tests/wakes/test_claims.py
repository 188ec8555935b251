"""A repeat of a wake is known for a day, and a message that is delivered again whenever it comes."""

from datetime import UTC, datetime, timedelta

import pytest

from agent_contracts.ids import AgentId
from agent_platform.process.clock import rfc3339
from scheduler.wakes.claims import COUNTS_FOR, Claim

BEGAN = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("made_for", "delivery", "later", "counts"),
    [
        (7, 7, COUNTS_FOR + SECOND, True),
        (7, 8, COUNTS_FOR + SECOND, False),
        (7, 8, COUNTS_FOR - SECOND, True),
        (None, None, COUNTS_FOR + SECOND, False),
        (None, None, COUNTS_FOR - SECOND, True),
    ],
)
def test_what_counts_as_the_same_wake(
    made_for: int | None, delivery: int | None, later: timedelta, counts: bool
) -> None:
    claim = Claim(rfc3339(BEGAN), 1, "e_1", AgentId("a1"), delivery=made_for)
    assert claim.counts(delivery, BEGAN + later) is counts
