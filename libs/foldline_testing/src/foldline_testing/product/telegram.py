"""The other side of a chat channel: a server with the form of Telegram's for bots, and people who write."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "12345:chat-canary"
_POLL_S = 1.0


class Telegram:
    """What people wrote and were sent. An update comes again until a later offset confirms it."""

    def __init__(self) -> None:
        self.url = ""
        self.refuses = ""
        self._updates: list[dict[str, Any]] = []
        self._sent: list[tuple[str, str]] = []
        self._changed = threading.Condition()
        self._confirmed = 0

    def write(self, person: int, text: str, *, number: int | None = None) -> None:
        """Somebody writes to the bot, alone with it. With the `number` of another message it comes twice."""
        with self._changed:
            update = len(self._updates) + 1
            message = {
                "message_id": number if number is not None else 1000 + update,
                "chat": {"id": person},
                "from": {"id": person, "first_name": f"Person {person}"},
                "date": int(time.time()),
                "text": text,
            }
            self._updates.append({"update_id": update, "message": message})
            self._changed.notify_all()

    def sent(self, person: int) -> list[str]:
        """What they were sent, oldest first."""
        with self._changed:
            return [text for chat, text in self._sent if chat == str(person)]

    def next(self, person: int, after: int) -> str:
        """What they are sent after so many messages; fails if nothing comes within a minute."""
        with self._changed:

            def there() -> list[str]:
                return [text for chat, text in self._sent if chat == str(person)][after:]

            assert self._changed.wait_for(there, 60), (self._sent, self._updates)
            return there()[0]

    def taken(self) -> None:
        """Wait until the bot confirmed all that was written."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._confirmed > len(self._updates), 60)

    def answer(self, method: str, body: dict[str, Any]) -> Any:
        """What the server answers."""
        with self._changed:
            if method == "sendMessage":
                self._sent.append((str(body["chat_id"]), body["text"]))
                self._changed.notify_all()
                return {"message_id": len(self._sent)}
            self._confirmed = max(self._confirmed, body["offset"])
            self._changed.notify_all()
            ends = time.monotonic() + _POLL_S
            first = max(self._confirmed - 1, 0)  # what was confirmed is forgotten
            while not (found := self._updates[first:]) and time.monotonic() < ends:
                self._changed.wait(ends - time.monotonic())
            return found


class _Handler(BaseHTTPRequestHandler):
    telegram: Telegram

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        _, bot, method = self.path.split("/")
        why = self.telegram.refuses or ("" if bot == f"bot{TOKEN}" else "Unauthorized")
        answer = (
            {"ok": False, "description": why}
            if why
            else {"ok": True, "result": self.telegram.answer(method, body)}
        )
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def telegram() -> Iterator[Telegram]:
    """One that runs."""
    made = Telegram()
    handler = type("OwnHandler", (_Handler,), {"telegram": made})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made.url = f"http://127.0.0.1:{server.server_port}"
        yield made
        server.shutdown()
