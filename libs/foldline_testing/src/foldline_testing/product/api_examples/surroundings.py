"""The Foldline that the examples are made with, and what is around it: a scripted model, MCP servers that
have apps, ask for a login or offer prompts, and two web servers."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

from foldline.supervisor.announcement import read_announcement
from foldline_testing.egress.certificates import certificate_for
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.authority import Authority, authority
from foldline_testing.mcp_host.servers import library
from foldline_testing.mcp_host.servers.apps import with_apps
from foldline_testing.product.installed_extension import install_example
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.telegram import TOKEN, Telegram, telegram

_SHOP = b"<title>Tea shop</title><form><input placeholder='Password'><button>Log in</button></form>"
_COOKIE = "sid=5e551011; Max-Age=86400; Path=/"


def _calls(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]


def _says(words: str, *turns: dict[str, Any]) -> dict[str, Any]:
    return {"when": {"user_contains": words}, "turns": list(turns)}


def _refuses(words: str, **how: Any) -> dict[str, Any]:
    """Once; then it answers."""
    fault = {"kind": "bad_request", "times": 1, **how}
    return {"when": {"user_matches": rf"{words}[^\n]*\Z"}, "reply": {"text": "Here I am.", "fault": fault}}


def script(shop: str) -> dict[str, Any]:
    """What the model does, by words of the last message."""
    order = {"path": "order.txt", "text": "7 teapots"}
    question = {"question": "Green or black?", "options": ["Green", "Black"]}
    reminder = {"at": "2099-05-01T09:00:00Z", "message": "Order new tea"}
    table = "CREATE TABLE teas (name TEXT, grams INTEGER)"
    teas = "INSERT INTO teas VALUES ('Assam', 250), ('Sencha', 100)"
    hand_over = {"reason": "Log in, please"}
    thought = "<think>Assam is malty. It goes with milk.</think>\n\nAssam."
    slow = {"text": "One leaf, two leaves, three leaves", "fault": {"kind": "hold", "after_chunks": 1}}
    calls: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
        "Write the order": ("The order is written.", [("file_write_text", order)]),
        "Which tea": ("I'll order it.", [("ask_user", question)]),
        "Remember": ("Noted.", [("set_state", {"key": "favourite", "value": "{{ last_user }}"})]),
        "Make a table": ("It has two teas.", [("db_sql", {"sql": table}), ("db_sql", {"sql": teas})]),
        "Remind me": ("I will.", [("set_reminder", reminder)]),
        "Run a command": ("It ran.", [("run_command", {"command": "echo teapots"})]),
        "the weather": ("It is cold.", [("apps__weather", {"city": "Oslo"})]),
        "Keep a note": ("I don't know whether it is kept.", [("apps__keep", {"text": "7 teapots"})]),
        "Order at the shop": (
            "It is ordered.",
            [("browser_navigate", {"url": f"{shop}/"}), ("browser_hand_over", hand_over)],
        ),
        "convert": ("It is {{ results[-1] }} degrees.", [("to_fahrenheit", {"c": 100})]),
    }
    return {
        "rules": [
            *(_says(words, *_calls(*made), {"text": text}) for words, (text, made) in calls.items()),
            _says("Think of", {"text": thought}),
            _says("Take your time", slow),
            _refuses("wrong key once", status=401, message="Wrong API key."),
            _refuses("without tools", status=400, message="It does not support tools."),
            {"reply": {"text": "You said: {{ last_user }}"}},
        ]
    }


class _Web(BaseHTTPRequestHandler):
    """A shop, a picture, and who takes whatever is posted."""

    def do_GET(self) -> None:
        """A picture, or the shop's page."""
        if self.path.endswith(".png"):
            self._send(library.PIXEL, "image/png")
        else:
            self._send(_SHOP, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Take it."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._send(b"{}", "application/json")

    def _send(self, body: bytes, media_type: str) -> None:
        self.send_response(200)
        self.send_header("Set-Cookie", _COOKIE)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Surroundings:
    """A running Foldline, and what it can reach."""

    stack: Stack
    model: ModelServer
    web: str
    pictures: str
    """Where there are pictures, over TLS."""
    apps: Addressed
    library: Addressed
    private: Addressed
    vouching: Authority
    people: Telegram
    """Who write to the agent from another program."""

    @property
    def addresses(self) -> dict[str, str]:
        """What people read instead of those of this run."""
        running = read_announcement(self.stack.data_dir)
        assert running is not None
        return {
            self.stack.url: "http://127.0.0.1:8420",
            self.model.base_url: "https://models.example/v1",
            self.web: "https://tea.example",
            self.pictures: "https://pictures.example",
            self.apps.url: "https://apps.example/mcp",
            self.library.url: "https://books.example/mcp",
            self.private.url: "https://private.example/mcp",
            self.vouching.issuer: "https://login.example",
            str(self.stack.data_dir): "/home/ada/.foldline",
            running.nats_url: "nats://127.0.0.1:4222",
        }


@contextmanager
def surroundings(folder: Path) -> Iterator[Surroundings]:
    """All of it, from `with` to its end. Foldline's data are in `folder`."""
    with ExitStack() as running:
        web, pictures = (ThreadingHTTPServer(("127.0.0.1", 0), _Web) for _ in range(2))
        served, _ = certificate_for("localhost", folder)
        pictures.socket = served.wrap_socket(pictures.socket, server_side=True)
        for server in (web, pictures):
            running.enter_context(server)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            running.callback(server.shutdown)
        address = f"http://127.0.0.1:{web.server_port}"
        model = running.enter_context(ModelServer(script(address)))
        vouching = running.enter_context(authority())
        apps = running.enter_context(addressed(with_apps()))
        books = running.enter_context(addressed(library.server))
        private = running.enter_context(addressed(MCPServer("private", version="1"), authority=vouching))
        people = running.enter_context(telegram())
        env = install_example("chat-channel", folder / "site") | {
            "FOLDLINE_TELEGRAM_TOKEN": TOKEN,
            "FOLDLINE_TELEGRAM_URL": people.url,
            "FOLDLINE_EGRESS_PRIVATE_HOSTS": "127.0.0.1,localhost",
            "FOLDLINE_MODEL_RETRIES": "0",
            "SSL_CERT_FILE": str(folder / "both.pem"),
        }
        stack = running.enter_context(Stack(folder / "data", env=model.environment() | env))
        over_tls = f"https://localhost:{pictures.server_port}"
        yield Surroundings(stack, model, address, over_tls, apps, books, private, vouching, people)
