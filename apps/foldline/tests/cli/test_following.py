"""The stream of a session goes on where it broke off: nothing is told twice, and nothing is left out."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from foldline.cli.client import Gateway


class _Breaking(BaseHTTPRequestHandler):
    """Gives two events for each stream and breaks off, in the middle of a chunk."""

    afters: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        if where.path != "/api/v1/events":
            self._whole(json.dumps({"items": [], "next_cursor": None}).encode())
            return
        after = parse_qs(where.query)["after"][0]
        self.afters.append(after)
        first = int(after.partition(".")[0]) + 1
        text = f"id: {first}\ndata: a\n\nid: {first + 1}.0\ndata: b\n\ndata: passing\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(text) + 100))
        self.end_headers()
        self.wfile.write(text)

    def _whole(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_a_stream_that_broke_off_is_asked_for_after_the_last_event_that_came() -> None:
    _Breaking.afters.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Breaking) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        with Gateway(f"http://127.0.0.1:{server.server_port}", "token") as client:
            events = client.follow("s_1", "4")
            heard = [(one.id, one.data) for one, _ in zip(events, range(7), strict=False)]
        server.shutdown()
    assert [one for one in heard if one[1] != "passing"] == [
        ("5", "a"),
        ("6.0", "b"),
        ("7", "a"),
        ("8.0", "b"),
        ("9", "a"),
    ]
    assert _Breaking.afters == ["4", "6.0", "8.0"], "what passes by has no address, and changes none"
