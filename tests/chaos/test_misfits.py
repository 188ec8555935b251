"""A thousand sessions, each sent one message that isn't an event, at a random point: none of them minds."""

from pathlib import Path

import pytest

from foldline_testing.product.chaos.misfit_crowd import tell_misfits

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]


async def test_a_thousand_sessions_that_are_sent_what_is_no_event_answer_their_next_message(
    tmp_path: Path,
) -> None:
    assert await tell_misfits(tmp_path, sessions=1000, seed=7) == []
