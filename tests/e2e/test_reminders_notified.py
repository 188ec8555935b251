"""A reminder reaches a person away from the page, by scheduler and notifier, once; not in quiet hours."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_contracts import service_names
from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.small_disk import small_disk
from foldline_testing.product.stack import Stack

DUE_S = 3
DUE_ONCE_FULL_S = 35
"""Seconds: enough to fill a disk meanwhile, also beside other tests."""


def reminding(at: str) -> list[Any]:
    arguments = {"at": at, "message": "look at the {{ match.what }}"}
    return [{"tool_calls": [{"name": "set_reminder", "arguments": arguments}]}, {"text": "I will."}]


SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"remind me of the (?P<what>\w+) at (?P<at>\S+)"},
            "turns": reminding("{{ match.at }}"),
        },
        {
            "when": {"user_matches": r"remind me of the (?P<what>\w+)"},
            "turns": reminding(f"{{{{ after({DUE_S}, 'seconds') }}}}"),
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_PATIENCE_S = 60.0
_QUIET_S = 3.0


class Recorded:
    """A server that keeps what is posted to it: a webhook's, and ntfy's."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        got = self.got

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                got.append((self.path, json.loads(body)))
                answer = b"{}"
                self.send_response(200)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    def about(self, what: str) -> list[str]:
        """Where messages that quote a word went."""
        return sorted(path for path, body in self.got if what in json.dumps(body))


@pytest.fixture(scope="module")
def recorded() -> Iterator[Recorded]:
    made = Recorded()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def stack(recorded: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("notified")
    with ModelServer(SCRIPT) as model:
        env = model.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{recorded.port}"}
        with Stack(folder / "data", processes=True, env=env) as started:
            foldline = Command(started.data_dir, folder)
            root = f"http://127.0.0.1:{recorded.port}"
            hook = ("hook", "webhook", f"url={root}/in")
            for channel in (hook, ("phone", "ntfy", f"server={root}", "topic=topic")):
                made = foldline("notifications", "set", *channel)
                assert made.code == 0, made.err
                tested = foldline("notifications", "test", channel[0])  # the notifier works by now
                assert tested.code == 0, tested.err + tested.out
            yield started


def until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.1)


def remind(stack: Stack, what: str) -> str:
    """A session that will be reminded soon."""
    with stack.gateway() as door:
        turn = ChatTurn(door, None)
        turn.say(f"remind me of the {what}")
        for _ in turn.pieces():
            pass
        return turn.session_id


def answered(door: Gateway, session: str, what: str) -> bool:
    try:
        return any(one["text"] == f"You said: look at the {what}" for one in messages(door, session))
    except Failure:  # where a disk was full, everything is started again
        return False


def test_it_reaches_every_channel_once_though_the_notifier_is_killed(
    stack: Stack, recorded: Recorded
) -> None:
    remind(stack, "oven")
    assert stack.kill(service_names.NOTIFIER)  # before it is due
    until(lambda: len(recorded.about("oven")) == 2)
    assert recorded.about("oven") == ["/", "/in"]  # ntfy takes JSON at its root
    assert stack.kill(service_names.NOTIFIER)  # after it was sent
    remind(stack, "kettle")
    until(lambda: len(recorded.about("kettle")) == 2)
    time.sleep(_QUIET_S)  # sleeps: quiet
    assert (len(recorded.about("oven")), len(recorded.about("kettle"))) == (2, 2)


def test_nothing_is_sent_in_quiet_hours_and_the_session_is_told_all_the_same(
    stack: Stack, recorded: Recorded, tmp_path: Path
) -> None:
    foldline = Command(stack.data_dir, tmp_path)
    begins, ends = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 2))
    quiet = ("--quiet", f"{begins:%H:%M}-{ends:%H:%M}", "--timezone", "UTC")
    assert foldline("notifications", "prefer", *quiet).code == 0
    session = remind(stack, "garden")
    with stack.gateway() as door:
        until(lambda: answered(door, session, "garden"))
    time.sleep(_QUIET_S)  # sleeps: quiet
    assert recorded.about("garden") == []


@pytest.mark.faults
@pytest.mark.parametrize("processes", [False, True], ids=["one process", "processes"])
def test_what_came_due_while_the_disk_was_full_is_told_once_when_it_is_freed(
    recorded: Recorded, tmp_path: Path, processes: bool
) -> None:
    with ModelServer(SCRIPT) as model, small_disk(tmp_path / "disk", 260) as disk:
        env = model.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"127.0.0.1:{recorded.port}"}
        with Stack(disk.path / "data", processes=processes, env=env) as stack:
            foldline = Command(stack.data_dir, tmp_path)
            hook = f"http://127.0.0.1:{recorded.port}/full"
            assert foldline("notifications", "set", "hook", "webhook", f"url={hook}").code == 0
            assert foldline("notifications", "test", "hook").code == 0  # the notifier works by now
            word = f"tank{processes}"
            due = datetime.now(UTC) + timedelta(seconds=DUE_ONCE_FULL_S)
            session = remind(stack, f"{word} at {due.isoformat()}")
            disk.fill()
            # What is small may still find room in pages that were begun: until the log takes nothing more.
            until(lambda: httpx.get(f"{stack.url}/readyz", timeout=10, verify=NO_TLS).status_code == 503)
            assert datetime.now(UTC) < due, "the machine is too slow: it came due before the disk was full"
            time.sleep((due - datetime.now(UTC)).total_seconds() + 10)  # sleeps: clock; several tries
            assert recorded.about(word) == []
            disk.free()
            with stack.gateway() as door:
                until(lambda: answered(door, session, word))
                until(lambda: recorded.about(word) == ["/full"])
                time.sleep(_QUIET_S)  # sleeps: quiet
                told = [one["text"] for one in messages(door, session) if one["role"] == "assistant"]
                assert told.count(f"You said: look at the {word}") == 1
            assert recorded.about(word) == ["/full"]
