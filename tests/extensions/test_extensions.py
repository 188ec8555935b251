"""Each kind of extension works from a wheel in another environment, and a broken one breaks nothing."""

import json
import os
import socket
import subprocess
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent_platform.services.embedded.ports import free_port
from foldline.cli.client import Gateway
from foldline.kit.checking import flaws_of
from foldline.kit.making import EXAMPLES
from foldline_testing.product.approving import calls_of, standing, until
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.telegram import TOKEN, Telegram, telegram

pytestmark = [pytest.mark.processes, pytest.mark.timeout(400), pytest.mark.xdist_group("extensions")]

MOST_FILES = 3
"""Of one that is more than a tool: its pyproject among them, its test not."""
GAUGE = {"type": "ourblock", "label": "Disk", "percent": 40}


def _calls(said: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"tool_calls": [{"name": name, "arguments": arguments}]}
    return {"when": {"user_contains": said}, "turns": [call, {"text": "Done."}]}


SCRIPT = {
    "rules": [
        _calls("greet Ada", "greet", {"name": "Ada"}),
        _calls("greet Mallory", "greet", {"name": "Mallory"}),
        _calls("which town", "ask_user", {"question": "Which town?", "options": ["Oslo", "Bergen"]}),
        _calls("show the disk", "render_blocks", {"blocks": [GAUGE]}),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def without_extensions_settings(**more: str) -> dict[str, str]:
    return {name: one for name, one in os.environ.items() if not name.startswith("FOLDLINE_")} | more


class Server(BaseHTTPRequestHandler):
    """A pager, and a model that answers in lines."""

    got: list[tuple[str, str | None, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append((self.path, self.headers.get("x-number"), body))
        self.send_response(200)
        self.end_headers()
        if self.path == "/say":
            self.wfile.write(b"By telegraph:\nstop")

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def serving() -> Iterator[tuple[str, list[tuple[str, str | None, bytes]]]]:
    """Its address, and what it is sent."""
    handler = type("OwnServer", (Server,), {"got": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}", handler.got  # type: ignore[attr-defined]  # the line above
        server.shutdown()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[tuple[str, str | None, bytes]]]]:
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def people() -> Iterator[Telegram]:
    with telegram() as found:
        yield found


@pytest.fixture(scope="module")
def telex() -> int:
    return free_port()


@pytest.fixture(scope="module", params=[False, True], ids=["in one process", "as processes"])
def stack(
    python: str,
    telex: int,
    server: tuple[str, object],
    people: Telegram,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Stack]:
    address, _ = server
    env = {
        "FOLDLINE_EGRESS_PRIVATE_HOSTS": address,
        "OURPROVIDER_BASE_URL": f"http://{address}",
        "OURPROVIDER_API_KEY": "k-1",
        "DOOR_OURDOOR_PORT": str(telex),
        "FOLDLINE_OURCHAT_URL": people.url,
        "FOLDLINE_OURCHAT_TOKEN": TOKEN,
    }
    with ModelServer(SCRIPT) as model:
        data = tmp_path_factory.mktemp("extended")
        settings = model.environment() | env
        with Stack(data, env=settings, python=python, processes=request.param) as started:
            yield started


@pytest.fixture(scope="module")
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as found:
        yield found


@pytest.fixture(scope="module")
def foldline(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(stack.data_dir, tmp_path_factory.mktemp("commands"))


def test_nothing_is_wrong_with_what_new_wrote(made: Mapping[str, Path]) -> None:
    assert {kind: flaws_of(folder) for kind, folder in made.items()} == {kind: [] for kind in EXAMPLES}


def test_each_is_three_files_at_most(wheels: Mapping[str, Path]) -> None:
    for kind in ("channel", "provider", "embedder", "condition", "block", "service", "chat-channel", "door"):
        names = zipfile.ZipFile(wheels[kind]).namelist()
        written = [name for name in names if ".dist-info/" not in name]
        assert len(written) + 1 <= MOST_FILES, (kind, written)


def test_the_tests_of_each_pass_where_it_is_installed(python: str, made: Mapping[str, Path]) -> None:
    ran = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "."],
        cwd=made["pack"].parent,
        env=without_extensions_settings(PYTHONSAFEPATH="1"),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    tests = sum(
        text.read_text().count("\ndef test_") for one in made.values() for text in one.glob("test_*.py")
    )
    assert f"{tests} passed" in ran.stdout


def test_a_tool_of_a_pack_runs_and_its_page_is_the_agents(door: Gateway, foldline: Command) -> None:
    assert foldline("packs", "enable", "ourpack", "ourpage").code == 0
    session = door.post("/sessions", {"message": "greet Ada"})["id"]
    [call] = calls_of(door, session)
    assert call["result"] == {"text": "Hello, Ada!"}
    brought = {pack["name"]: pack["brings"] for pack in door.get("/agents/default/packs")["packs"]}
    assert brought["ourpage"] == [{"kind": "component", "name": "ourpage"}]


def test_a_condition_is_offered_and_a_rule_judged_by_it(door: Gateway, foldline: Command) -> None:
    assert foldline("packs", "enable", "ourpack").code == 0
    policy = door.get("/agents/default/policy")
    assert "added.name" in [one["name"] for one in policy["conditions"]]
    match = {"tool": "*greet", "added": [{"condition": "name", "value": "mall*"}]}
    rules = [{"verdict": "deny", "match": match, "note": "not Mallory"}]
    door.put("/agents/default/policy", {"preset": "free", "rules": rules})
    sessions = [door.post("/sessions", {"message": f"greet {name}"})["id"] for name in ("Mallory", "Ada")]
    [refused], [greeted] = (calls_of(door, session) for session in sessions)
    assert "not Mallory" in refused["error"]["message"]
    assert greeted["result"] == {"text": "Hello, Ada!"}


def test_a_block_is_recorded_with_its_component_and_its_fields(
    door: Gateway, made: Mapping[str, Path]
) -> None:
    session = door.post("/sessions", {"message": "show the disk"})["id"]
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    [block] = call["show"]["blocks"]
    assert (block["type"], block["name"]) == ("frame", "ourblock")
    assert block["props"] == {"label": "Disk", "percent": 40.0}
    assert "export default function Ourblock" in block["code"]


def test_a_model_provider_answers(door: Gateway, server: tuple[str, list[Any]]) -> None:
    body = {"message": "hello you", "model": "ourprovider/fast"}
    session = door.post("/sessions", body)["id"]
    state = standing(door, session, "idle")
    assert state["messages"][-1]["text"].split() == ["By", "telegraph:", "stop"]
    assert ("/say", None, b"hello you") in [(path, key, body[-9:]) for path, key, body in server[1]]


def test_a_notification_channel_is_offered_set_and_sent_by(
    foldline: Command, server: tuple[str, list[Any]]
) -> None:
    address, got = server
    assert "Number: Four digits" in foldline("notifications", "kinds").out
    words = ("notifications", "set", "mine", "ourchannel", f"url=http://{address}/page", "number=1234")
    made = foldline(*words, stdin="k-canary\n")
    assert made.code == 0, made.err
    tested = foldline("notifications", "test", "mine")
    assert tested.code == 0, tested.out + tested.err
    assert ("/page", "1234", b"Foldline: a test message") in got


def test_a_service_has_a_token_of_its_own_for_what_it_declares(stack: Stack, foldline: Command) -> None:
    listed = foldline("program-tokens", "--json").json
    assert [(one["name"], one["rights"], one["service"]) for one in listed if one["service"]] == [
        ("brokenchat", ["read", "say", "approve"], True),
        ("ourchat", ["read", "say", "approve"], True),
        ("ourservice", ["read"], True),
    ]
    for pid in stack.pids("ourservice"):  # none, where all is one process
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"FOLDLINE_TOKEN=pt_ourservice_" in environment
        assert stack.token.encode() not in environment


def test_a_service_reacts_once_to_what_happens(door: Gateway, foldline: Command) -> None:
    assert foldline("wake-credentials", "create", "ourservice").code == 0
    session = door.post("/sessions", {"message": "say something"})["id"]
    standing(door, session, "idle")
    rated = foldline("rate", session, "down", "--text", "it is too short")
    assert rated.code == 0, rated.err

    def answers() -> list[str]:
        state = door.get(f"/sessions/{session}/state")
        return [one["text"] for one in state["messages"] if one["role"] == "assistant" and one["text"]]

    until(lambda: len(answers()) == 2)
    assert "Answer “say something” again: it is too short" in answers()[-1]
    foldline("rate", session, "up")
    letters = json.loads(foldline("dlq", "list", "--json").out)
    assert not letters if isinstance(letters, list) else not letters["items"]
    assert len(answers()) == 2


def test_people_write_from_another_program_once_a_person_allows_them(
    stack: Stack, door: Gateway, foldline: Command, people: Telegram
) -> None:
    ada = 3 if stack.pids("ourchat") else 4
    agent = door.post("/agents", {"name": "Chatty"})["id"]
    door.put(f"/agents/{agent}/packs", {"packs": ["ourpack"]})
    rules = [{"verdict": "ask", "match": {"tool": "*greet"}, "note": "It greets"}]
    door.put(f"/agents/{agent}/policy", {"preset": "free", "rules": rules})
    people.write(ada, "hello")
    told = people.next(ada, 0)
    code = told.partition("foldline chats allow ")[2].split()[0]
    people.write(ada, "hello?")
    people.taken()
    assert (people.sent(ada), door.get("/sessions", agent_id=agent)["items"]) == ([told], [])
    assert foldline("chats", "allow", "WRONG234").code == 1
    assert "waits to be allowed" in foldline("chats", COLUMNS="200").out
    allowed = foldline("chats", "allow", code, "--agent", agent)
    assert allowed.code == 0, allowed.err

    def says(text: str, number: int | None = None) -> str:
        before = len(people.sent(ada))
        people.write(ada, text, number=number)
        return people.next(ada, before)

    assert says("hello there", 77) == "You said: hello there"
    people.write(ada, "hello there", number=77)
    people.taken()
    [session] = door.get("/sessions", agent_id=agent)["items"]
    asked = says("which town is it?")
    assert "1. Oslo" in asked
    assert "Answer with a number" in asked
    assert says("2") == "Done."
    waits = says("greet Ada")
    assert "waits for your approval" in waits
    assert '"name": "Ada"' in waits
    assert "Answer yes or no" in says("perhaps")
    assert says("yes") == "Done."
    calls = {call["tool"].rpartition(".")[2]: call for call in calls_of(door, session["id"])}
    assert calls["ask_user"]["result"] == {"answer": "Bergen", "from_options": True}
    assert calls["greet"]["result"] == {"text": "Hello, Ada!"}
    said = [one for one in door.get(f"/sessions/{session['id']}/messages")["items"] if one["role"] == "user"]
    assert [one["text"] for one in said] == ["hello there", "which town is it?", "greet Ada"]
    assert {one["client"] for one in said} == {"ourchat"}
    stack.kill("ourchat")  # none, where all is one process; the answer before may come twice then
    people.write(ada, "are you there?")
    until(lambda: "You said: are you there?" in people.sent(ada))
    assert says("/new").startswith("Your next message")
    assert says("hello again") == "You said: hello again"
    assert len(door.get("/sessions", agent_id=agent)["items"]) == 2
    [partner] = [one for one in foldline("chats", "--json").json if one["sender"] == str(ada)]
    assert foldline("chats", "remove", partner["id"]).code == 0
    assert "foldline chats allow" in says("and now?")


def test_a_channel_that_cant_receive_says_why_and_goes_on_by_itself(
    stack: Stack, foldline: Command, people: Telegram, python: str
) -> None:
    people.refuses = "Too Many Requests"
    until(lambda: "ourchat doesn't work" in foldline("chats", COLUMNS="300").err)
    assert "Telegram refuses getUpdates" not in foldline("chats").err, "the channel has another name here"
    assert "refuses getUpdates: Too Many Requests" in foldline("chats", COLUMNS="300").err
    logs = [*stack.data_dir.glob("*.log"), *stack.data_dir.glob("logs/*")]
    assert b"refuses getUpdates" in b"".join(path.read_bytes() for path in logs)
    assert not [path for path in logs if TOKEN.encode() in path.read_bytes()]
    people.refuses = ""
    until(lambda: "ourchat doesn't work" not in foldline("chats", COLUMNS="300").err)


def test_a_door_is_open(door: Gateway, telex: int) -> None:
    session = door.post("/sessions", {"message": "hello"})["id"]
    standing(door, session, "idle")

    def said(line: str) -> str:
        with socket.create_connection(("127.0.0.1", telex), 10) as connection:
            connection.sendall(line.encode() + b"\n")
            return connection.makefile().readline()

    assert said(f"{session} and then?").startswith("event ")
    assert said("s_nobody hello").startswith("refused (not_found)")


def test_what_is_wrong_is_told_where_people_look_and_nothing_else_is(
    stack: Stack, foldline: Command, python: str
) -> None:
    listed = foldline("packs", COLUMNS="300")
    lines = {line.split()[0]: line for line in listed.out.splitlines() if line.strip()}
    for name in ("brokenservice", "brokenchat", "brokenchannel", "brokenprovider", "brokenpack"):
        assert name in lines, listed.out
    named = ("brokenservice", "brokenchat", "brokenchannel", "brokenprovider")
    for name in (*named, "brokenpack", "missingservice", "brokencondition", "brokenblock", "brokendoor"):
        assert "can't be used" in lines[name], lines[name]
    for kind in ("channel", "provider", "block", "service", "door"):
        assert "used" in lines[f"our{kind}"], lines[f"our{kind}"]
        assert "can't" not in lines[f"our{kind}"]
    doctor = subprocess.run(
        [python, "-m", "foldline", "doctor", "--json"],
        env=without_extensions_settings(FOLDLINE_DATA_DIR=str(stack.data_dir)),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    [about] = [one for one in json.loads(doctor.stdout) if one["check"] == "extensions"]
    assert about["verdict"] == "problem"
    assert "service brokenchat (foldline-broken 2.0)" in about["text"]
    for kind in EXAMPLES.keys() - {"page", "embedder", "chat-channel"}:
        assert f"{kind} broken{kind} (foldline-broken 2.0)" in about["text"] or kind == "pack", about["text"]
    assert "pack brokenpack" in about["text"]
    assert " our" not in about["text"]


def test_what_is_sent_by_what_is_broken_says_so(door: Gateway, foldline: Command) -> None:
    assert foldline("notifications", "set", "broken", "brokenchannel", "number=1").code == 0
    tested = foldline("notifications", "test", "broken")
    assert tested.code == 1
    assert "No module named 'foldline_broken.missing'" in tested.out + tested.err
    answered = foldline("send", "hello", "--model", "brokenprovider/fast")
    assert answered.code == 1
    assert "can't be used" in answered.out + answered.err
