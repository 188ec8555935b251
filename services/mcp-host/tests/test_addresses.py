"""Servers at addresses, of the newer protocol and the older: reached by the rules, and bounded."""

import asyncio
import socket
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from agent_contracts.errors import ErrorKind
from foldline_testing.egress.web import local_server
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.apps import with_apps
from foldline_testing.mcp_host.world import McpWorld
from mcp_host import limits


def server() -> MCPServer:
    """One whose tools are quick, slow, or say too much."""
    made = MCPServer("far", version="1")
    sent: list[str] = []

    @made.tool()
    def note(text: str) -> str:
        """Note it."""
        sent.append(text)
        return f"{len(sent)}: {text}"

    @made.tool()
    async def wait(seconds: float) -> str:
        """Wait."""
        await asyncio.sleep(seconds)  # sleeps: work
        return "done"

    @made.tool()
    def flood() -> str:
        """Say too much."""
        return "x" * (5 * limits.MIB)

    return made


async def ready(world: McpWorld, here: Addressed, **more: Any) -> None:
    await world.add("far", here.url, **more)
    await world.accept("far")


@pytest.mark.parametrize(("old", "protocol"), [(False, "2026-07-28"), (True, "2025-11-25")])
async def test_a_server_of_either_protocol_is_called(world: McpWorld, old: bool, protocol: str) -> None:
    with addressed(server(), old=old) as here:
        await ready(world, here)
        state = await world.test("far")
        assert (state.state, state.protocol, state.tools) == ("connected", protocol, 3), state
        done = await world.call("far__note", text="a")
        assert done.result == {"structured": {"result": "1: a"}}, done
        assert [(one.kind, one.name) for one in done.outside] == [("mcp", "far")]
        wrong = await world.call("far__note", nonsense=1)
        assert wrong.error.kind == ErrorKind.INVALID_ARGUMENTS, wrong
        assert here.methods.count("tools/call") == 1


@pytest.mark.parametrize(("old", "protocol"), [(False, "2026-07-28"), (True, "2025-11-25")])
async def test_a_result_that_says_no_type_is_complete(world: McpWorld, old: bool, protocol: str) -> None:
    with addressed(server(), old=old) as here:
        here.untyped = True
        await ready(world, here)
        assert (await world.told("far")).protocol == protocol
        done = await world.call("far__note", text="a")
        assert done.result == {"structured": {"result": "1: a"}}, done


@pytest.mark.parametrize("old", [False, True])
async def test_a_server_that_was_started_anew_is_called_again(world: McpWorld, old: bool) -> None:
    with addressed(server(), old=old) as here:
        await ready(world, here)
        assert (await world.call("far__note", text="a")).result is not None
        port = here.port
    with addressed(server(), old=old, port=port) as here:
        async with asyncio.timeout(20):
            for attempt in range(20):
                done = await world.call("far__note", text=str(attempt))
                if hasattr(done, "result"):
                    break
                await asyncio.sleep(0.3)  # sleeps: poll
        assert attempt < 10, done
        assert done.result["structured"]["result"].startswith("1: "), "what failed was not done"


async def test_a_secret_is_sent_in_a_header_to_the_hosts_that_may_have_it(world: McpWorld) -> None:
    await world.secret("FAR_KEY", "hunter2hunter2", "127.0.0.1")
    with addressed(server()) as here:
        await ready(world, here, headers={"Authorization": "Bearer {{secret:FAR_KEY}}", "X-Plain": "p"})
        done = await world.call("far__note", text="hunter2hunter2")
    assert {one["authorization"] for one in here.headers} == {"Bearer hunter2hunter2"}
    assert {one["x-plain"] for one in here.headers} == {"p"}
    assert "hunter2" not in str(done.result), "what comes back is without it"


async def test_a_secret_that_a_server_repeats_wherever_it_can_is_nowhere_in_the_log(world: McpWorld) -> None:
    secret = "hunter2hunter2"
    made = server()
    made.add_tool(lambda: secret, name="echo", description=f"Repeats {secret}.")
    made.resource("echo://it", name="it", description=f"Is {secret}.")(lambda: secret)
    made.prompt(name="echo", description=f"Says {secret}.")(lambda: secret)
    await world.secret("FAR_KEY", secret, "127.0.0.1")
    with addressed(made) as here:
        await ready(world, here, headers={"X-Key": "{{secret:FAR_KEY}}"})
        for tool, more in (
            ("far__echo", {}),
            ("list_mcp_resources", {"server": "far"}),
            ("read_mcp_resource", {"server": "far", "uri": "echo://it"}),
            ("list_mcp_prompts", {"server": "far"}),
            ("get_mcp_prompt", {"server": "far", "name": "echo"}),
        ):
            done = await world.call(tool, **more)
            assert "{{secret:FAR_KEY}}" in str(done.result), done
    subjects = [message async for message in world.log.read(">")]
    assert len(subjects) > 10
    assert not [one.subject for one in subjects if secret.encode() in one.data]


async def test_no_other_host_gets_a_secret_nor_one_that_there_is_not(world: McpWorld) -> None:
    await world.secret("FAR_KEY", "hunter2hunter2", "api.example.org")
    with addressed(server()) as here:
        await world.add("far", here.url, headers={"X-Key": "{{secret:FAR_KEY}}"})
        assert "may not be sent to 127.0.0.1" in (await world.test("far")).error
        await world.add("far", here.url, headers={"X-Key": "{{secret:OTHER}}"})
        assert "no secret named OTHER" in (await world.test("far")).error
        assert here.methods == []


async def test_a_private_address_is_reached_once_a_person_allowed_it_for_this_server(
    world: McpWorld,
) -> None:
    world.names.names["inside.test"] = ["127.0.0.1"]
    with addressed(server()) as here:
        for url in (here.url, here.url.replace("127.0.0.1", "localhost"), f"http://inside.test:{here.port}/"):
            world.names.names["localhost"] = ["127.0.0.1"]
            await world.add("far", url, private=False)
            state = await world.test("far")
            assert (state.state, state.needs) == ("error", "private"), state
        await world.add("other", here.url, private=True)
        assert (await world.test("other")).state == "changed"
        assert (await world.test("far")).needs == "private", "it was allowed for the other alone"


async def test_the_metadata_of_a_cloud_is_reached_by_nobodys_word(world: McpWorld) -> None:
    await world.add("far", "http://169.254.169.254/mcp", private=True)
    state = await world.test("far")
    assert (state.state, state.needs) == ("error", "")
    assert "metadata service" in state.error


async def test_a_name_that_leads_elsewhere_when_it_is_dialled_is_judged_again(world: McpWorld) -> None:
    world.names.names["far.test"] = ["127.0.0.1"]
    with addressed(server()) as here:
        await world.add("far", f"http://far.test:{here.port}/mcp")
        dialled = world.names.addresses

        async def moves(host: str) -> Any:
            found = await dialled(host)
            return found if len(world.names.asked) == 1 else ["169.254.169.254"]

        world.names.addresses = moves  # type: ignore[method-assign]
        assert "metadata service" in (await world.test("far")).error
        assert here.methods == []


async def test_a_server_that_wants_to_know_who_asks_needs_a_login(world: McpWorld) -> None:
    with addressed(server()) as here:
        here.status = 401
        await world.add("far", here.url)
        assert (await world.test("far")).state == "needs_login"
        assert (await world.told("far")).state == "needs_login"
        here.status = 0
        await ready(world, here)
        here.status = 401
        refused = await world.call("far__note", text="a")
        assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
        assert "log in" in refused.error.message
        await asyncio.sleep(1.5)  # sleeps: quiet
        assert (await world.told("far")).state == "needs_login", "it was logged out under way"


async def test_an_answer_that_is_too_long_ends_its_call_and_no_other(world: McpWorld) -> None:
    for old in (False, True):
        with addressed(server(), old=old) as here:
            await ready(world, here)
            ended = await world.call("far__flood")
            assert ended.error.kind == ErrorKind.OUTCOME_UNKNOWN, ended
            assert "4 MiB" in ended.error.message or "event" in ended.error.message
            assert (await world.call("far__note", text="a")).result is not None


async def test_an_error_of_who_stands_before_the_server_tells_nothing_of_the_call(world: McpWorld) -> None:
    with addressed(server()) as here:
        await ready(world, here)
        here.status = 502
        assert (await world.call("far__note", text="a")).error.kind == ErrorKind.OUTCOME_UNKNOWN
        here.status = 429
        assert (await world.call("far__note", text="a")).error.kind == ErrorKind.UPSTREAM
        here.status = 0
        assert (await world.call("far__note", text="a")).result["structured"]["result"] == "1: a"


async def test_a_call_that_gets_no_answer_in_time_has_an_unknown_outcome(world: McpWorld) -> None:
    for old in (False, True):
        with addressed(server(), old=old) as here:
            await ready(world, here, timeout_s=1.0)
            ended = await world.call("far__wait", seconds=30)
            assert ended.error.kind == ErrorKind.OUTCOME_UNKNOWN, ended
            assert "within 1 seconds" in ended.error.message
            assert (await world.call("far__note", text="a")).result is not None
            assert here.methods.count("tools/call") == 2, "nothing is sent twice"


async def test_a_server_that_never_answers_is_given_up(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECT_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:  # nobody accepts
        await world.add("far", f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
        async with asyncio.timeout(15):
            state = await world.test("far")
    assert "did not introduce itself within 1 seconds" in state.error


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", "content type"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n", "169.254"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\nhi", "JSON"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "HTTP 500"),
        (b"nonsense\r\n\r\n", "127.0.0.1"),
        (b"", "127.0.0.1"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
            + b" " * (5 * limits.MIB),
            "4 MiB",
        ),
    ],
    ids=["html", "redirect", "no-json", "500", "no-http", "hangs-up", "flood"],
)
async def test_what_is_no_mcp_server_is_said_to_be_none(world: McpWorld, answer: bytes, why: str) -> None:
    async with local_server(lambda _: answer) as here:
        await world.add("far", here.url("127.0.0.1"))
        async with asyncio.timeout(20):
            state = await world.test("far")
    assert state.state == "error"
    assert why in state.error, state.error


async def test_where_nobody_listens_is_said_and_not_tried_at_once_again(world: McpWorld) -> None:
    with addressed(server()) as here:
        await ready(world, here)
    await world.add("gone", here.url)
    assert "127.0.0.1" in (await world.test("gone")).error
    refused = await world.call("list_mcp_resources", server="gone")
    assert refused.error.kind == ErrorKind.NOT_AVAILABLE
    assert "Try again in" in refused.error.message


@pytest.mark.parametrize("old", [False, True])
async def test_what_left_for_a_server_is_told_with_the_call_that_it_left_for(
    world: McpWorld, old: bool
) -> None:
    await world.secret("KEY", "a-value-of-a-secret", "127.0.0.1")
    with addressed(with_apps(), old=old) as here:
        await world.add("apps", here.url, headers={"Authorization": "Bearer {{secret:KEY}}"})
        await world.accept("apps")
        kept, again = [await world.call("apps__keep", text="x") for _ in range(2)]
        both = await asyncio.gather(*(world.call("apps__keep", text="x" * 5_000 * n) for n in (1, 2)))
    for ended in (kept, again):
        (one,) = ended.sent.requests
        assert (one.host, one.method, one.path, one.verdict) == ("127.0.0.1", "POST", "/mcp", "sent")
        assert (one.status, one.secrets) == (200, ("KEY",))
        assert one.bytes_in > 0
    assert [one.sent.requests[0].bytes_out // 5_000 for one in both] == [1, 2], "each has its own"
