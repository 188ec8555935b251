"""Which event broke it: real probes of a real agent, by a scripted model."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from agent_contracts import service_names
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.browser import WatchedPage
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command
from foldline_testing.product.looks import Look, Looks
from foldline_testing.product.stack import Stack
from foldline_testing.product.typing import write

LOOKS: list[Look] = [(380, "light"), (1024, "dark"), (1440, "light")]
SCHEMA = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
RIGHT = "return args.c * 1.8 + 32"
WRONG = "return args.c * 1.9 + 32"


def sql(words: str, statement: str) -> dict[str, Any]:
    """A rule: these words make the model run a statement, and say what came."""
    turns = [{"tool_calls": [{"name": "db_sql", "arguments": {"sql": statement}}]}]
    return {"when": {"user_contains": words}, "turns": [*turns, {"text": "It is {{ results[-1] }}."}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "convert"},
            "turns": [
                {"tool_calls": [{"name": "warm", "arguments": {"c": 100}}]},
                {"text": "It is {{ results[-1] }} degrees."},
            ],
        },
        sql("plant tea", "CREATE TABLE tea (leaf)"),
        sql("more tea", "INSERT INTO tea VALUES (1)"),
        sql("count tea", "SELECT 'tea' || count(*) AS n FROM tea"),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def put_tool(door: Gateway, agent: str, code: str) -> int:
    body = {"description": "Celsius to Fahrenheit.", "parameter_schema": SCHEMA, "code": code}
    return int(door.put(f"/agents/{agent}/tools/warm", body)["sequence"])


def put_state(door: Gateway, agent: str, name: str, value: Any) -> int:
    return int(door.put(f"/agents/{agent}/state/{name}", {"value": value})["sequence"])


def over(door: Gateway, agent: str, within: float = 120) -> dict[str, Any]:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        found: dict[str, Any] = door.get(f"/agents/{agent}/bisection")["bisection"]
        if found["status"] not in ("running", "stopping"):
            return found
        time.sleep(0.1)
    raise TimeoutError(found)


@pytest.fixture
def agent(door: Gateway, request: pytest.FixtureRequest) -> str:
    name = f"b_{abs(hash(request.node.name)) % 10**8}"
    door.post("/agents", {"name": "Bisected", "id": name, "starters": False})
    put_tool(door, name, RIGHT)
    return name


CHECK = {"ask": "convert 100", "expect": "212"}


def test_the_event_that_spoilt_a_tool_is_found_and_nothing_of_the_agent_changes(
    door: Gateway, agent: str
) -> None:
    for number in range(6):
        put_state(door, agent, "before", number)
    spoilt = put_tool(door, agent, WRONG)
    for number in range(6):
        put_state(door, agent, "after", number)
    before = door.get(f"/agents/{agent}/state")
    cost = door.post(f"/agents/{agent}:bisect-preview", CHECK)
    assert (cost["events"], cost["probes"]) == (14, 14)
    assert (cost["least_runs"], cost["most_runs"]) == (28, 42)
    door.post(f"/agents/{agent}:bisect", CHECK)
    with pytest.raises(Rejected, match="stop it first"):
        door.post(f"/agents/{agent}:bisect", CHECK)
    found = over(door, agent)
    assert found["status"] == "found", found
    assert found["spoilt_by"]["sequence"] == spoilt
    assert (found["spoilt_by"]["kind"], found["spoilt_by"]["name"]) == ("tool", "warm")
    assert len(found["probes"]) <= 14
    assert all(len(probe["runs"]) == 2 for probe in found["probes"])
    assert found["tokens"] > 0
    assert door.get(f"/agents/{agent}/state") == before
    run = found["probes"][0]["runs"][0]
    assert "222" in run["answer"]
    assert door.get(f"/sessions/{run['session_id']}")["status"] == "completed"
    assert found["probe_agent"] not in [one["id"] for one in door.get("/agents")["items"]]
    listed = [one["agent_id"] for one in door.get("/sessions", limit=50)["items"]]
    assert found["probe_agent"] not in listed
    with pytest.raises(Rejected, match="reserved"):
        door.post("/agents", {"name": "Mine", "id": "probe_mine"})


def test_a_function_tells_too_and_probes_see_state_and_database_as_they_were(
    door: Gateway, agent: str
) -> None:
    code = "return (await state.get('limit')) === 3"
    made = {"description": "Whether all is well.", "parameter_schema": {"type": "object"}, "code": code}
    door.put(f"/agents/{agent}/functions/well", made)
    good = put_state(door, agent, "limit", 3)
    put_state(door, agent, "other", 2)
    spoilt = put_state(door, agent, "limit", 4)
    put_state(door, agent, "other", 3)
    door.post(f"/agents/{agent}:bisect", {"function": "well", "good": good})
    found = over(door, agent)
    assert (found["status"], (found["spoilt_by"] or {}).get("sequence")) == ("found", spoilt), found

    said(door, agent, "plant tea")
    for _ in range(3):
        said(door, agent, "more tea")
    door.post(f"/agents/{agent}:bisect", {"ask": "count tea", "expect_not": "tea3", "good": spoilt})
    found = over(door, agent)
    assert found["status"] == "found", found
    assert found["spoilt_by"]["kind"] == "database"
    before = door.post(f"/agents/{agent}/database:query", {"sql": "SELECT count(*) FROM tea"})
    assert before["rows"] == [[3]]


def said(door: Gateway, agent: str, text: str) -> None:
    turn = ChatTurn(door, str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


def test_probes_send_nothing(door: Gateway, agent: str) -> None:
    code = (
        "try { await fetch('https://example.org/', { method: 'POST', body: 'x' }) } "
        "catch (error) { return String(error).includes('probe of a bisection') ? 'refused' : String(error) } "
        "return 'sent'"
    )
    body = {"description": "Sends.", "parameter_schema": SCHEMA, "code": code}
    door.put(f"/agents/{agent}/tools/warm", body)
    put_state(door, agent, "one", 1)
    door.post(f"/agents/{agent}:bisect", {"ask": "convert 100", "expect": "refused"})
    found = over(door, agent)
    assert (found["status"], found["probes"][0]["holds"]) == ("not_found", True), found


def test_what_holds_now_is_not_searched_and_stop_ends_it(door: Gateway, agent: str) -> None:
    put_state(door, agent, "one", 1)
    door.post(f"/agents/{agent}:bisect", CHECK)
    found = over(door, agent)
    assert (found["status"], len(found["probes"])) == ("not_found", 1)
    assert "nothing is spoilt" in found["reason"]
    for number in range(40):
        put_state(door, agent, "more", number)
    door.post(f"/agents/{agent}:bisect", {"ask": "hello", "expect": "never said"})
    stopped = door.post(f"/agents/{agent}/bisection:stop")
    assert stopped["status"] == "stopped"
    with pytest.raises(Rejected, match="must contain"):
        door.post(f"/agents/{agent}:bisect-preview", {"ask": "hello"})


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    return Command(stack.data_dir, tmp_path)


ASKED = ("--ask", "convert 100", "--expect", "212")


def test_the_command_says_the_cost_asks_and_finds_a_spoilt_tool(
    foldline: Command, door: Gateway, agent: str
) -> None:
    put_state(door, agent, "before", 1)
    spoilt = put_tool(door, agent, WRONG)
    put_state(door, agent, "after", 1)
    asked = foldline("bisect", agent, *ASKED, stdin="n\n")
    assert asked.code == 1, asked
    assert "4 events: at most 5 probes, 10 to 15 runs of the check." in asked.out
    assert "Never more than" in asked.out
    assert "Search?" in asked.out
    cost = foldline("bisect", agent, *ASKED, "--json").json
    assert (cost["events"], cost["probes"]) == (4, 5)
    assert door.get(f"/agents/{agent}/bisection")["bisection"] is None

    searched = foldline("bisect", agent, *ASKED, stdin="y\n")
    assert searched.code == 0, searched
    words = " ".join(searched.out.split())
    assert f"it fails from event {spoilt}: a person wrote tool/warm" in words
    assert f"✗ 1/5 after event {spoilt + 1}: It is 222" in words
    take_back = re.search(r"foldline (rewind --agent \S+ --to \d+ --only tool/warm)", words)
    assert take_back, words
    found = foldline("bisect", agent, *ASKED, "--yes", "--json").json
    assert (found["status"], found["spoilt_by"]["sequence"]) == ("found", spoilt)
    assert foldline(*take_back[1].split(), "--yes").code == 0
    assert "1.8" in str(door.get(f"/agents/{agent}/tools/warm"))
    held = foldline("bisect", agent, *ASKED, "--yes")
    assert (held.code, "nothing is spoilt" in " ".join(held.out.split())) == (1, True), held


def test_the_command_refuses_what_is_no_check(foldline: Command, door: Gateway, agent: str) -> None:
    put_state(door, agent, "one", 1)
    newest = door.post(f"/agents/{agent}:rewind-preview", {"to": 1})["log_sequence"]
    for words, why in (
        (("--ask", "hello"), "must contain"),
        (("--function", "well", "--arguments", "{"), "--arguments is not JSON"),
        (("--function", "well", "--arguments", "[]"), "must be a JSON object"),
        ((*ASKED, "--bad", str(newest + 10**6)), "There is no event"),
        ((*ASKED, "--good", "9", "--bad", "9"), "must come before"),
        (("--stop",), "has no bisection yet"),
    ):
        refused = foldline("bisect", agent, *words)
        assert refused.code == 1, refused
        assert why in refused.err
        assert "Traceback" not in refused.err
    assert foldline("bisect", agent, *ASKED, "--good", "never").code == 2


def test_ctrl_c_stops_it(foldline: Command, door: Gateway, agent: str) -> None:
    for number in range(40):
        put_state(door, agent, "more", number)
    before = door.get(f"/agents/{agent}/state")
    with foldline.terminal("bisect", agent, "--ask", "hello", "--expect", "never said", "--yes") as terminal:
        terminal.wait_for("after event")
        terminal.press("c")
        assert "Stopped after" in terminal.wait_for("The agent didn't change")
        assert terminal.ended() == 130
    found = door.get(f"/agents/{agent}/bisection")["bisection"]
    assert found["status"] == "stopped"
    assert len(found["probes"]) < found["most_probes"]
    assert found["probe_agent"] not in [one["id"] for one in door.get("/agents")["items"]]
    assert door.get(f"/agents/{agent}/state") == before
    again = foldline("bisect", agent, "--stop")
    assert (again.code, "stopped" in again.out) == (0, True), again


def questions(processes: Stage) -> list[Any]:
    """What the model was asked by probes, by all of them so far."""
    return [one for one in processes.model.recording.requests if "convert 100" in str(one.body)]


@pytest.mark.faults
@pytest.mark.timeout(300)
@pytest.mark.parametrize("service", [service_names.GATEWAY, service_names.MODEL_CALLER, service_names.RUNNER])
def test_it_goes_on_after_a_kill_and_names_the_same_event(
    processes: Stage, tmp_path: Path, service: str
) -> None:
    processes.model.play({**SCRIPT, "pace": {"size": 2, "delay": 0.05}})
    foldline = Command(processes.stack.data_dir, tmp_path)
    try:
        with processes.stack.gateway() as door:
            agent = f"b_killed_{service}"
            door.post("/agents", {"name": "Bisected", "id": agent, "starters": False})
            put_tool(door, agent, RIGHT)
            put_state(door, agent, "before", 1)
            spoilt = put_tool(door, agent, WRONG)
            for number in range(4):
                put_state(door, agent, "after", number)
            already = len(questions(processes))
            with foldline.terminal("bisect", agent, *ASKED, "--yes") as terminal:
                terminal.wait_for("1/8")
                begun = door.get(f"/agents/{agent}/bisection")["bisection"]
                assert begun["status"] == "running"
                assert processes.stack.kill(service)
                assert f"it fails from event {spoilt}" in terminal.wait_for("tool/warm")
                assert terminal.ended() == 0
            found = door.get(f"/agents/{agent}/bisection")["bisection"]
            ran = [run["session_id"] for probe in found["probes"] for run in probe["runs"]]
            before = [run["session_id"] for probe in begun["probes"] for run in probe["runs"]]
            assert ran[: len(before)] == before
            assert len(ran) == len(set(ran)) == 2 * len(found["probes"])
            asked = len(questions(processes)) - already
            # For the call, and for the answer; whose answer died with its caller is asked for once more.
            assert 0 <= asked - 2 * len(ran) <= (0 if service == service_names.GATEWAY else 2)
            assert found["probe_agent"] not in [one["id"] for one in door.get("/agents")["items"]]
    finally:
        processes.model.play(story.script())


@pytest.mark.browser
def test_in_the_browser_a_spoilt_tool_is_found_and_taken_back(
    door: Gateway,
    agent: str,
    stack: Stack,
    new_page: Callable[..., WatchedPage],
    screenshots: Path,
    axe: Path,
) -> None:
    for number in range(3):
        put_state(door, agent, "before", number)
    spoilt = put_tool(door, agent, WRONG)
    put_state(door, agent, "after", 1)
    page = new_page(stack.url, width=1440).page
    page.goto(stack.link)
    expect(page.get_by_role("link", name="Studio: what the agent made")).to_be_visible()
    page.goto(f"{stack.url}/#/studio/{agent}")
    page.get_by_role("link", name="The agent's past: rewind it, or find what broke it").click()
    write(page.get_by_label("Message to send"), "convert 100")
    write(page.get_by_label("The answer contains"), "212")
    page.get_by_role("button", name="What would it cost?").click()
    expect(page.get_by_text("at most")).to_contain_text("probes")
    looks = Looks(page, LOOKS, screenshots, axe)
    looks.check("bisect-cost")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_text(f"It fails from event {spoilt}.")).to_be_visible(timeout=90_000)
    expect(page.get_by_role("group", name="Tool warm: before and after")).to_contain_text("1.9")
    expect(page.get_by_role("link", name=re.compile("Probe: "))).to_have_count(0)
    looks.check("bisect-found")
    page.get_by_role("button", name="Take this back…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("group", name="Change of Tool warm")).to_contain_text("1.8")
    second = new_page(stack.url).page
    second.goto(stack.link)
    expect(second.get_by_role("link", name="Studio: what the agent made")).to_be_visible()
    second.goto(page.url)
    expect(second.get_by_text(f"It fails from event {spoilt}.")).to_be_visible()
    expect(second.get_by_role("list", name="Rewinds")).to_have_count(0)
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog.get_by_text("Done. The agent is as it was")).to_be_visible()
    assert "1.8" in str(door.get(f"/agents/{agent}/tools/warm"))
    assert door.get(f"/agents/{agent}/state/after")["value"] == 1
    for tab in (page, second):
        expect(tab.get_by_role("list", name="Rewinds")).to_contain_text("Tools 1")
