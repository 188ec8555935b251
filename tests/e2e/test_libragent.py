"""A LibrAgent, as its documentation shows it: pages, diagnoses, a content store, a plan, playbooks."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages, newest
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

FORM = """<title>Sign up</title><style>body { margin: 0 }
#cookies { position: fixed; inset: 0; background: #eee }</style>
<form><label>E-mail <input name="email"></label><button class="submit" type="button"
onclick="document.title = 'Sent'">Submit</button></form>
<div id="cookies">We use cookies. <button id="ok" onclick="document.getElementById('cookies').remove()">
Fine</button></div>"""
ARTICLE = """<title>Pets</title><main><article><h1>Pets</h1><p>People have kept animals in their houses for as
long as there have been houses, for company, and to be warned of strangers in the night.</p>
<p>A canary sings at dawn, and wants a cage that is wider than it is high.</p>
<p>A motor car is no pet, whatever its owner says, and it eats more oil than any animal does.</p></article>
</main>"""
EMBEDDINGS = {"subjects": [["canary", "bird", "sings"], ["car", "motor", "oil"], ["house", "strangers"]]}
GOAL = "Know more of pets"


class Pages(BaseHTTPRequestHandler):
    """A form under a banner, and an article."""

    def do_GET(self) -> None:
        """Answer."""
        body = (ARTICLE if self.path == "/page" else FORM).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def pages() -> Iterator[str]:
    """Where they are."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def libra(pages: str, script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline whose default agent has the pack."""
    env = script.environment() | {
        "FOLDLINE_EGRESS_PRIVATE_HOSTS": pages,
        "FOLDLINE_EMBEDDING_MODEL": "openai/vectors",
    }
    with Stack(tmp_path_factory.mktemp("libra"), env=env) as stack:
        with stack.gateway() as door:
            door.put("/agents/default/packs", {"packs": ["libragent"]})
        yield stack
        assert "pack.broken" not in stack.log, "each runner offers what the packs' tools ask for"
        every_session_replays(stack)


@pytest.fixture(scope="module")
def door(libra: Stack) -> Iterator[Gateway]:
    with libra.gateway() as opened:
        yield opened


class Agent:
    """A session whose model makes just the calls that it is told to."""

    def __init__(self, door: Gateway, model: ModelServer) -> None:
        self.door = door
        self.model = model
        self.session: str | None = None

    def asked(self, text: str, name: str, /, **given: Any) -> dict[str, Any]:
        """A person says something, and the model makes this call: how it ended."""
        turns = [{"tool_calls": [{"name": name, "arguments": given}]}, {"text": "Done."}]
        self.model.play({"rules": [{"turns": turns}], "embeddings": EMBEDDINGS})
        turn = ChatTurn(self.door, self.session)
        turn.say(text)
        for _ in turn.pieces():
            pass
        assert turn.answer == "Done."
        self.session = turn.session_id
        made = [call for one in messages(self.door, turn.session_id) for call in one["tool_calls"]]
        ended: dict[str, Any] = made[-1]
        return ended

    def gets(self, text: str, name: str, /, **given: Any) -> Any:
        """The result of a call that must succeed."""
        ended = self.asked(text, name, **given)
        assert ended["error"] is None, ended["error"]
        return ended["result"]


def test_it_browses_diagnoses_stores_finds_plans_and_goes_back(
    door: Gateway, script: ModelServer, pages: str
) -> None:
    agent = Agent(door, script)
    url = f"http://{pages}"

    # Basic browser automation, as the documentation has it.
    say = f"Sign me up at {url}/ and read {url}/page"
    opened = agent.gets(say, "createSession", url=f"{url}/", title="My Browser Session")
    session = opened["sessionId"]
    listed = agent.gets("go on", "listSessions")["sessions"]
    assert listed == [{"sessionId": session, "url": f"{url}/", "title": "My Browser Session"}]
    covered = agent.asked("go on", "clickElement", sessionId=session, selector="button.submit")["error"]
    assert "is covered by" in covered["message"]
    assert "cookies" in covered["message"]
    measured = str(script.recording.requests[-1].messages[-1]["content"])
    assert '"reason":"covered"' in measured.replace(" ", "")
    assert '"box"' in measured
    found = agent.gets("go on", "extractInteractable", sessionId=session)["elements"]
    assert "#ok" in [one["selector"] for one in found]
    agent.gets("go on", "clickElement", sessionId=session, selector="#ok")
    email = {"selector": "input[name='email']", "text": "ada@example.org"}
    assert agent.gets("go on", "inputText", sessionId=session, **email)["success"] is True
    sent = agent.gets("go on", "clickElement", sessionId=session, selector="button.submit")
    assert (sent["success"], sent["title"]) == (True, "Sent")

    before = newest(door, str(agent.session))
    agent.gets("go on", "navigateToUrl", sessionId=session, url=f"{url}/page")
    content = agent.gets("go on", "extractPageContent", sessionId=session, saveRawHtml=True)
    assert "# Pets" in content["markdown"]

    # The page is stored; a sentence is found by a word of it, and by its meaning.
    stored = agent.gets("go on", "addContent", file_id=content["rawHtmlFileId"])
    agent.gets("go on", "addContent", content="A car needs a motor and oil.")
    [hit] = agent.gets("go on", "keywordSimilaritySearch", query="dawn")["results"]
    assert hit["content_id"] == stored["content_id"]
    assert "A canary sings at dawn" in hit["text"]
    meant = agent.gets("go on", "semanticSimilaritySearch", query="Which bird?", options={"top_n": 1})
    assert [one["content_id"] for one in meant["results"]] == [stored["content_id"]]

    # The plan is in view at the next step.
    agent.gets("go on", "create_goal", goal=GOAL)
    agent.gets("go on", "add_todo", name="Ask a breeder")
    step = {"toolName": "createSession", "purpose": "to see the page"}
    workflow = [{"stepId": "1", "description": "Open it.", "action": step}]
    playbook = agent.gets("go on", "create_playbook", goal="Read a page", workflow=workflow)
    told = json.dumps(script.recording.requests[-1].messages[0])
    assert "This session's plan" in told
    assert f"## Goal\\n{GOAL}" in told
    assert "- [ ] 1. Ask a breeder" in told

    # All of it is in the past, in the preview, and goes back.
    kinds = {one["kind"]: one for one in _moment(door, agent)}
    assert [one["name"] for one in kinds["plan"]["things"]] == [agent.session]
    assert [one["label"] for one in kinds["playbook"]["things"]] == ["Read a page"]
    preview = door.get(f"/sessions/{agent.session}/rewind-preview", to=before)
    shown = {(one["kind"], one["name"]) for one in preview["agent"]}
    assert {("plan", agent.session), ("playbook", playbook["id"])} <= shown
    assert preview["database"] is not None
    parts = ["conversation", "agent", "database", "files"]
    done = door.post(f"/sessions/{agent.session}:rewind", {"to": before, "parts": parts})
    assert {"plan", "playbook", "database"} <= set(done["rewound"])
    assert agent.gets("go on", "listStores")["stores"] == []
    assert agent.gets("go on", "get_current_state")["goal"] is None
    kinds = {one["kind"]: one for one in _moment(door, agent)}
    assert (kinds["plan"]["count"], kinds["playbook"]["count"]) == (0, 0)


def test_an_agent_without_the_pack_has_none_of_it(door: Gateway, script: ModelServer) -> None:
    door.post("/agents", {"id": "plain", "name": "Plain"})
    created = door.post("/sessions", {"agent_id": "plain"})
    agent = Agent(door, script)
    agent.session = created["id"]
    ended = agent.asked("go on", "create_goal", goal="x")
    assert ended["error"]["kind"] == "unknown_tool"
    told = json.dumps(script.recording.requests[-1].body)
    assert "createSession" not in told
    assert "This session's plan" not in told


def _moment(door: Gateway, agent: Agent) -> list[dict[str, Any]]:
    session = str(agent.session)
    found = door.get("/agents/default/moment", session_id=session, min_sequence=newest(door, session))
    kinds: list[dict[str, Any]] = found["kinds"]
    return kinds
