"""An agent that builds itself: tools, a library and functions that it makes, run and kept over HTTP."""

from importlib import resources
from typing import Any

import httpx
import pytest
import yaml

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_domain.starters import STARTERS
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

NUMBER: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "number"}},
    "required": ["n"],
    "additionalProperties": False,
}
COUNT = """
const before = await state.get('count') ?? 0
await state.set('count', before + args.n)
await db.sql('create table if not exists counted (n)')
await db.sql('insert into counted values (?)', [args.n])
const { rows } = await db.sql('select sum(n) from counted')
return { state: await state.get('count'), db: rows[0][0] }
"""


def calls(words: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A rule: a message with these words makes the model call tools, one after another."""
    turns = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return {"when": {"user_contains": words}, "turns": [*turns, {"text": "Done."}]}


def made(name: str, code: str, **more: Any) -> dict[str, Any]:
    """What makes a tool or function of `n`."""
    return {"name": name, "description": "For a test.", "parameter_schema": NUMBER, "code": code, **more}


RULES = [
    calls("buy milk", ("todo", {"add": ["milk"]}), ("date_math", {"date": "2026-02-28", "days": 1})),
    calls("break it", ("update_tool", {"name": "celsius_to_fahrenheit", "code": "const a = 1\nlet b = ;"})),
    calls("worse", ("update_tool", {"name": "celsius_to_fahrenheit", "code": "return { fahrenheit: 0 }"})),
    calls(
        "twofold",
        (
            "create_tool",
            made("twofold", "return args.n * 2", examples=[{"arguments": {"n": 4}, "result": 8}]),
        ),
        ("update_tool", {"name": "twofold", "code": "return args.n ** 2"}),
        ("twofold", {"n": 3}),
    ),
    calls(
        "threefold",
        ("create_tool", made("threefold", "return args.n * 3")),
        ("update_tool", {"name": "threefold", "code": "return args.m.n * 3"}),
        *[("threefold", {"n": number}) for number in range(4)],
    ),
    calls(
        "a library",
        ("create_library", {"name": "maths", "description": "Maths.", "code": "exports.sq = (n) => n * n"}),
        ("run_sandbox_code", {"code": "return require('maths').sq(12)"}),
    ),
    calls("count", ("create_tool", made("count", COUNT)), ("count", {"n": 2}), ("count", {"n": 3})),
    calls(
        "functions",
        (
            "create_function",
            made("half", "if (args.n < 0) throw new RangeError('negative'); return args.n / 2"),
        ),
        ("create_function", made("note", "await state.set('noted', args.n); return session.notepad.read()")),
    ),
]


_DEMO = yaml.safe_load(resources.files("demo_model").joinpath("demo.yaml").read_text())
SCRIPT = {**_DEMO, "rules": [*RULES, *_DEMO["rules"]], "pace": {"size": 1000}}


def said(door: Gateway, text: str) -> tuple[list[tuple[str, str, Any]], str]:
    """Say something in a new session: the calls of the one turn that follows, and its answer."""
    turn = ChatTurn(door, None)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    told = [
        (call["tool"], call["status"], call["result"] if call["status"] == "completed" else call["error"])
        for message in messages(door, turn.session_id)
        for call in message["tool_calls"]
    ]
    return told, turn.answer


def called(
    stack: Stack, name: str, arguments: dict[str, Any], agent: str = "default", **headers: str
) -> tuple[int, Any]:
    """Call a function over HTTP: the status, and the answer."""
    answer = httpx.post(
        f"{stack.url}/api/v1/agents/{agent}/functions/{name}:invoke",
        json={"arguments": arguments},
        headers={"Authorization": f"Bearer {stack.token}", **headers},
        timeout=60,
    )
    return answer.status_code, answer.json()


def test_a_new_install_offers_its_starters_and_they_work(
    stack: Stack, door: Gateway, model: ModelServer
) -> None:
    (todo, dates), _ = said(door, "buy milk")
    assert todo[:2] == ("todo", "completed")
    assert [one["text"] for one in todo[2]["open"]] == ["milk"]
    assert dates[2]["then"]["date"] == "2026-03-01"
    assert called(stack, "todo_items", {}) == (200, {"result": todo[2]})
    assert door.get("/agents/default/state/todo%2Fchanged")["value"]

    first = next(one for one in model.recording.requests if one.newest == "buy milk")
    offered = {tool["function"]["name"]: tool["function"] for tool in first.body["tools"]}
    system = first.messages[0]["content"]
    assert system.startswith(DEFAULT_PROMPT)
    for one in STARTERS:
        if one.kind is not EntityKind.TOOL:
            assert f"- `{one.name}`: {one.value['description']}" in system
        else:
            assert offered[one.name]["description"] == one.value["description"]
            assert offered[one.name]["parameters"] == one.value["parameter_schema"]


def test_a_tool_is_made_and_used_in_one_turn_and_stays(door: Gateway) -> None:
    told, answer = said(door, "make a tool that converts Celsius to Fahrenheit and use it")
    assert told == [
        ("create_tool", "completed", {"name": "celsius_to_fahrenheit", "version": 1}),
        ("celsius_to_fahrenheit", "completed", {"fahrenheit": 70.7}),
    ]
    assert "**70.7 °F**" in answer
    warm = ("celsius_to_fahrenheit", "completed", {"fahrenheit": 212})
    assert said(door, "What is 100 celsius in fahrenheit?")[0] == [warm]

    ((_, status, error),) = said(door, "break it")[0]
    assert (status, error["kind"], error["path"]) == ("failed", "rejected", "/code")
    assert "(line 2, column 9)" in error["message"]
    assert said(door, "100 celsius in fahrenheit")[0] == [warm]

    told, _ = said(door, "make it threefold")
    assert [status for _, status, _ in told] == ["completed"] * 2 + ["failed"] * 3 + ["completed"]
    assert "set back to version 1, which is version 3 now" in told[4][2]["message"]
    assert told[5][2] == 9
    versions = door.get("/agents/default/tools/threefold/versions")["items"]
    assert {one["session_id"] for one in versions} != {None}

    assert said(door, "make it worse")[0][0][2]["version"] == 2
    assert said(door, "100 celsius in fahrenheit")[0] == [(*warm[:2], {"fahrenheit": 0})]
    door.post("/agents/default/tools/celsius_to_fahrenheit:revert", {"version": 1})
    assert said(door, "100 celsius in fahrenheit")[0] == [warm]


def test_code_requires_a_library_and_uses_state_and_database(door: Gateway) -> None:
    assert said(door, "a library")[0][1][1:] == ("completed", {"result": 144, "logs": []})
    assert [call[2] for call in said(door, "count")[0][1:]] == [{"state": 2, "db": 2}, {"state": 5, "db": 5}]


def test_functions_are_called_over_http(stack: Stack, door: Gateway) -> None:
    assert [call[1] for call in said(door, "functions")[0]] == ["completed", "completed"]

    key = {"Idempotency-Key": "k1"}

    assert called(stack, "half", {"n": 5}) == (200, {"result": 2.5})
    assert [called(stack, "half", {"n": 3}, **key) for _ in range(2)] == [(200, {"result": 1.5})] * 2
    status, problem = called(stack, "half", {"n": 4}, **key)
    assert (status, problem["kind"]) == (422, "idempotency_mismatch")
    status, problem = called(stack, "half", {"n": "x"})
    assert (status, problem["kind"], problem["path"]) == (422, "invalid_request", "/arguments/n")
    status, problem = called(stack, "half", {"n": -1})
    assert (status, problem["kind"], problem["detail"]) == (
        422,
        "code_failed",
        "RangeError: negative (line 1, column 27)",
    )
    status, problem = called(stack, "note", {"n": 7})
    assert (status, problem["kind"]) == (422, "code_failed")
    assert "no session" in problem["detail"]
    assert door.get("/agents/default/state/noted")["value"] == 7
    assert (called(stack, "none", {})[0], called(stack, "half", {"n": 1}, "nobody")[0]) == (404, 404)
    door.patch("/agents/default/functions/half", {"enabled": False})
    assert called(stack, "half", {"n": 1})[0] == 409
    assert called(stack, "half", {"n": 3}, **key) == (200, {"result": 1.5})


def test_people_write_under_the_agents_own_rules_and_read_its_database(stack: Stack, door: Gateway) -> None:
    def asked(method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        answer = httpx.request(
            method,
            f"{stack.url}/api/v1/agents/default/{path}",
            json=body,
            headers={"Authorization": f"Bearer {stack.token}"},
            timeout=60,
        )
        return answer.status_code, answer.json()

    twice = {"description": "Twice.", "parameter_schema": NUMBER, "code": "return args.n * 2"}
    status, problem = asked("PUT", "functions/twice", {**twice, "code": "const a = 1\nlet b = ;"})
    assert (status, problem["path"], problem["line"], problem["column"]) == (422, "/code", 2, 9)
    assert asked("PUT", "functions/get_state", twice)[0] == 422
    assert asked("PUT", "functions/twice", twice)[1]["version"] == 1
    assert asked("POST", "functions/twice:invoke", {"arguments": {"n": 4}}) == (200, {"result": 8})
    assert asked("PUT", "functions/twice", {**twice, "version": 0})[0] == 409
    assert asked("PUT", "skills/how-to", {"description": "d", "content": "c"})[1]["version"] == 1

    said(door, "count")
    tables = asked("GET", "database")[1]["items"]
    counted = asked("POST", "database:query", {"sql": "SELECT count(*) FROM counted"})[1]["rows"][0]
    assert [table["row_count"] for table in tables if table["name"] == "counted"] == counted
    query = {"sql": "SELECT max(n) AS most FROM counted WHERE n < ?", "params": [9]}
    assert asked("POST", "database:query", query)[1]["rows"] == [[3]]
    assert asked("POST", "database:query", {"sql": "DELETE FROM counted"})[0] == 422


def test_a_change_that_breaks_an_example_is_refused_from_the_agent_and_from_people(door: Gateway) -> None:
    (_, broken, ran), _ = said(door, "twofold")
    assert broken[:2] == ("update_tool", "failed")
    assert 'twofold({"n":4}) should give 8, and it gives 16' in broken[2]["message"]
    assert ran == ("twofold", "completed", 6)

    tool = door.get("/agents/default/tools/twofold")
    assert tool["version"] == 1
    wanted = {name: tool["definition"][name] for name in ("description", "parameter_schema", "examples")}
    with pytest.raises(Rejected) as refused:
        door.put("/agents/default/tools/twofold", {**wanted, "code": "return args.n + 3"})
    assert "should give 8, and it gives 7" in refused.value.message
    better = door.put("/agents/default/tools/twofold", {**wanted, "code": "return args.n + args.n"})
    assert (better["version"], better["definition"]["examples"]) == (2, wanted["examples"])
