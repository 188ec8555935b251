"""Logins at servers, with an authorization server that is strict, or lies."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from mcp.server.mcpserver import MCPServer

from agent_contracts.entities.mcp_servers import Http, McpServer
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.log.lease_keys import mcp_refresh_key
from agent_contracts.questions.mcp_logins import FinishLogin, LoginStep
from agent_platform.secrecy.known_secrets import MASK
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.authority import Authority, authority, logged_in
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.login.login_answers import LoginAnswers
from mcp_host.login.logins import PeoplesLogins
from mcp_host.login.records import McpLogin

pytestmark = pytest.mark.long

BACK = "http://127.0.0.1:8700/mcp-login/callback"
FAR = ServerKey(AGENT, "far")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[McpWorld]:
    """One whose operator allowed this machine."""
    rules = EgressRules(private_hosts=frozenset({"127.0.0.1"}))
    async with mcp_world(data=tmp_path / "data", rules=rules) as world:
        yield world


@pytest.fixture
def vouching() -> Iterator[Authority]:
    with authority() as here:
        yield here


@pytest.fixture
def here(vouching: Authority) -> Iterator[Addressed]:
    """A server that wants to know who asks."""
    made = MCPServer("far", version="1")
    sent: list[str] = []

    @made.tool()
    def note(text: str) -> str:
        """Note it."""
        sent.append(text)
        return f"{len(sent)}: {text}"

    with addressed(made, authority=vouching) as here:
        yield here


async def begun(world: McpWorld, here: Addressed, **more: str) -> str:
    """The page that the person is sent to."""
    url, _ = await world.logins.begin(FAR, Http(here.url), world.way, BACK, **more)
    return url


async def finished(world: McpWorld, back: dict[str, str]) -> None:
    """The person came back with this."""
    found = await world.logins.begun(back["state"])
    await world.logins.finish(found, world.way, back.get("code", ""), back.get("error", ""), back.get("iss"))


async def log_in(world: McpWorld, here: Addressed) -> None:
    await finished(world, await logged_in(await begun(world, here)))


async def ready(world: McpWorld, here: Addressed) -> None:
    """Added, logged in, accepted."""
    await world.add("far", here.url)
    await log_in(world, here)
    await world.accept("far")


async def kept(world: McpWorld, here: Addressed) -> McpLogin:
    login, _ = await world.kept.find(FAR, here.url)
    assert login is not None
    return login


async def test_a_person_logs_in_and_the_agent_can_use_the_server(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await world.add("far", here.url)
    assert (await world.test("far")).state == "needs_login"
    url = await begun(world, here)
    assert url.startswith(f"{vouching.issuer}/authorize?response_type=code&client_id=")
    assert "code_challenge_method=S256" in url
    await finished(world, await logged_in(url))
    state = await world.test("far")
    assert (state.state, state.login) == ("changed", vouching.issuer), state
    await world.accept("far")
    done = await world.call("far__note", text="a")
    assert done.result == {"structured": {"result": "1: a"}}, done
    assert [one["grant_type"] for one in vouching.forms] == ["authorization_code"]
    assert vouching.forms[0]["resource"] == here.url
    assert [one["client_name"] for one in vouching.registered] == ["Foldline"]


async def test_a_server_whose_other_answers_say_nothing_of_a_login_still_needs_one(
    world: McpWorld, here: Addressed
) -> None:
    here.answers["initialize"] = 400  # it speaks the newer protocol alone
    await world.add("far", here.url)
    assert (await world.test("far")).state == "needs_login"
    await log_in(world, here)
    assert (await world.test("far")).state == "changed"


async def test_a_server_that_tells_strangers_who_it_is_needs_a_login_for_the_rest(
    world: McpWorld, here: Addressed
) -> None:
    here.answers |= dict.fromkeys(("server/discover", "initialize", "notifications/initialized"), 0)
    await world.add("far", here.url)
    assert (await world.test("far")).state == "needs_login"
    await log_in(world, here)
    assert (await world.test("far")).state == "changed"


async def test_a_server_that_wants_a_login_for_calls_alone_is_logged_in_at(
    world: McpWorld, here: Addressed
) -> None:
    strangers = ("server/discover", "initialize", "notifications/initialized", "tools/list")
    here.answers |= dict.fromkeys((*strangers, "subscriptions/listen"), 0)
    await world.add("far", here.url)
    await world.accept("far")
    refused = await world.call("far__note", text="a")
    assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
    await log_in(world, here)
    await world.test("far")
    assert (await world.call("far__note", text="a")).result is not None


async def test_no_token_is_in_the_log_nor_in_what_a_server_repeats_nor_in_what_is_told(
    world: McpWorld, here: Addressed, vouching: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await ready(world, here)
    login = await kept(world, here)
    assert login.access_token
    assert login.refresh_token
    assert MASK in str((await world.call("far__note", text=login.access_token)).result)
    vouching.expire()
    vouching.end_all()
    assert (await world.call("far__note", text="a")).error.kind == ErrorKind.NOT_AVAILABLE
    told = [message.data async for message in world.log.read(">")]
    told += [entry.value for entry in (await world.states.list()).values()]
    told.append(caplog.text.encode())
    for token in (login.access_token, login.refresh_token):
        assert [one for one in told if token.encode() in one] == []


async def test_who_a_person_is_elsewhere_is_not_told_to_a_server_at_another_address(
    world: McpWorld, here: Addressed
) -> None:
    await ready(world, here)
    with addressed(MCPServer("other")) as other:
        await world.add("far", other.url)
        await world.test("far")
        assert other.headers
        assert not [one for one in other.headers if "authorization" in one]


async def test_a_token_that_is_over_is_made_new_before_it_is_refused(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    before = await kept(world, here)
    world.clock.ahead = timedelta(seconds=3595)
    assert (await world.call("far__note", text="a")).result is not None
    after = await kept(world, here)
    assert after.access_token != before.access_token
    assert after.refresh_token != before.refresh_token
    assert [one["grant_type"] for one in vouching.forms] == ["authorization_code", "refresh_token"]


async def test_a_token_that_a_server_takes_no_more_is_made_new_and_the_call_is_done_once(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    vouching.expire()
    done = await world.call("far__note", text="a")
    assert done.result == {"structured": {"result": "1: a"}}, done
    assert vouching.reused == 0


async def test_two_hosts_never_make_a_token_new_at_once(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    vouching.expire()
    vouching.slow_s = 0.5
    other = PeoplesLogins(world.kept, world.filling, world.states, world.clock, "other")

    async def asks(logins: PeoplesLogins) -> int:
        auth = logins.credentials(AGENT, "far", Http(here.url), world.way)
        async with httpx2.AsyncClient(auth=auth, trust_env=False) as client:
            return (await client.post(here.url, json={"method": "ping"})).status_code

    codes = await asyncio.gather(*(asks(logins) for logins in (world.logins, other) * 5))
    assert 401 not in codes
    refreshes = [one for one in vouching.forms if one["grant_type"] == "refresh_token"]
    assert len(refreshes) == 1
    assert vouching.reused == 0


async def test_a_host_that_died_while_it_made_a_token_new_holds_nobody_up_for_long(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    vouching.expire()
    lease = mcp_refresh_key(AGENT, "far")
    held = await world.states.put(lease, b"dead", expect=0)

    async def forgotten() -> None:  # as the bucket does it, by the lease's time
        await asyncio.sleep(0.5)  # sleeps: work
        await world.states.delete(lease, expect=held)

    freeing = asyncio.create_task(forgotten())
    done = await world.call("far__note", text="a")
    await freeing
    assert done.result == {"structured": {"result": "1: a"}}, done


async def test_a_login_that_was_revoked_needs_a_login_again(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    vouching.end_all()
    refused = await world.call("far__note", text="a")
    assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
    assert "log in" in refused.error.message
    await asyncio.sleep(1.5)  # sleeps: quiet
    assert (await world.told("far")).state == "needs_login"
    assert not (await kept(world, here)).refresh_token
    await log_in(world, here)
    await world.test("far")
    assert (await world.call("far__note", text="b")).result == {"structured": {"result": "1: b"}}
    assert len(vouching.registered) == 1, "we are known there already"


async def test_whoever_logs_out_is_forgotten_here_and_there(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    assert await world.logins.end(FAR, here.url, world.way)
    assert vouching.revoked
    assert await world.kept.find(FAR, here.url) == (None, 0)
    state = await world.test("far")
    assert (state.state, state.login) == ("needs_login", "")
    assert not await world.logins.end(FAR, here.url, world.way)


async def test_a_call_that_needs_more_asks_for_more_at_the_next_login(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    here.needs["note"] = "write"
    refused = await world.call("far__note", text="a")
    assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
    assert "too little" in refused.error.message
    url = await begun(world, here)
    assert "scope=write" in url
    await finished(world, await logged_in(url))
    await world.test("far")
    assert (await world.call("far__note", text="a")).result is not None


async def test_an_answer_counts_once_and_only_for_who_began(world: McpWorld, here: Addressed) -> None:
    back = await logged_in(await begun(world, here))
    for state in ("", "x" * 43, "x" * 100_000, back["state"] + "x"):
        with pytest.raises(Rejected) as refused:
            await world.logins.begun(state)
        assert refused.value.kind == "not_found"
    results = await asyncio.gather(*(finished(world, back) for _ in range(5)), return_exceptions=True)
    assert [one for one in results if one is None] == [None]
    assert {one.kind for one in results if isinstance(one, Rejected)} == {"not_found"}


async def test_an_answer_counts_nothing_once_the_server_has_another_address(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    """Otherwise whoever is there now would be given what the person allowed another."""
    answers = LoginAnswers(world.logins, world.connections, world.way, lambda _: asyncio.sleep(0, b""))
    await world.add("far", here.url)
    back = await logged_in(await begun(world, here))
    await world.add("far", f"{here.url}/moved")
    question = msgspec.json.encode(FinishLogin(back["state"], back["code"], issuer=back.get("iss")))
    step = msgspec.json.decode(await answers.answer(question), type=LoginStep)
    assert (step.kind, "another address" in step.problem) == ("conflict", True)
    assert vouching.forms == [], "no token was asked for"
    assert (await world.kept.find(FAR, here.url))[0] is None


async def test_an_answer_that_comes_late_counts_nothing(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    back = await logged_in(await begun(world, here))
    world.clock.ahead = timedelta(seconds=601)
    with pytest.raises(Rejected, match="is over"):
        await finished(world, back)
    assert vouching.forms == []


async def test_an_answer_of_another_issuer_than_was_asked_counts_nothing(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    for said in ("https://evil.example", None):
        vouching.answers_as = ""
        url = await begun(world, here)
        vouching.answers_as = said
        back = await logged_in(url)
        with pytest.raises(Rejected, match="another authorization server"):
            await finished(world, back)
        with pytest.raises(Rejected, match="is over"):
            await finished(world, back)
    assert vouching.forms == [], "no code goes anywhere"


async def test_a_person_who_says_no_is_not_logged_in(world: McpWorld, here: Addressed) -> None:
    back = await logged_in(await begun(world, here))
    del back["code"]
    with pytest.raises(Rejected, match="refused \\(access_denied\\)"):
        await finished(world, {**back, "error": "access_denied"})


async def test_a_code_that_is_another_logins_is_refused_by_its_proof(
    world: McpWorld, here: Addressed
) -> None:
    first, second = [await logged_in(await begun(world, here)) for _ in range(2)]
    with pytest.raises(Rejected, match="invalid_grant"):
        await finished(world, {**first, "code": second["code"]})


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "issuer": ({"issuer": "https://good.example"}, "issuer mismatch"),
    "no-pkce": ({"code_challenge_methods_supported": None}, "PKCE"),
    "weak-pkce": ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
    "plain-page": ({"authorization_endpoint": "http://login.example/"}, "must begin with https://"),
    "plain-registration": ({"registration_endpoint": "http://login.example/"}, "must begin with https://"),
    "script": ({"authorization_endpoint": "javascript:alert(1)"}, "nothing of itself"),
    "cloud": ({"registration_endpoint": "https://169.254.169.254/"}, "metadata service"),
    "secret": ({"registration_endpoint": "file:///etc/passwd"}, "nothing of itself"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_metadata_that_lies_is_not_followed(
    world: McpWorld, here: Addressed, vouching: Authority, lie: str
) -> None:
    said, why = LIES[lie]
    vouching.says = said
    with pytest.raises(Rejected) as refused:
        await begun(world, here)
    assert why in refused.value.message


async def test_a_server_that_says_it_is_another_gets_no_token_for_that(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    for said in ("https://bank.example/mcp", f"http://127.0.0.1:{vouching.port}/mcp", f"{here.url}/deeper"):
        here.resource = said
        with pytest.raises(Rejected, match="does not match"):
            await begun(world, here)
    assert vouching.asked == [], "nobody was asked"


async def test_metadata_that_is_huge_is_left(world: McpWorld, here: Addressed, vouching: Authority) -> None:
    vouching.padding = 300 * 1024
    with pytest.raises(Rejected, match="more than 256 KiB"):
        await begun(world, here)


async def test_metadata_that_leads_elsewhere_is_not_followed(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    with addressed(MCPServer("inner")) as inner:
        for to in (
            "http://169.254.169.254/",
            inner.url,
            f"{vouching.issuer}/.well-known/oauth-authorization-server",
        ):
            vouching.moved = to
            with pytest.raises(Rejected):
                await begun(world, here)
        assert inner.headers == []


async def test_an_authorization_server_in_a_private_network_is_for_the_operator_to_allow(
    tmp_path: Path, here: Addressed, vouching: Authority
) -> None:
    async with mcp_world(data=tmp_path) as world:
        way = world.way.opened_for(here.url)
        with pytest.raises(Rejected, match="FOLDLINE_EGRESS_PRIVATE_HOSTS"):
            await world.logins.begin(FAR, Http(here.url), way, BACK)
    assert vouching.asked == []


async def test_where_the_issuer_can_look_up_who_we_are_nobody_is_registered(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    vouching.says = {"client_id_metadata_document_supported": True}
    url = await begun(world, here, client_url="https://foldline.example.org/mcp-login/client.json")
    assert "client_id=https%3A%2F%2Ffoldline.example.org%2Fmcp-login%2Fclient.json" in url
    await finished(world, await logged_in(url))
    assert vouching.registered == []


async def test_a_client_that_a_person_registered_shows_its_secret_where_it_may(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    vouching.says = {
        "registration_endpoint": None,
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    }
    vouching.registered.append({"client_id": "ours", "redirect_uris": [BACK]})
    address = Http(here.url, client_id="ours", client_secret="{{secret:CLIENT}}")
    with pytest.raises(Rejected, match="no secret named CLIENT"):
        await world.logins.begin(FAR, address, world.way, BACK)
    await world.secret("CLIENT", "hunter2hunter2", "login.example")
    with pytest.raises(Rejected, match="may not be sent to"):
        await world.logins.begin(FAR, address, world.way, BACK)
    await world.secret("CLIENT", "hunter2hunter2", "127.0.0.1")
    url, _ = await world.logins.begin(FAR, address, world.way, BACK)
    assert "client_id=ours" in url
    await finished(world, await logged_in(url))
    assert vouching.shown == [b"ours:hunter2hunter2"]
    assert "client_secret" not in vouching.forms[0]
    assert len(vouching.registered) == 1


async def program(world: McpWorld, here: Addressed, vouching: Authority, *hosts: str) -> Http:
    """A client that logs in by itself, whose secret these hosts may have."""
    vouching.programs["ours"] = "hunter2hunter2"
    vouching.says = {
        "registration_endpoint": None,
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    }
    await world.secret("CLIENT", "hunter2hunter2", *hosts)
    address = Http(here.url, client_id="ours", client_secret="{{secret:CLIENT}}", grant="client_credentials")
    await world.keep("far", McpServer(address, private=True))
    return address


async def test_a_program_logs_in_by_its_secret_and_again_when_its_token_is_over(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    address = await program(world, here, vouching, "127.0.0.1")
    assert (await world.test("far")).state == "needs_login"
    assert await world.logins.begin(FAR, address, world.way, BACK) == ("", vouching.issuer)
    await world.accept("far")
    assert (await world.call("far__note", text="a")).result is not None
    vouching.expire()
    assert (await world.call("far__note", text="b")).result == {"structured": {"result": "2: b"}}
    world.clock.ahead = timedelta(seconds=3595)
    assert (await world.call("far__note", text="c")).result is not None
    assert [one["grant_type"] for one in vouching.forms] == ["client_credentials"] * 3
    assert {one["resource"] for one in vouching.forms} == {here.url}
    assert "client_secret" not in str(vouching.forms)
    assert vouching.registered == []
    assert "/authorize" not in vouching.asked


async def test_a_program_that_the_issuer_knows_no_more_is_told_of(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    address = await program(world, here, vouching, "127.0.0.1")
    await world.logins.begin(FAR, address, world.way, BACK)
    await world.accept("far")
    vouching.programs["ours"] = "another"
    vouching.expire()
    refused = await world.call("far__note", text="a")
    assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
    assert "log in" in refused.error.message
    with pytest.raises(Rejected, match=r"doesn't give a token \(HTTP 401, invalid_client\)"):
        await world.logins.begin(FAR, address, world.way, BACK)
    assert "hunter2" not in str(refused)


async def test_a_programs_secret_goes_to_no_issuer_that_the_person_did_not_name(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    address = await program(world, here, vouching, "login.example")
    with pytest.raises(Rejected, match="may not be sent to"):
        await world.logins.begin(FAR, address, world.way, BACK)
    assert vouching.forms == []


async def test_a_server_that_now_trusts_another_issuer_gets_nothing_of_the_first(
    world: McpWorld, here: Addressed, vouching: Authority
) -> None:
    await ready(world, here)
    before = await kept(world, here)
    with authority() as second:
        here.authority = second
        refused = await world.call("far__note", text="a")
        assert refused.error.kind == ErrorKind.NOT_AVAILABLE, refused
        await log_in(world, here)
        after = await kept(world, here)
        assert after.issuer != before.issuer
        assert len(second.registered) == 1
        sent = [value for form in second.forms for value in form.values()]
        assert before.refresh_token not in sent
        assert before.registered.client_id not in sent


async def test_a_server_that_asks_for_nothing_needs_no_login(world: McpWorld) -> None:
    with addressed(MCPServer("open")) as here, pytest.raises(Rejected, match="doesn't register us"):
        await world.logins.begin(FAR, Http(here.url), world.way, BACK)
