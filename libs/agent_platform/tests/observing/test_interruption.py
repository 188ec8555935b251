"""Each interruption has its end in the log."""

from structlog.testing import capture_logs

from agent_platform.observing.interruption import Interruption


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
