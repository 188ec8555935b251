"""Each interruption has its end in the log."""

import pytest
from structlog.testing import capture_logs

from agent_platform.process.interruption import Interruption


def test_an_interruption_is_told_at_each_try_and_once_when_it_is_over() -> None:
    feed = Interruption("feed", session="s_1")
    with capture_logs() as logs:
        feed.over()
        feed.hit("NATS is away", position="7")
        feed.hit("NATS is away")
        lasted = feed.lasts
        feed.over()
        feed.over()
    assert (lasted, feed.lasts) == (True, False)
    assert [(line["event"], line["tries"], line["log_level"]) for line in logs] == [
        ("feed.interrupted", 1, "warning"),
        ("feed.interrupted", 2, "warning"),
        ("feed.resumed", 2, "warning"),
    ]
    assert all(line["session"] == "s_1" for line in logs)


def test_one_that_lasts_is_told_a_few_times_and_a_bug_with_its_traceback() -> None:
    feed = Interruption("feed")
    bug = ValueError("odd")
    with capture_logs() as logs:
        for _ in range(500):
            feed.hit("NATS is away")
        feed.over()
        feed.hit("ValueError", bug=bug)
    assert [line["tries"] for line in logs] == [1, 2, 3, 500, 1]
    assert (logs[-1]["log_level"], logs[-1]["exc_info"]) == ("error", bug)


def test_a_try_that_fails_interrupts_and_one_that_does_not_is_the_end() -> None:
    feed = Interruption("feed")
    with capture_logs() as logs:
        for fails in (False, True, True, False):
            with feed.tried(OSError):
                if fails:
                    raise OSError("gone")
        with pytest.raises(ValueError, match="odd"), feed.tried(OSError):
            raise ValueError("odd")
    assert [line["event"] for line in logs] == ["feed.interrupted"] * 2 + ["feed.resumed"]
    assert logs[-1]["after_s"] >= 0
