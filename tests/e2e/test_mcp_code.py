"""Agents' code asks foreign servers of tools: under the same policy, as a call of the model would."""

from collections.abc import Iterator
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.asker import asker
from foldline_testing.mcp_host.servers.library import server as library
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages, newest
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

SERVERS = "/agents/default/mcp-servers"


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def door(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    made, _ = asker()
    with (
        Stack(tmp_path_factory.mktemp("code"), env=script.environment()) as stack,
        addressed(made) as asks,
        addressed(library) as reads,
        stack.gateway() as door,
    ):
        for name, here in (("asker", asks), ("lib", reads)):
            door.put(f"{SERVERS}/{name}", {"transport": {"kind": "http", "url": here.url}})
            door.post(f"{SERVERS}/{name}:allow", {"private": True})
            door.post(f"{SERVERS}/{name}:test", {})
        version = door.get(f"{SERVERS}/asker/tools")["version"]
        door.post(f"{SERVERS}/asker:accept", {"version": version})
        yield door
        every_session_replays(stack)


def ran(door: Gateway, script: ModelServer, code: str, preset: str = "free") -> tuple[Any, ChatTurn]:
    """How a run of the code ended, or what it waits for."""
    door.put("/agents/default/policy", {"preset": preset, "rules": []})
    call = {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": code}}]}
    script.play({"rules": [{"turns": [call, {"text": "Done."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    (made,) = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    return made, turn


def test_code_calls_tools_and_reads_resources(door: Gateway, script: ModelServer) -> None:
    code = """
    const done = await mcp.callTool('asker', 'plain', { seconds: 0 })
    const { resources } = await mcp.resources('lib')
    const read = await mcp.readResource('lib', 'book://short')
    return { done, named: resources.map((one) => one.uri).includes('book://short'), text: read.text }
    """
    made, _ = ran(door, script, code)
    assert made["error"] is None, made
    assert made["result"]["result"] == {
        "done": {"structured": {"result": "plain"}},
        "named": True,
        "text": "Call me Ishmael.",
    }
    assert {(one["kind"], one["name"]) for one in made["outside"]} == {("mcp", "asker"), ("mcp", "lib")}


def test_what_goes_wrong_has_a_name_in_the_code(door: Gateway, script: ModelServer) -> None:
    code = """
    const names = []
    for (const ask of [
        () => mcp.callTool('asker', 'nothing', {}),
        () => mcp.callTool('nobody', 'x', {}),
        () => mcp.callTool('asker', 'book', { purpose: 'x' }),
        () => mcp.callTool('asker'),
        () => mcp.readResource('lib', 'book://nothing'),
    ]) {
        try { await ask(); names.push('done') } catch (error) { names.push(`${error.name}: ${error.code}`) }
    }
    return names
    """
    made, _ = ran(door, script, code)
    assert made["error"] is None, made
    assert made["result"]["result"] == [
        "HostError: not_found",
        "HostError: not_found",
        "NotAvailableError: not_available",
        "TypeError: invalid_arguments",
        "HostError: not_found",
    ]


def test_fifty_calls_are_the_most(door: Gateway, script: ModelServer) -> None:
    code = """
    let done = 0
    try { while (done < 60) { await mcp.callTool('asker', 'plain'); done++ } }
    catch (error) { return [done, error.name] }
    """
    made, _ = ran(door, script, code)
    assert made["result"]["result"] == [50, "CallQuotaError"], made


def test_what_the_policy_asks_for_is_asked_of_a_person(door: Gateway, script: ModelServer) -> None:
    made, turn = ran(door, script, "return await mcp.callTool('asker', 'plain')", "balanced")
    assert made["status"] == "pending", made
    assert turn.question is not None
    assert turn.question.show["kind"] == "approval"
    turn.answer_call(turn.question.call_id, {"decision": "refuse"})
    list(turn.pieces())
    read, _ = ran(door, script, "return (await mcp.resources('lib')).resources.length > 0", "balanced")
    assert read["result"]["result"] is True, "what only reads is allowed"


def test_a_yes_is_for_exactly_what_the_code_asked_a_server_for(door: Gateway, script: ModelServer) -> None:
    """The person sees the arguments. Once is for these in the next run, and for no call of the model's."""
    door.put("/agents/default/policy", {"preset": "balanced", "rules": []})

    def running(seconds: int) -> dict[str, Any]:
        code = f"return (await mcp.callTool('asker', 'plain', {{ seconds: {seconds} }})).structured.result"
        return {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": code}}]}

    other = {"tool_calls": [{"name": "asker__plain", "arguments": {"seconds": 1}}]}
    turns = [running(0), other, running(0), running(0), running(1), {"text": "Done."}]
    script.play({"rules": [{"turns": turns}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    for number, decision in enumerate(("once", "refuse", "once", "refuse")):
        assert turn.question is not None, number
        if number == 0:
            [waiting] = door.get("/approvals", min_sequence=newest(door, turn.session_id))["items"]
            assert waiting["asks"] == {"tool": "asker__plain", "arguments": {"seconds": 0}}
        turn.answer_call(turn.question.call_id, {"decision": decision})
        list(turn.pieces())
    made = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    ended = [one["error"]["kind"] if one["error"] else one["result"]["result"] for one in made]
    assert ended == ["approval_needed", "refused", "plain", "approval_needed", "refused"]


def test_what_nobody_could_read_is_not_put_before_a_person(door: Gateway, script: ModelServer) -> None:
    code = """
    try { await mcp.callTool('asker', 'plain', { seconds: 0, more: 'x'.repeat(70000) }) }
    catch (error) { return error.code }
    """
    made, _ = ran(door, script, code, "balanced")
    assert made["result"]["result"] == "too_large", made


def test_what_nobody_named_is_not_asked_of_a_server_once_there_is_its_material(
    door: Gateway, script: ModelServer
) -> None:
    door.put("/agents/default/policy", {"preset": "balanced", "rules": []})
    listing = {"name": "list_mcp_resources", "arguments": {"server": "lib"}}
    reading = [
        {"name": "read_mcp_resource", "arguments": {"server": "lib", "uri": uri}}
        for uri in ("book://short", "book://hunter2")
    ]
    code = """
    const read = await mcp.readResource('lib', 'book://short')
    await mcp.readResource('lib', 'book://hunter2')
    """
    running = {"name": "run_sandbox_code", "arguments": {"code": code}}
    turns = [{"tool_calls": [listing]}, {"tool_calls": [*reading, running]}, {"text": "Done."}]
    script.play({"rules": [{"turns": turns}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    list(turn.pieces())
    made = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    _, short, secret, coded = made
    assert short["result"]["text"] == "Call me Ishmael."
    for asked in (secret, coded):
        assert (asked["status"], asked["show"]["kind"]) == ("pending", "approval"), asked
        assert asked["show"]["covers"]["server"] == "lib"
        assert [one["name"] for one in asked["show"]["outside"]] == ["lib"]
    for asked in (secret, coded):
        turn.answer_call(asked["call_id"], {"decision": "refuse", "reason": "no"})
    list(turn.pieces())
