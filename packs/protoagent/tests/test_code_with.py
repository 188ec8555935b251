"""Coding agents (ACP) in the workspace: what they do there, are allowed, and can't get out of."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.delegates import DELEGATES_KIND, DELEGATES_NAME, Delegate
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import GATEWAY
from agent_contracts.policies import POLICY_NAME, Grant, Match, Policy, Rule, Verdict
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.registry import PACKS
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_protoagent.coding_agents import coding, line
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery, until
from foldline_testing.egress.web import FixedNames, LocalServer, answered, local_server
from foldline_testing.workspace_host.world import ShellWorld, shell_world
from workspace_host.host_tools import discover
from workspace_host.settings import CommandNetworkSettings

pytestmark = pytest.mark.processes

CODER = (Path(__file__).parent / "coders" / "coder.py").read_bytes()
WAYS = (
    *("edits", "runs", "only_always", "asks_back", "whose", "hangs", "floods", "one_line", "dies", "long"),
    *("careful", "both", "fetches", "refuses", "silent", "not_json", "no_object", "deep", "nothing", "old"),
    *("odd", "login", "reserves", "looks_around", "lost"),
)


class Coders:
    """An agent whose people named a coding agent for each of the ways to behave, and no other."""

    def __init__(self, world: ShellWorld) -> None:
        self.world = world
        self._people = Entities(world.log, world.clock, GATEWAY)
        self._calls = 0

    async def begin(self) -> None:
        """Name them, and put their program among the session's files."""
        await self.world.put("coder.py", CODER)
        await self.name(*(Delegate(way, "acp", command=f"python3 coder.py {way}") for way in WAYS))

    async def name(self, *coders: Delegate) -> None:
        """Name these, and no others."""
        value = {"delegates": msgspec.to_builtins(coders)}
        key = EntityKey(AGENT, DELEGATES_KIND, DELEGATES_NAME)
        self._calls += 1
        await self._people.write(key, value, EntityWriter.user(f"delegates{self._calls}"))

    async def rule(self, *rules: Rule, preset: Any = "balanced") -> None:
        """People's policy."""
        key = EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME)
        value = msgspec.to_builtins(Policy(preset, rules))
        self._calls += 1
        await self._people.write(key, value, EntityWriter.user(f"policy{self._calls}"))

    async def event(self, agent: str, task: str = "Greet", tool: str = "code_with", **more: Any) -> Any:
        """What ended a call."""
        names = ("agent", "task") if tool == "code_with" else ("target", "query")
        arguments = dict(zip(names, (agent, task), strict=True))
        return await self.run(f"protoagent.{tool}", arguments, **more)

    async def run(self, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
        """Likewise, of any tool and arguments."""
        self._calls += 1
        name = f"code{self._calls}"
        self.world.grants = more.get("grants", ())
        message = await self.world.request(tool, arguments, call_id=name, effect=Effect.EXTERNAL)
        await self.world.runner().handle(delivery(message))
        return await self.world.ended(name)

    async def said(self, agent: str, task: str = "Greet", **more: Any) -> str:
        """The text of a call that went well."""
        event = await self.event(agent, task, **more)
        assert isinstance(event, ToolCallCompleted), event
        assert isinstance(event.result, str)
        return event.result

    async def error(self, agent: str) -> tuple[str, str]:
        """The kind and the message of a call that failed."""
        event = await self.event(agent)
        assert isinstance(event, ToolCallFailed), event
        return event.error.kind, event.error.message


@pytest.fixture
async def coders() -> AsyncIterator[Coders]:
    """In a workspace that is isolated as well as this machine can."""
    async with shell_world() as world:
        yield await _begun(world)


async def _begun(world: ShellWorld) -> Coders:
    entry = EntryPoint("protoagent", "foldline_protoagent", PACKS)
    world.registry = discover(world.isolation, installed=[entry])
    found = Coders(world)
    await found.begin()
    return found


@pytest.mark.parametrize("tool", ["code_with", "delegate_to_coder"])
async def test_what_it_does_is_done_to_the_sessions_files(coders: Coders, tool: str) -> None:
    said = await coders.said("edits", "Hällo, Oslo", tool=tool)
    assert said == "Looking at it.\n\nWrote hello.txt.\n[Files: hello.txt (created)]"
    assert (await coders.world.kept())["hello.txt"].decode() == "Hällo, Oslo"
    assert await coders.world.leases.list() == {}, "no host has to end it any more"
    assert not coders.world.host._running or all(
        one.ending != "running" for one in coders.world.host._running.values()
    )


ONCE, NO = {"decision": "once"}, {"decision": "refuse"}


async def test_what_needs_a_persons_yes_is_asked_and_allowed_by_what_they_allow(coders: Coders) -> None:
    event = await coders.event("runs")
    assert isinstance(event, ToolCallPending), event
    assert (event.show["kind"], event.show["run"], event.show["round"]) == ("approval", True, 1)
    assert event.show["rule"] == "It asks leave for “execute: pytest -q”: It runs a command"
    covers = event.show["covers"]
    assert covers == {"tool": "protoagent.code_with", "command": "pytest -q"}
    grant = Grant(msgspec.convert(covers, Match))
    assert await coders.said("runs", grants=(grant,)) == "I may: yes"
    the_call_itself = Grant(Match(tool="protoagent.code_with", command="Greet"), once=True)
    assert isinstance(await coders.event("runs", grants=(the_call_itself,)), ToolCallPending)
    other = Grant(Match(tool="protoagent.code_with", command="rm -rf ."))
    assert isinstance(await coders.event("runs", grants=(other,)), ToolCallPending)


async def test_over_what_a_person_is_asked_it_waits_and_goes_on_where_it_was(coders: Coders) -> None:
    world = coders.world
    asked = await coders.event("careful", "Hi")
    assert asked.show["rule"].startswith("It asks leave for “execute: make”")
    assert (await world.kept())["starts.txt"] == b"begun\n", "what it did so far is the session's"
    again = await world.resumed(asked, ONCE)
    assert isinstance(again, ToolCallPending), again
    assert again.show["rule"].startswith("It asks leave for “execute: make test”")
    assert again.resume is not None
    assert (again.show["round"], again.resume.round) == (2, 2)
    [running] = [one for one in world.host._running.values() if one.ending == "running"]
    done = await world.resumed(again, NO)
    assert done.result == (
        "Begun. make: yes. make test: no.\n[Files: starts.txt (created), done.txt (created)]"
    )
    assert (await world.kept())["starts.txt"] == b"begun\n", "it was begun once"
    assert running.ending == "stopped"


async def test_until_when_it_waits_is_told_and_less_than_it_may_run(coders: Coders) -> None:
    asked = await coders.event("runs")
    left = datetime.fromisoformat(asked.expires_at) - coders.world.clock.now()
    assert timedelta(minutes=55) < left < timedelta(minutes=60)


async def test_of_two_that_it_asks_for_at_once_one_is_put_after_the_other(coders: Coders) -> None:
    first = await coders.event("both")
    assert first.show["rule"].startswith("It asks leave for “execute: run 1”")
    second = await coders.world.resumed(first, ONCE)
    assert second.show["rule"].startswith("It asks leave for “execute: run 2”")
    done = await coders.world.resumed(second, NO)
    assert done.result == "Waiting. q1: yes. q2: no."


async def test_one_that_was_ended_while_it_waited_says_so(coders: Coders) -> None:
    asked = await coders.event("careful")
    await coders.world.host.end_of(SESSION)
    ended = await coders.world.resumed(asked, ONCE)
    assert ended.error.kind == ErrorKind.UPSTREAM
    for one in coders.world.host._background.values():
        one.close()
    coders.world.host._background.clear()  # as after a new start of the host
    gone = await coders.world.resumed(asked, ONCE)
    assert gone.error.kind == ErrorKind.UPSTREAM
    assert "was ended while it waited for the answer" in gone.error.message


async def test_when_nobody_waits_for_the_call_any_more_it_ends_and_other_commands_do_not(
    coders: Coders,
) -> None:
    world = coders.world
    other = await world.sh("sleep 300", background=True)
    asked = await coders.event("careful")
    await world.host.end_of(SESSION, asked.call_id)
    running = {one.command_id for one in world.host._running.values() if one.ending == "running"}
    assert running == {other["command_id"]}


async def test_one_that_people_removed_meanwhile_is_ended(coders: Coders) -> None:
    asked = await coders.event("careful")
    await coders.name()
    ended = await coders.world.resumed(asked, ONCE)
    assert (ended.error.kind, ended.error.path) == (ErrorKind.NOT_FOUND, "/agent")
    assert all(one.ending != "running" for one in coders.world.host._running.values())


async def test_it_asks_so_often_and_no_more(coders: Coders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "MOST_ASKED", 1)
    ended = await coders.world.resumed(await coders.event("careful"), ONCE)
    assert ended.error.message == "it asked a person 1 times, and asks again: it was ended"
    assert all(one.ending != "running" for one in coders.world.host._running.values())


async def test_what_the_policy_forbids_is_refused_and_the_rest_goes_on(coders: Coders) -> None:
    await coders.rule(Rule(Verdict.DENY, Match(tool="run_command"), "no commands"), preset="free")
    assert await coders.said("runs") == (
        "I may: no\n[Refused by the policy (Rule 1: no commands): execute: pytest -q]"
    )
    await coders.rule(Rule(Verdict.DENY, Match(tool="file_write_text"), "read only"), preset="free")
    assert "[Refused by the policy (Rule 1: read only): edit: Write hello.txt]" in await coders.said("edits")
    assert "hello.txt" not in await coders.world.kept()


async def test_what_it_does_not_say_more_of_is_asked_by_what_it_says(coders: Coders) -> None:
    event = await coders.event("fetches")
    assert isinstance(event, ToolCallPending), event
    assert event.show["covers"] == {"tool": "protoagent.code_with", "command": "fetch: Read example.com"}


async def test_a_yes_is_never_for_longer_than_once(coders: Coders) -> None:
    assert await coders.said("only_always") == "I may: cancelled"
    await coders.rule(preset="free")
    assert await coders.said("runs") == "I may: yes"


async def test_one_that_asks_back_is_answered_no_and_heard(coders: Coders) -> None:
    assert await coders.said("asks_back") == "-32601 -32601 Which city do you mean?"
    assert await coders.said("whose") == "-32602 -32602"
    assert await coders.said("refuses") == "Not that.\n\n[It stopped before the end: refusal]"
    assert await coders.said("silent") == "(It is done, and says nothing.)"
    assert await coders.said("long") == "x" * 50_000 + "\n…[truncated]"


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("floods", "was ended (output) before it was done"),
        ("one_line", "a line of more than"),
        ("dies", "exited with 3 before it was done. It wrote: no key"),
        ("not_json", "doesn't keep to ACP: it wrote something that is not JSON: 'Welcome to the coder!'"),
        ("no_object", "doesn't keep to ACP: it wrote JSON that is not a message"),
        ("deep", "doesn't keep to ACP: it wrote something that is not JSON"),
        ("nothing", "doesn't keep to ACP: its answer to initialize has neither a result nor an error"),
        ("old", "doesn't keep to ACP: it speaks version 7 of ACP, not 1"),
        ("odd", "doesn't keep to ACP: its answer to session/new is not what ACP says"),
        ("login", "says: Authentication required"),
    ],
)
async def test_one_that_fails_lies_or_floods_is_an_error_and_is_ended(
    coders: Coders, way: str, words: str
) -> None:
    kind, message = await coders.error(way)
    assert kind == ErrorKind.UPSTREAM
    assert message.startswith(f"Error: the coding agent {way} ")
    assert words in message
    assert all(one.ending != "running" for one in coders.world.host._running.values())


async def test_one_that_hangs_is_given_up(coders: Coders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "LOOK_S", 0.2)
    monkeypatch.setattr(line, "SILENT_S", 0.4)
    kind, message = await coders.error("hangs")
    assert kind == ErrorKind.UPSTREAM
    assert "said nothing for 0.4 seconds" in message


async def test_stop_ends_it_with_all_that_it_started(coders: Coders) -> None:
    world = coders.world
    arguments: dict[str, Any] = {"agent": "hangs", "task": "x"}
    message = await world.request("protoagent.code_with", arguments, call_id="code", effect=Effect.EXTERNAL)
    runner = world.runner()
    call = asyncio.create_task(runner.handle(delivery(message)))
    await until(lambda: any("python3" in one.programs for one in world.host._running.values()))
    [running] = world.host._running.values()
    runner.stop(SESSION, None)
    await call
    await until(lambda: running.ending == "stopped")
    assert await world.result("code") is None


async def test_it_has_no_network_and_sees_nothing_of_this_machine(coders: Coders) -> None:
    looks = 'import os, socket; print(os.listdir("/")); socket.create_connection(("1.1.1.1", 53))'
    command = f"python3 -c '{looks}'"
    key = EntityKey(AGENT, DELEGATES_KIND, DELEGATES_NAME)
    value = {"delegates": [{"name": "edits", "type": "acp", "command": command}]}
    await Entities(coders.world.log, coders.world.clock, GATEWAY).write(
        key, value, EntityWriter.user("another")
    )
    if coders.world.isolation.kind != "namespaces":
        pytest.skip("this machine has no namespaces")
    _, message = await coders.error("edits")
    assert "Network is unreachable" in message


async def test_it_may_reserve_more_than_it_uses_as_real_ones_do(coders: Coders) -> None:
    assert await coders.said("reserves") == "Reserved 2 GiB."


@pytest.fixture
async def online() -> AsyncIterator[tuple[Coders, LocalServer]]:
    """Where commands reach two hosts, which are this machine, and the policy allows one of them."""
    names = {"model.test": ["127.0.0.1"], "news.test": ["127.0.0.1"]}
    dialing = CheckedDialing(EgressRules(private_hosts=frozenset(names)), FixedNames(names))
    settings = CommandNetworkSettings(command_network="policy")
    async with (
        local_server(lambda _: answered(b"Here")) as site,
        shell_world(dialing=dialing, settings=settings) as world,
    ):
        if world.isolation.kind != "namespaces":
            pytest.skip("this machine has no namespaces")
        made = await _begun(world)
        await made.rule(
            Rule(Verdict.ALLOW, Match(host="model.test:*"), "model"), Rule(Verdict.ASK, Match(host="*"))
        )
        yield made, site


async def test_what_is_kept_back_beside_its_work_is_told_and_the_work_is_not_lost(
    online: tuple[Coders, LocalServer],
) -> None:
    coders, site = online
    said = await coders.said("looks_around", str(site.port))
    assert said.startswith("model.test: 200. news.test: ")
    assert said.endswith("\n[Kept back: GET to news.test. A person may allow that host in the policy]")


async def test_one_that_fails_for_what_was_kept_back_asks_for_it(online: tuple[Coders, LocalServer]) -> None:
    coders, site = online
    asked = await coders.event("lost", str(site.port))
    assert isinstance(asked, ToolCallPending), asked
    assert (asked.show["host"], asked.resume) == ("news.test", None)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "path"),
    [
        ("code_with", {"task": "x"}, ErrorKind.INVALID_ARGUMENTS, "/agent"),
        ("code_with", {"agent": "edits"}, ErrorKind.INVALID_ARGUMENTS, "/task"),
        ("code_with", {"agent": "edits", "task": ""}, ErrorKind.INVALID_ARGUMENTS, "/task"),
        ("code_with", {"agent": "edits", "task": 1}, ErrorKind.INVALID_ARGUMENTS, "/task"),
        ("code_with", {"agent": "edits", "task": "x", "cwd": "/"}, ErrorKind.INVALID_ARGUMENTS, "/cwd"),
        ("code_with", {"agent": "nobody", "task": "x"}, ErrorKind.NOT_FOUND, "/agent"),
        ("delegate_to_coder", {"target": "nobody", "query": "x"}, ErrorKind.NOT_FOUND, "/target"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    coders: Coders, tool: str, arguments: dict[str, Any], kind: str, path: str
) -> None:
    event = await coders.run(f"protoagent.{tool}", arguments)
    assert (event.error.kind, event.error.path) == (kind, path)
