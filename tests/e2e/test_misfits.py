"""Messages that aren't events, malformed or foreign, among those of a running Foldline: they stop nobody."""

from pathlib import Path

import pytest

from foldline_testing.product.chaos.misfit_crowd import tell_misfits

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


async def test_sessions_that_are_sent_what_is_no_event_answer_their_next_message(tmp_path: Path) -> None:
    broken = await tell_misfits(tmp_path, sessions=41, seed=1)
    assert broken == []
