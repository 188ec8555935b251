"""Names of workers are open: others may be installed beside those that are declared here."""

import msgspec
import pytest

from agent_contracts.log.offered_results import ResultSource, source_of
from agent_contracts.log.subjects import consumer_of, tool_call_requests
from agent_contracts.open_names import _MOST
from agent_contracts.tool_spec import RunsOn


def test_a_worker_that_is_not_declared_here_is_read_and_written_as_others_are() -> None:
    read = msgspec.json.decode(b'["dice","tools"]', type=list[RunsOn])
    assert read == ["dice", RunsOn.TOOLS]
    assert read[0] is RunsOn("dice"), "one object, as members are"
    assert msgspec.json.encode(read) == b'["dice","tools"]'
    assert consumer_of(read[0]) == "runners-dice"
    assert tool_call_requests(read[0]).endswith(".dice")
    assert "dice" not in [place.value for place in RunsOn], "only what is declared is listed"


@pytest.mark.parametrize("name", ["", "Dice", "a.b", "*", ">", "a b", "x" * 40])
def test_what_could_not_stand_in_a_subject_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid RunsOn"):
        RunsOn(name)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(name), type=RunsOn)


def test_who_is_not_listed_may_write_no_results() -> None:
    assert source_of(ResultSource.MCP) == "/mcp-host"
    assert source_of(ResultSource("dice")) is None


def test_no_more_names_are_remembered_than_somebody_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunsOn, "_value2member_map_", dict(RunsOn._value2member_map_))
    for number in range(len(RunsOn._value2member_map_), len(RunsOn) + _MOST):
        RunsOn(f"n{number}")
    with pytest.raises(ValueError, match="is not a valid RunsOn"):
        RunsOn("more")
    assert len(RunsOn._value2member_map_) == len(RunsOn) + _MOST
