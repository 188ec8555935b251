"""A secret is put in at every door that takes one, rightly and wrongly, and is in nothing that is stored.

Each has words of its own beside it (`seen-…`), which must be found: a door that took nothing shows nothing.
What follows is used as well: channels send, servers of tools are connected with, models are asked.
"""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import httpx
import pytest

from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.stored_texts import around, dumped, files_of, spelled

pytestmark = pytest.mark.faults


class _Repeating(BaseHTTPRequestHandler):
    """A server that refuses all, and gives back what it was sent."""

    heard: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length", 0))
        told = f"{self.path}\n{self.headers}".encode("latin-1", "replace") + self.rfile.read(size)
        self.heard.append(told)
        body = json.dumps({"error": {"message": told.decode("latin-1")}}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = do_POST

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def repeating() -> Iterator[int]:
    """Its port."""
    _Repeating.heard.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Repeating) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


@dataclass
class Doors:
    """The doors, and what was put in at each: a secret, and words beside it that are none."""

    http: httpx.Client
    foldline: Command
    port: int
    secrets: dict[str, str] = field(default_factory=dict)
    told: list[bytes] = field(default_factory=list)

    def canary(self, door: str) -> str:
        """A new secret, for one door."""
        made = f"canary-{len(self.secrets):02d}-7d0c1e5fb2-Kq"
        self.secrets[door] = made
        return made

    def ask(self, method: str, path: str, *statuses: int, **more: Any) -> httpx.Response:
        """A request whose answer people see."""
        answer = self.http.request(method, path, **more)
        assert answer.status_code in statuses, f"{path}: {answer.status_code} {answer.text}"
        self.told.append(answer.content)
        return answer

    def run(self, *words: str, stdin: str = "") -> None:
        """A command whose output people see."""
        done = self.foldline(*words, stdin=stdin)
        self.told.append((done.out + done.err).encode())

    def settings(self) -> None:
        """Keys that a person sets: by page, by command, and such as are refused."""
        path = "/api/v1/settings"
        good = {"anthropic_api_key": self.canary("a setting"), "timezone": "Europe/Oslo"}
        self.ask("PATCH", path, 200, json={"values": good})
        for_agent = {"values": {"gemini_api_key": self.canary("an agent's setting")}}
        self.ask("PATCH", "/api/v1/agents/default/settings", 200, json=for_agent)
        self.run("config", "set", "openai_api_key", "--json", stdin=self.canary("a setting by command"))
        for value in (
            {"deep": [self.canary("a setting of another type")]},
            self.canary("a setting with a control character") + "\x07",
            self.canary("a setting that can't be a header") + "\u200b",
        ):
            self.ask("PATCH", path, 200, 422, json={"values": {"mistral_api_key": value}})
        unknown = {"values": {"no_such_key": self.canary("a setting that is none")}}
        self.ask("PATCH", path, 422, json=unknown)
        self.ask("PATCH", path, 422, json=[self.canary("a body that is none")])
        torn = f'{{"values": {{"xai_api_key": "{self.canary("a torn body")}"'
        self.ask("PATCH", path, 422, content=torn, headers={"content-type": "application/json"})

    def models(self) -> None:
        """A test of a model with a key and a password that are not stored, at a server that repeats them."""
        user = f"me:{self.canary('a password in an address')}@"
        values = {
            "model": "openai/seen-model",
            "model_base_url": f"http://{user}127.0.0.1:{self.port}/v1",
            "model_api_key": self.canary("a key that is tested"),
        }
        for wants in ("answer", "list", "checks"):
            asked = {"values": values, "wants": wants}
            self.ask("POST", "/api/v1/settings:test-model", 200, 422, json=asked)

    def channels(self) -> None:
        """Channels with credentials, which send to a server that repeats them."""
        here = f"http://127.0.0.1:{self.port}"
        signed = base64.b64encode((self.canary("a webhook's secret") + "-long").encode()).decode()
        self.secrets["a webhook's secret"] = signed.rstrip("=")[:-1]
        hook = {"url": f"{here}/{self.canary('a webhook address')}", "secret": f"whsec_{signed}"}
        topic, token = self.canary("a topic"), self.canary("a token of a topic")
        mail = {
            "host": "127.0.0.1",
            "port": self.port,
            "security": "none",
            "username": "me",
            "password": self.canary("a mail password"),
            "sender": "me@seen.example",
            "to": "you@seen.example",
        }
        targets = {
            "seen-hook": {"kind": "webhook", **hook},
            "seen-ntfy": {"kind": "ntfy", "server": here, "topic": topic, "token": token},
            "seen-mail": {"kind": "email", **mail},
        }
        for name, target in targets.items():
            path = f"/api/v1/notifications/channels/{name}"
            self.ask("PUT", path, 200, json={"target": target})
            self.ask("POST", f"{path}:test", 200)
        wrong = {"kind": "ntfy", "server": 5, "topic": "t", "token": self.canary("a channel that is none")}
        self.ask("PUT", "/api/v1/notifications/channels/wrong", 422, json={"target": wrong})

    def servers(self) -> None:
        """Servers of tools: a secret by its name, which is sent to one that repeats it."""
        secret = {"value": self.canary("a secret of a server"), "hosts": ["127.0.0.1"]}
        self.ask("PUT", "/api/v1/agents/default/secrets/FAR", 200, 201, json=secret)
        header = {"Authorization": "Bearer {{secret:FAR}}"}
        far = {"kind": "http", "url": f"http://127.0.0.1:{self.port}/seen-mcp", "headers": header}
        self.ask("PUT", "/api/v1/agents/default/mcp-servers/seen-far", 200, json={"transport": far})
        self.ask("POST", "/api/v1/agents/default/mcp-servers/seen-far:test", 200, 409, 424, 503)
        delegate = {
            "name": "seen-delegate",
            "type": "openai",
            "url": f"http://127.0.0.1:{self.port}/v1",
            "secret": "FAR",
            "model": "m",
        }
        self.ask("PUT", "/api/v1/agents/default/delegates", 200, json={"delegates": [delegate]})
        self.ask("POST", "/api/v1/agents/default/delegates/seen-delegate:test", 200, 422, 424, 503)

    def credentials(self) -> None:
        """Tokens that Foldline makes, each used once rightly, and wrong ones at all doors."""
        made = self.http.post(
            "/api/v1/wake-credentials", json={"name": "seen-shop", "agents": ["default"]}
        ).json()
        self.secrets["a wake's token"] = made["token"]
        event = {
            "specversion": "1.0",
            "id": "1",
            "source": "s",
            "type": "t",
            "subject": "agent/default",
            "data": {"message": "seen-wake"},
        }
        sent = {"content": json.dumps(event), "headers": {"content-type": "application/cloudevents+json"}}
        right = {"authorization": f"Bearer {made['token']}"}
        self.ask("POST", "/api/v1/wakes", 202, content=sent["content"], headers=sent["headers"] | right)  # type: ignore[operator]
        new = {"name": "seen-program", "agent_id": "default", "rights": ["read"]}
        made = self.http.post("/api/v1/program-tokens", json=new).json()
        self.secrets["a program's token"] = made["token"]
        hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for token in (made["token"], self.canary("a wrong token of a program")):
            self.http.post("/mcp", json=hello, headers={"authorization": f"Bearer {token}"})
        for name, headers in (
            ("a wrong token", {"authorization": "Bearer {}"}),
            ("a wrong password", {"authorization": "Basic {}"}),
            ("a wrong key", {"x-api-key": "{}"}),
            ("a wrong cookie", {"cookie": "foldline={}; foldline_session={}"}),
        ):
            value = self.canary(name)
            sent_by = {key: text.replace("{}", value) for key, text in headers.items()}
            with httpx.Client(base_url=self.http.base_url) as stranger:
                for path in ("/api/v1/sessions", "/api/v1/wakes", "/v1/models", "/mcp"):
                    self.told.append(stranger.post(path, headers=sent_by).content)
                    self.told.append(stranger.get(path, headers=sent_by).content)
                stranger.post("/login", data={"token": value})
                self.told.append(stranger.get("/login", params={"token": value}).content)
                self.told.append(stranger.get("/api/v1/sessions", params={"token": value}).content)


def _talked(stack: Stack) -> str:
    with stack.gateway() as door:
        turn = ChatTurn(door, None)
        turn.say("seen-chat")
        for _ in turn.pieces():
            pass
        return turn.session_id


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, bytes]]:
    """The secrets by their doors, and what was stored and told, by place."""
    data_dir = tmp_path_factory.mktemp("canary-inputs")
    script = {"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]}
    with repeating() as port, ModelServer(script) as model:
        env = {
            "FOLDLINE_EGRESS_PRIVATE_HOSTS": "127.0.0.1",
            "FOLDLINE_LOG_LEVEL": "debug",
            "FOLDLINE_LOG_FORMAT": "json",
        }
        with Stack(data_dir, env=env) as stack, httpx.Client(base_url=stack.url, timeout=120) as http:
            http.headers["Authorization"] = f"Bearer {stack.token}"
            doors = Doors(http, Command(data_dir, data_dir.parent), port)
            for put_in in (doors.settings, doors.models, doors.channels, doors.servers, doors.credentials):
                put_in()
            key = doors.canary("the key of the model that answers")
            model_of = {"model": "openai/demo", "model_base_url": model.base_url, "model_api_key": key}
            doors.ask("PATCH", "/api/v1/settings", 200, json={"values": model_of})
            session = _talked(stack)
            for path in (
                "settings",
                "notifications",
                "wake-credentials",
                "program-tokens",
                "egress",
                "dead-letters",
            ):
                doors.ask("GET", f"/api/v1/{path}", 200)
            doors.ask("GET", "/api/v1/agents/default/mcp-servers", 200)
            doors.ask("GET", "/metrics", 200)
            doors.run("doctor", "--json")
            exported = http.get(f"/api/v1/sessions/{session}/export").raise_for_status().content
            doors.ask("GET", "/api/v1/agents/default/moment", 200)
            deadline = time.monotonic() + 60
            while b"seen-wake" not in (rows := dumped(data_dir)):
                assert time.monotonic() < deadline, "the wake is not in the tables"
                time.sleep(0.1)  # sleeps: poll
            found = {
                "told": b"\n".join(doors.told),
                "export": exported,
                "postgres": rows,
                "nats": files_of(data_dir / "nats"),
                "other files": files_of(data_dir, but=("nats", "secrets.key", "up.log", "running.json")),
            }
        found["logs"] = (data_dir / "up.log").read_bytes()
        found["sent"] = b"\n".join(_Repeating.heard)
    return doors.secrets, found


@pytest.mark.parametrize("place", ["told", "export", "postgres", "nats", "other files", "logs"])
def test_no_secret_of_any_door_is_in(stored: tuple[dict[str, str], dict[str, bytes]], place: str) -> None:
    secrets, found = stored
    assert len(secrets) > 20
    leaks = {
        (door, how): around(found[place], coded)
        for door, value in secrets.items()
        for how, coded in spelled(value).items()
        if coded in found[place]
    }
    assert leaks == {}


def test_what_stood_beside_them_was_taken_and_used(
    stored: tuple[dict[str, str], dict[str, bytes]],
) -> None:
    secrets, found = stored
    for beside in (b"seen-far", b"seen-delegate", b"seen-shop", b"seen-wake", b"seen-chat"):
        assert beside in found["nats"], beside
    for beside in (b"seen-hook", b"seen-ntfy", b"seen-mail", b"seen-program"):
        assert beside in found["told"], beside
    for door in ("a token of a topic", "a webhook address", "a secret of a server"):
        assert secrets[door].encode() in found["sent"], f"{door} reached the server that may have it"
