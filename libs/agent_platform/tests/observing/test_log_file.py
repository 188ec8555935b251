"""The log's file: all from info on as JSON, no more bytes than are kept, and for the owner alone."""

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from agent_platform.observing.log_file import LogFile
from agent_platform.observing.logs import configure_logging
from agent_platform.observing.slowness import slow_after, tell_if_slow
from agent_platform.process.interruption import Interruption


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    root.handlers.clear()
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)
    slow_after(30)


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_the_file_has_info_and_the_terminal_only_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "logs" / "foldline.log"
    configure_logging("warning", "console", "engine", LogFile(file, 100_000))
    log = structlog.get_logger()
    log.debug("call.seen")
    log.info("call.ended", ms=12)
    log.warning("call.slow", token="not-for-anybody")
    logging.getLogger("library").warning("it is %s", "odd")
    logging.getLogger("library").info("chatter")
    found = lines(file)
    assert [line["event"] for line in found] == ["call.ended", "call.slow", "it is odd"]
    assert (found[0]["ms"], found[0]["service"], found[0]["level"]) == (12, "engine", "info")
    shown = capsys.readouterr().err
    assert "call.ended" not in shown
    assert "call.slow" in shown
    assert "it is odd" in shown
    assert "not-for-anybody" not in file.read_text() + shown
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_no_more_is_kept_than_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "foldline.log"
    configure_logging("error", "console", "engine", LogFile(file, 50_000))
    for number in range(2_000):
        structlog.get_logger().info("call.ended", number=number)
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 5
    assert sum(one.stat().st_size for one in kept) <= 50_000
    assert lines(file)[-1]["number"] == 1_999
    assert {stat.S_IMODE(one.stat().st_mode) for one in kept} == {0o600}


def test_a_file_that_can_not_be_written_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "foldline.log").mkdir()
    configure_logging("warning", "console", "engine", LogFile(tmp_path / "foldline.log", 50_000))
    structlog.get_logger().warning("call.slow")
    assert "call.slow" in capsys.readouterr().err


def test_what_is_slow_is_told_past_what_was_set(tmp_path: Path) -> None:
    file = tmp_path / "foldline.log"
    configure_logging("error", "console", "engine", LogFile(file, 50_000))
    slow_after(2)
    tell_if_slow("call", 1.9, tool="a")
    tell_if_slow("call", 2.5, tool="b")
    slow_after(0)
    tell_if_slow("call", 99, tool="c")
    (line,) = lines(file)
    assert (line["event"], line["tool"], line["took_s"], line["slow_after_s"]) == ("call.slow", "b", 2.5, 2)


def test_the_end_of_an_interruption_says_how_long_it_was(tmp_path: Path) -> None:
    file = tmp_path / "foldline.log"
    configure_logging("error", "console", "engine", LogFile(file, 50_000))
    interruption = Interruption("feed")
    interruption.over()
    interruption.hit("gone")
    interruption.hit("gone")
    interruption.over()
    interruption.over()
    found = lines(file)
    assert [(line["event"], line["tries"]) for line in found] == [
        ("feed.interrupted", 1),
        ("feed.interrupted", 2),
        ("feed.resumed", 2),
    ]
    assert 0 <= found[-1]["after_s"] < 5
