"""A browser in a person's hands: only while its call is pending, and what becomes of it without pages."""

import asyncio
import json
from typing import Any

import pytest

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.questions.takeover import (
    Focus,
    TakeoverAct,
    TakeoverActResult,
    TakeoverFinish,
    TakeoverLook,
    TakeoverLost,
    TakeoverRefusal,
    TakeoverRelease,
    TakeoverResult,
    TakeoverView,
    TextInput,
)
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions import session_file
from agent_contracts.tool_spec import Effect, RunsOn
from agent_domain.site_logins.site_logins import MOST_SITES
from agent_domain.site_logins.sites import StorageState, by_site
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession

CALL = CallId("m000003-00")
SHOW: dict[str, Any] = {"kind": "browser_hand_over", "reason": "Log in", "instructions": None}
SEEN = TakeoverView(7, b"\xff\xd8", 1280, 800, "p1", (), "http://a.test/", "A", Focus(), None, (), 1)
CANARY = "correct-horse-77-battery"


async def pending(memory: InMemory, show: dict[str, Any] = SHOW) -> SessionId:
    created = await memory.operations.creation.create(NewSession(), asked())
    session = SessionId(created.id)
    requested = ToolCallRequested(CALL, "browser_hand_over", {}, RunsOn.BROWSER, Effect.EXTERNAL_IDEMPOTENT)
    await memory.decided(session, requested)
    await memory.resulted(session, ToolCallPending(CALL, show, "b1"))
    return session


async def recorded(memory: InMemory, session: SessionId) -> list[Any]:
    stored = await memory.stored(session)
    return [json.loads(one.data)["response"] for one in stored if one.subject.endswith(".in.tool_response")]


async def refused(work: Any) -> str:
    with pytest.raises(Rejected) as caught:
        await work
    return caught.value.kind


async def test_a_person_looks_acts_and_ends_it_and_nothing_of_that_but_the_end_is_stored() -> None:
    memory = InMemory()
    session = await pending(memory)
    memory.pool.answers = [
        SEEN,
        TakeoverActResult(Focus(True, True)),
        TakeoverResult("http://a.test/in", "In", ("a.test",)),
    ]
    hand_overs = memory.operations.hand_overs
    view = await hand_overs.look(session, CALL, "v1", 3)
    assert (view.version, view.image, view.url) == (7, "/9g=", "http://a.test/")
    acted = await hand_overs.act(session, CALL, [TextInput(CANARY)])
    assert (acted.editable, acted.secret, acted.problem) == (True, True, None)
    ended = await hand_overs.end(session, CALL, done=True, keep_login=True)
    assert (ended.ended, ended.kept) == ("done", ["a.test"])
    assert memory.pool.asked == [
        TakeoverLook("v1", 3),
        TakeoverAct((TextInput(CANARY),)),
        TakeoverFinish(True),
        TakeoverRelease(),
    ]
    told = {"ended": "done", "url": "http://a.test/in", "title": "In", "login_kept": True}
    assert await recorded(memory, session) == [told]
    assert CANARY.encode() not in await memory.everything()
    assert CANARY not in repr(memory.pool.asked)
    assert await refused(hand_overs.look(session, CALL, "v1", 0)) == "call_not_open"
    assert await refused(hand_overs.act(session, CALL, [TextInput("x")])) == "call_not_open"
    assert await refused(hand_overs.end(session, CALL, done=True, keep_login=False)) == "call_not_open"


async def test_who_wont_keeps_no_login() -> None:
    memory = InMemory()
    session = await pending(memory)
    memory.pool.answers = [TakeoverResult("http://a.test/", "A")]
    ended = await memory.operations.hand_overs.end(session, CALL, done=False, keep_login=True)
    assert (ended.ended, memory.pool.asked[0]) == ("declined", TakeoverFinish(False))
    assert await recorded(memory, session) == [{"ended": "declined", "url": "http://a.test/", "title": "A"}]


async def test_a_login_that_cant_be_kept_ends_nothing() -> None:
    memory = InMemory()
    session = await pending(memory)
    memory.pool.answers = [TakeoverRefusal("invalid_request", "the login could not be kept"), SEEN]
    hand_overs = memory.operations.hand_overs
    assert await refused(hand_overs.end(session, CALL, done=True, keep_login=True)) == "invalid_request"
    assert await recorded(memory, session) == []
    assert (await hand_overs.look(session, CALL, "v1", 0)).version == 7


@pytest.mark.parametrize("by", ["look", "act", "end"])
async def test_pages_that_are_gone_end_the_call_once_whoever_finds_out(by: str) -> None:
    memory = InMemory()
    session = await pending(memory)
    memory.pool.answers = [TakeoverLost("Chromium died"), TakeoverLost("Chromium died")]
    hand_overs = memory.operations.hand_overs

    async def ask() -> Any:
        if by == "look":
            return (await hand_overs.look(session, CALL, "v1", 0)).ended
        if by == "act":
            return (await hand_overs.act(session, CALL, [TextInput("x")])).problem
        return (await hand_overs.end(session, CALL, done=True, keep_login=False)).ended

    told = await asyncio.gather(ask(), ask())
    assert set(told) == {"Chromium died" if by == "act" else "context_lost"}
    assert await recorded(memory, session) == [{"ended": "context_lost", "reason": "Chromium died"}]


async def test_only_a_pending_hand_over_of_this_session_can_be_reached() -> None:
    memory = InMemory()
    session, other = await pending(memory), await pending(memory, {"kind": "ask_user", "question": "?"})
    hand_overs = memory.operations.hand_overs
    assert await refused(hand_overs.look(other, CALL, "v1", 0)) == "not_found"
    assert await refused(hand_overs.look(session, CallId("m9"), "v1", 0)) == "call_not_open"
    assert await refused(hand_overs.look(SessionId("nobody"), CALL, "v1", 0)) == "not_found"
    answer = memory.operations.steering.answer(session, CALL, {"ended": "done"}, asked())
    assert await refused(answer) == "invalid_request", "not past the pool"
    await memory.decided(session, ToolCallCancelled(CALL))
    assert await refused(hand_overs.act(session, CALL, [TextInput("x")])) == "call_not_open"
    assert memory.pool.asked == []


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (TakeoverRefusal("rate_limited", "many"), Rejected),
        (TakeoverRefusal("unavailable", "hangs"), Transient),
        (TakeoverRefusal("internal", "broken"), Permanent),
        (TakeoverResult("", ""), Permanent),
    ],
)
async def test_what_a_pool_refuses(answer: Any, failure: type[Failure]) -> None:
    memory = InMemory()
    session = await pending(memory)
    memory.pool.answers = [answer]
    with pytest.raises(failure):
        await memory.operations.hand_overs.look(session, CALL, "v1", 0)
    assert await recorded(memory, session) == []


def cookie(domain: str) -> dict[str, Any]:
    return {"name": "sid", "value": CANARY, "domain": domain, "path": "/"}


async def test_kept_logins_are_listed_forgotten_and_go_with_their_agent() -> None:
    memory = InMemory()
    kept, logins = memory.site_logins, memory.operations.site_logins
    session = await pending(memory)
    state = StorageState((cookie(".a.test"), cookie("b.test"), cookie("tracker.test")), ())
    assert await kept.keep(DEFAULT_AGENT, session, state, ["login.a.test", "b.test"]) == ("a.test", "b.test")
    listed = (await logins.list(DEFAULT_AGENT)).items
    assert [(one.site, one.cookies) for one in listed] == [("a.test", 1), ("b.test", 1)]
    assert CANARY.encode() not in await memory.everything()
    assert (await logins.forget(DEFAULT_AGENT, "b.test")).forgotten
    assert not (await logins.forget(DEFAULT_AGENT, "b.test")).forgotten
    assert [one["domain"] for one in (await kept.of(DEFAULT_AGENT)).cookies] == [".a.test"]
    assert await refused(logins.list(AgentId("nobody"))) == "not_found"
    assert CANARY.encode() not in session_file.write(await memory.operations.exports.file(session))
    await kept.keep(AgentId("a2"), session, state, ["b.test"])
    await kept.forget_all(DEFAULT_AGENT)
    assert (await logins.list(DEFAULT_AGENT)).items == []
    assert [one.site for one in await kept.list(AgentId("a2"))] == ["b.test"]


async def test_no_more_is_kept_than_may_be() -> None:
    kept, session = InMemory().site_logins, SessionId("s1")
    large = StorageState(({**cookie("a.test"), "value": "x" * 300_000},))
    assert await refused(kept.keep(DEFAULT_AGENT, session, large, ["a.test"])) == "too_large"
    assert await refused(kept.keep(DEFAULT_AGENT, session, StorageState(), ["a.test"])) == "nothing_to_keep"
    hosts = [f"h{n}.test" for n in range(MOST_SITES + 1)]
    many = StorageState(tuple(map(cookie, hosts)))
    assert await refused(kept.keep(DEFAULT_AGENT, session, many, hosts)) == "too_many"
    assert await kept.list(DEFAULT_AGENT) == []


def test_a_site_is_the_widest_domain_that_its_cookies_are_for_and_others_are_left_out() -> None:
    state = StorageState(
        (cookie(".a.test"), cookie("login.a.test"), cookie("ads.test"), cookie("not-a.test")),
        (
            {"origin": "https://login.a.test:8443", "localStorage": []},
            {"origin": "https://ads.test", "localStorage": []},
        ),
    )
    found = by_site(state, ["login.a.test", "www.a.test", "c.test"])
    assert list(found) == ["a.test"]
    assert [one["domain"] for one in found["a.test"].cookies] == [".a.test", "login.a.test"]
    assert [one["origin"] for one in found["a.test"].origins] == ["https://login.a.test:8443"]
