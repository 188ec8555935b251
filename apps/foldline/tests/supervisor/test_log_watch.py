"""A log that is gone is not begun anew without a word."""

from pathlib import Path

import pytest

from agent_contracts.errors import Permanent
from agent_platform.log.sealing.checking import LogState
from agent_platform.log.sealing.seal import SequenceRuns
from foldline.supervisor.log_watch import refuse_if_store_is_gone

NOTHING, EMPTY, SHORTER = None, LogState(0, SequenceRuns()), LogState(3, SequenceRuns())


@pytest.mark.parametrize("state", [NOTHING, EMPTY])
def test_no_log_where_there_was_one_is_refused_with_what_it_held(
    state: LogState | None, tmp_path: Path
) -> None:
    (tmp_path / "log.json").write_text('{"last": 12}')
    with pytest.raises(Permanent, match="it held 12 events") as refused:
        refuse_if_store_is_gone(state, tmp_path)
    assert refused.value.kind == "log_lost"


@pytest.mark.parametrize("state", [NOTHING, EMPTY, SHORTER])
def test_a_first_start_is_let_through(state: LogState | None, tmp_path: Path) -> None:
    refuse_if_store_is_gone(state, tmp_path)


def test_a_shorter_log_is_for_its_record_to_judge(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"last": 12}')
    refuse_if_store_is_gone(SHORTER, tmp_path)
