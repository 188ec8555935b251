"""Traces that follow a message."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import NamedTuple

import pytest
from opentelemetry.trace import get_current_span

from agent_platform.observing.telemetry import Tracing, current_traceparent

W3C = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]")


GIVEN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Collector(NamedTuple):
    url: str
    received: list[tuple[str, bytes]]


@pytest.fixture
def tracing() -> Iterator[Tracing]:
    tracing = Tracing("test")
    yield tracing
    tracing.close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    received: list[tuple[str, bytes]] = []

    class Receiving(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Not on the test's output."""

    with HTTPServer(("127.0.0.1", 0), Receiving) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Collector(f"http://127.0.0.1:{server.server_port}", received)
        server.shutdown()
        thread.join()


@pytest.fixture
def exported(collector: Collector) -> Iterator[Tracing]:
    tracing = Tracing("test", collector.url)
    yield tracing
    tracing.close()


def trace_of(traceparent: str | None) -> str:
    assert traceparent is not None
    assert W3C.fullmatch(traceparent)
    return traceparent.split("-")[1]


def test_outside_of_a_span_there_is_none() -> None:
    assert current_traceparent() is None


def test_without_a_collector_what_came_along_is_passed_on(tracing: Tracing) -> None:
    with tracing.span("message", GIVEN):
        assert current_traceparent() == GIVEN
        assert not get_current_span().is_recording()
        with tracing.span("append"):
            assert current_traceparent() == GIVEN
    assert current_traceparent() is None


@pytest.mark.parametrize("traceparent", [None, "", "nonsense", f"00-{'0' * 32}-{'0' * 16}-01", GIVEN + "\n"])
def test_without_a_collector_no_trace_begins(tracing: Tracing, traceparent: str | None) -> None:
    with tracing.span("message", traceparent):
        assert current_traceparent() is None


def test_a_trace_goes_on_in_another_service(exported: Tracing, tracing: Tracing) -> None:
    with exported.span("gateway"):
        carried = current_traceparent()
    with tracing.span("runner", carried):
        assert current_traceparent() == carried
    with exported.span("engine", carried):
        assert trace_of(current_traceparent()) == trace_of(carried)
        assert current_traceparent() != carried
        with exported.span("append"):
            assert trace_of(current_traceparent()) == trace_of(carried)


def test_an_event_of_another_trace_does_not_continue_the_current_one(exported: Tracing) -> None:
    with exported.span("one"):
        first = current_traceparent()
    with exported.span("two"), exported.span("handling", first):
        assert trace_of(current_traceparent()) == trace_of(first)


@pytest.mark.parametrize("traceparent", [None, "", "nonsense", f"00-{'0' * 32}-{'0' * 16}-01"])
def test_without_a_valid_parent_a_trace_begins(exported: Tracing, traceparent: str | None) -> None:
    with exported.span("message", traceparent):
        first = current_traceparent()
    with exported.span("message", traceparent):
        assert trace_of(current_traceparent()) != trace_of(first)


@pytest.mark.parametrize("which", ["tracing", "exported"])
def test_an_exception_goes_through(which: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(ValueError, match="oops"), request.getfixturevalue(which).span("message"):
        raise ValueError("oops")
    assert current_traceparent() is None


def test_with_a_collector_spans_are_sent_to_it(collector: Collector) -> None:
    tracing = Tracing("gateway", collector.url)
    with tracing.span("call.handled", call_id="call-1"):
        assert get_current_span().is_recording()
    tracing.close()
    ((path, body),) = collector.received
    assert path == "/v1/traces"
    assert b"call.handled" in body
    assert b"call-1" in body


def test_opentelemetry_costs_nothing_until_it_is_wanted() -> None:
    script = (
        "import sys; from agent_platform.observing.telemetry import Tracing; Tracing('x').close(); "
        "print([m for m in sys.modules if 'opentelemetry' in m or m == 'requests'])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
