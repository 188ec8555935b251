"""What is logged, and what never is."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from agent_platform.observing.binding import bound
from agent_platform.observing.logs import configure_logging
from agent_platform.observing.telemetry import Tracing


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    root.handlers.clear()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)


def only_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (line,) = capsys.readouterr().err.splitlines()
    event: dict[str, Any] = json.loads(line)
    return event


def test_an_event_is_one_line_of_json_with_what_is_bound(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json", "tool-runner")
    with bound(session_id="s1"):
        structlog.get_logger().info("call.completed", call_id="c1", ms=12, text="å\n")
    event = only_line(capsys)
    assert event.pop("timestamp").endswith("Z")
    assert event == {
        "event": "call.completed",
        "level": "info",
        "service": "tool-runner",
        "session_id": "s1",
        "call_id": "c1",
        "ms": 12,
        "text": "å\n",
    }


def test_below_the_level_nothing_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("warning", "json", "x")
    structlog.get_logger().info("call.completed")
    assert capsys.readouterr().err == ""


def test_an_event_names_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json", "x")
    tracing = Tracing("x")
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    with tracing.span("message", f"00-{trace_id}-00f067aa0ba902b7-01"):
        structlog.get_logger().info("call.completed")
    assert only_line(capsys)["trace_id"] == trace_id
    tracing.close()


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_is_logged(form: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", form, "x")
    structlog.get_logger().info(
        "connected",
        token="secret-1",
        api_key="secret-2",
        url="nats://engine:secret-3@127.0.0.1:4222",
        headers={"Authorization": "Bearer secret-4", "accept": "x"},
        tried=["postgresql://u:secret-5@h/db"],
        token_limit=100_000,
    )
    line = capsys.readouterr().err
    assert "secret-" not in line
    assert "127.0.0.1:4222" in line
    assert "100000" in line


def test_an_exception_is_logged_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json", "x")
    try:
        raise ValueError("oops")
    except ValueError:
        structlog.get_logger().exception("message.bug")
    event = only_line(capsys)
    assert event["exception"][0]["exc_value"] == "oops"
    assert event["exception"][0]["frames"][0]["name"] == "test_an_exception_is_logged_with_its_place"
    assert "locals" not in event["exception"][0]["frames"][0], "they hold what people wrote, and secrets"


@pytest.mark.parametrize("form", ["json", "console"])
def test_an_exception_shows_no_secret(form: Any, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", form, "x")
    password = "secret" + str(1)  # a local, and not in the source line that a traceback shows
    try:
        raise ValueError(f"can't reach nats://engine:{password}@127.0.0.1:4222")
    except ValueError:
        structlog.get_logger().exception("message.bug")
    logged = capsys.readouterr().err
    assert "127.0.0.1:4222" in logged
    assert "secret1" not in logged


def test_libraries_come_out_the_same_way_if_they_warn(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json", "x")
    logging.getLogger("nats").info("chatter")
    logging.getLogger("nats").warning("slow %s", "consumer")
    event = only_line(capsys)
    assert (event["event"], event["level"], event["logger"]) == ("slow consumer", "warning", "nats")


def test_no_headers_of_answers_are_logged_even_for_debugging(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug", "json", "x")
    logging.getLogger("httpcore.http11").debug("receive_response_headers.complete %r", "X-Echo: canary")
    logging.getLogger("nats").debug("chatter")
    assert only_line(capsys)["event"] == "chatter"


def test_for_people_it_is_one_readable_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "console", "x")
    structlog.get_logger().info("call.completed", call_id="c1")
    (line,) = capsys.readouterr().err.splitlines()
    assert "call.completed" in line
    assert "call_id=c1" in line


def test_of_one_name_the_inner_value_counts_and_the_outer_one_again_after_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("info", "json", "x")
    with bound(session_id="s1", attempt=1):
        with bound(attempt=2):
            structlog.get_logger().info("inner")
        structlog.get_logger().info("outer", session_id="said by the line")
    structlog.get_logger().info("unbound")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line.get("session_id"), line.get("attempt")) for line in lines] == [
        ("s1", 2),
        ("said by the line", 1),
        (None, None),
    ]
