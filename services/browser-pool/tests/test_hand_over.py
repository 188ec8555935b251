"""A browser in the hands of a person: what they see and do, how it ends, and what nobody else learns."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import pytest_asyncio
import structlog

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import cancel_subject
from agent_contracts.questions.takeover import (
    DialogInput,
    GoInput,
    KeyInput,
    MouseInput,
    PersonsInput,
    ResizeInput,
    ShowPageInput,
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
    WheelInput,
)
from agent_contracts.session_events.results import ToolCallPending
from agent_tools.hosting.host import HostedWork, cancellations_to
from agent_tools.running.code_calls import CodeCalls
from browser_pool.handlers import BrowserEndings
from browser_pool.limits import IDLE_S
from browser_pool.takeover.takeover import Takeover
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.browser_pool.site import Site
from foldline_testing.browser_pool.world import BrowserWorld

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CANARY = "correct-horse-77-battery"
JPEG = b"\xff\xd8\xff"
NAME, PASSWORD, BUTTON = (20.0, 25.0), (20.0, 75.0), (20.0, 125.0)


class Hands:
    """A person at one hand-over."""

    def __init__(self, one: Takeover) -> None:
        self.one = one
        self.version = 0

    async def see(self, viewer: str = "v1") -> TakeoverView:
        seen = await self.one.answer(TakeoverLook(viewer, self.version if viewer == "v1" else 0))
        assert isinstance(seen, TakeoverView), seen
        self.version = seen.version
        return seen

    async def sees(self, wanted: Any) -> TakeoverView:
        async with asyncio.timeout(60):
            while not wanted(seen := await self.see()):
                pass
        return seen

    async def do(self, *inputs: PersonsInput) -> TakeoverActResult:
        done = await self.one.answer(TakeoverAct(inputs))
        assert isinstance(done, TakeoverActResult), done
        return done

    async def click(self, at: tuple[float, float]) -> TakeoverActResult:
        x, y = at
        return await self.do(MouseInput("down", x, y), MouseInput("up", x, y))

    async def type(self, text: str) -> TakeoverActResult:
        return await self.do(*map(KeyInput, text))

    async def finish(self, *, keep: bool = False) -> TakeoverResult:
        done = await self.one.answer(TakeoverFinish(keep))
        assert isinstance(done, TakeoverResult), done
        return done


async def handed(world: BrowserWorld, session: str, url: str | None = None) -> Hands:
    if url is not None:
        await world.get("browser_navigate", session, url=url)
    pending = await world.call("browser_hand_over", {"reason": "Log in"}, session)
    assert isinstance(pending, ToolCallPending), pending
    one = world.hand_overs.of(SessionId(session), pending.call_id)
    assert one is not None
    return Hands(one)


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld) -> AsyncIterator[str]:
    """One for each test, gone after it."""
    name = f"s{len(os.listdir('/proc/self/fd'))}-{os.urandom(3).hex()}"
    yield name
    await world.hand_overs.end(SessionId(name))
    await world.contexts.end(SessionId(name))


async def test_it_needs_an_open_page_and_shows_why_and_until_when(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    refused = await world.refused("browser_hand_over", session, reason="Log in")
    assert (refused.kind, "browser_navigate" in refused.message) == (ErrorKind.NOT_FOUND, True)
    await world.get("browser_navigate", session, url=pages.url("/login"))
    asked = {"reason": "Log in", "instructions": "Use *your* account"}
    pending = await world.call("browser_hand_over", asked, session)
    shown = {"kind": "browser_hand_over", **asked, "url": pages.url("/login"), "title": "Log in"}
    assert (pending.show, pending.expires_at is not None) == (shown, True)


async def test_a_person_logs_in_by_what_they_see_and_the_agent_goes_on(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    seen = await hands.sees(lambda seen: seen.image)
    assert (seen.image or b"").startswith(JPEG)
    assert (seen.width, seen.height, seen.title, seen.url) == (1280, 800, "Log in", pages.url("/login"))
    for tool, arguments in (
        ("browser_screenshot", {}),
        ("browser_extract_text", {}),
        ("browser_close", {}),
        ("browser_hand_over", {"reason": "again"}),
    ):
        refused = await world.refused(tool, session, **arguments)
        assert (refused.kind, "a person has the browser" in refused.message) == ("not_available", True), tool
    focus = (await hands.click(NAME)).focus
    assert (focus.editable, focus.secret) == (True, False)
    await hands.type("ada")
    focus = (await hands.do(KeyInput("Tab"))).focus
    assert (focus.editable, focus.secret) == (True, True)
    await hands.do(TextInput(CANARY))
    await hands.click(BUTTON)
    await hands.sees(lambda seen: seen.title == "Account")
    assert pages.posted[-1] == {"user": ["ada"], "password": [CANARY]}
    assert await hands.finish() == TakeoverResult(pages.url("/account"), "Account", ())
    again = await hands.one.answer(TakeoverLook("v1", 0))
    assert isinstance(again, TakeoverRefusal), "nobody looks any more"
    assert await hands.one.answer(TakeoverFinish(False)) == TakeoverResult(
        pages.url("/account"), "Account", ()
    )
    text = await world.get("browser_extract_text", session)
    assert "Hello, Ada" in text["text"]


async def test_what_was_typed_in_secret_is_told_to_nobody_else(
    world: BrowserWorld, pages: Site, session: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The site shows it in its address, its title, its text and a field; a dialog's and a result's words go
    through the same."""
    hands = await handed(world, session, pages.url("/leaky-login"))
    await hands.click(PASSWORD)
    with structlog.testing.capture_logs() as logged:
        await hands.type(CANARY)
        await hands.do(KeyInput("Enter"))
        await hands.sees(lambda seen: seen.url.startswith(pages.url("/leaked")))
        ended = await hands.finish()
    assert CANARY not in repr(ended)
    assert "TYPED_BY_THE_PERSON" in ended.title
    told = [ended, logged]
    for tool, arguments in (
        ("browser_current_page", {}),
        ("browser_snapshot", {}),
        ("browser_extract_text", {}),
        ("browser_extract_html", {}),
        ("browser_extract_interactable", {}),
        ("browser_pages", {}),
        ("browser_evaluate", {"code": "[location.href, btoa(location.search), document.title]"}),
        ("browser_evaluate", {"code": "throw new Error(document.title)"}),
        ("browser_click", {"selector": f"#{'x' * 3}"}),
    ):
        told.append(await world.call(tool, arguments, session))
    assert "TYPED_BY_THE_PERSON" in repr(told[2])
    assert CANARY not in repr(told)
    everything = b"\n".join([message.data async for message in world.log.read(">")])
    assert b"TYPED_BY_THE_PERSON" in everything
    assert CANARY.encode() not in everything
    out = capfd.readouterr()
    assert CANARY not in out.out + out.err


async def test_a_password_that_was_not_sent_does_not_stay_in_its_field(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/framed-login"))
    await hands.click(NAME)
    await hands.type("ada")
    assert (await hands.click(PASSWORD)).focus.secret, "in a frame, too"
    await hands.type(CANARY)
    await hands.finish()
    seen = await world.get("browser_snapshot", session)
    assert CANARY not in repr(seen)
    assert "ada" in repr(seen)
    assert any("emptied" in note for note in seen["notes"])


async def test_dialogs_windows_and_file_choosers_are_shown_to_the_person(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/pop-up"))
    await hands.click((20.0, 125.0))
    dialog = (await hands.sees(lambda seen: seen.dialog)).dialog
    assert dialog is not None
    assert (dialog.kind, dialog.message, dialog.default) == ("prompt", "Your name?", "nobody")
    assert (await hands.do(KeyInput("x"))).problem == "answer the page's dialog first"
    await hands.do(DialogInput(True, "Ada"))
    await hands.sees(lambda seen: seen.title == "Ada" and not seen.dialog)
    assert (await hands.do(DialogInput(True))).problem == "there is no dialog any more"
    await hands.click((20.0, 75.0))
    assert "asks for a file" in (await hands.sees(lambda seen: seen.notes)).notes[0]
    await hands.click((20.0, 25.0))
    seen = await hands.sees(lambda seen: seen.title == "Log in")
    assert [page.page for page in seen.pages] == ["p1", "p2"]
    assert seen.page == "p2", "the pop-up is in front, as in a browser"
    await hands.do(ShowPageInput("p2", close=True))
    assert (await hands.sees(lambda seen: len(seen.pages) == 1)).page == "p1"
    assert "no page 'p9'" in ((await hands.do(ShowPageInput("p9"))).problem or "")


async def test_buttons_of_a_browser_the_wheel_and_a_narrow_screen(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    await world.get("browser_navigate", session, url=pages.url("/news"))
    hands = await handed(world, session, pages.url("/scroll"))
    await hands.do(WheelInput(100, 100, 0, 600))
    page = await hands.one.context.page()
    await page.wait_for_function("scrollY > 0", timeout=5_000)
    await hands.do(ResizeInput(390, 20))
    assert page.viewport_size == {"width": 390, "height": 400}
    assert (await hands.sees(lambda seen: seen.image and seen.width == 390)).height == 400
    await hands.do(MouseInput("move", 10_000.0, -5.0))
    await hands.do(GoInput("back"))
    await hands.sees(lambda seen: seen.title == "News")
    assert "no page before" in ((await hands.do(GoInput("back"))).problem or "")
    await hands.do(GoInput("reload"))
    await hands.finish()
    assert page.viewport_size == {"width": 1280, "height": 800}


async def test_a_page_that_hangs_is_told_and_can_be_closed(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/spin"))
    await asyncio.sleep(0.5)  # sleeps: work
    assert "does not answer" in ((await hands.click((5.0, 5.0))).problem or "")
    seen = await hands.see()
    await hands.do(ShowPageInput(seen.page, close=True))
    assert (await hands.finish()).url == "about:blank"


async def test_two_persons_at_once_and_no_more_than_a_few(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    assert [(await hands.see(f"v{n}")).viewers for n in range(1, 5)] == [1, 2, 3, 4]
    fifth = await hands.one.answer(TakeoverLook("v5", 0))
    assert isinstance(fifth, TakeoverRefusal)
    assert fifth.kind == "rate_limited"
    both = await asyncio.gather(hands.type("ab"), hands.do(TextInput("cd")))
    assert [one.problem for one in both] == [None, None]
    crowd = await asyncio.gather(*(hands.one.answer(TakeoverAct((KeyInput("x"),) * 3)) for _ in range(20)))
    assert any(isinstance(one, TakeoverRefusal) and one.kind == "rate_limited" for one in crowd)


async def test_it_is_not_closed_for_idleness_and_ends_by_itself_when_it_expires(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    hands.one.context.used_at -= 2 * IDLE_S
    await world.contexts.look()
    assert (await hands.see()).title == "Log in"
    hands.one.expires_at -= timedelta(hours=1)
    await until(lambda: world.hand_overs.of(SessionId(session)) is None, 10)
    assert not hands.one.holds
    assert (await world.get("browser_current_page", session))["title"] == "Log in"


async def test_stop_ends_it_at_once_and_the_same_call_again_is_the_same_hand_over(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    one = hands.one
    looking = asyncio.create_task(one.answer(TakeoverLook("v1", 10**9)))
    await asyncio.sleep(0.2)  # sleeps: work
    endings = BrowserEndings(CodeCalls(world.toolbox()), world.contexts, world.hand_overs)
    stop = cancellations_to(HostedWork(world.runner(), (), stopped=endings.stop))
    told: Any = SimpleNamespace(subject=cancel_subject(SessionId(session)), data=one.call_id.encode())
    await stop(told)
    assert isinstance(await asyncio.wait_for(looking, 30), TakeoverRefusal)
    assert world.hand_overs.of(SessionId(session)) is None
    assert (await world.get("browser_current_page", session))["title"] == "Log in"


async def test_questions_about_another_call_or_that_cant_be_read_are_refused_without_quoting_them(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    for question in (
        msgspec.msgpack.encode({"call_id": "other", "what": {"type": "finish", "keep": False}}),
        msgspec.msgpack.encode({"call_id": hands.one.call_id, "what": {"type": "text", "text": CANARY}}),
        CANARY.encode(),
    ):
        answer = msgspec.msgpack.decode(
            await world.hand_overs._answer(hands.one, question), type=TakeoverRefusal
        )
        assert CANARY not in repr(answer)
    assert hands.one.holds


async def test_a_login_is_kept_only_if_the_person_wants_it_and_never_in_clear(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    agent = AgentId(AGENT)

    async def log_in(name: str, *, keep: bool) -> TakeoverResult:
        hands = await handed(world, name, pages.url("/login"))
        await hands.click(PASSWORD)
        await hands.do(*map(KeyInput, CANARY), KeyInput("Enter"))
        await hands.sees(lambda seen: seen.title == "Account")
        return await hands.finish(keep=keep)

    async def title(name: str) -> str:
        await world.get("browser_navigate", name, url=pages.url("/account"))
        shown = await world.get("browser_current_page", name)
        await world.contexts.end(SessionId(name))
        return str(shown["title"])

    await log_in(session, keep=False)
    assert await title(f"{session}-2") == "Who?"
    await world.contexts.end(SessionId(session))
    assert (await log_in(session, keep=True)).kept == ("a.test",)
    assert await title(f"{session}-3") == "Account"
    [login] = await world.logins.list(agent)
    assert (login.site, login.session_id, login.cookies) == ("a.test", session, 1)
    stored = b"".join(entry.value for entry in (await world.kept_logins.list()).values())
    everything = b"\n".join([message.data async for message in world.log.read(">")])
    for clear in (b"s3cr3t-session-cookie", b"dark", CANARY.encode()):
        assert clear not in stored + everything
    assert not (await world.logins.of(AgentId("other"))).cookies, "another agent has none of it"
    assert await world.logins.forget(agent, "a.test")
    assert await title(f"{session}-4") == "Who?"


async def test_a_page_that_answers_nobody_keeps_no_hand_over_open(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    page = await hands.one.context.page()
    await page.evaluate("setTimeout(() => { for (;;); }, 100); 1")
    await asyncio.sleep(0.5)  # sleeps: work
    refused = await asyncio.wait_for(hands.one.answer(TakeoverFinish(True)), 45)
    assert isinstance(refused, TakeoverRefusal), refused
    assert "a page doesn't answer" in refused.message
    assert isinstance(await asyncio.wait_for(hands.one.answer(TakeoverFinish(False)), 45), TakeoverResult)


async def test_nothing_to_keep_is_said_before_the_hand_over_ends(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/news"))
    refused = await hands.one.answer(TakeoverFinish(True))
    assert isinstance(refused, TakeoverRefusal)
    assert "could not be kept" in refused.message
    assert hands.one.holds
    await hands.finish()
    assert await hands.one.answer(TakeoverRelease()) is not None


async def test_kept_logins_that_cant_be_decrypted_are_left_out_and_told(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    key = f"{AGENT}.eA"
    entry = {"site": "x", "kept_at": "", "session_id": "s", "cookies": 1, "sealed": b"x" * 40}
    await world.kept_logins.put(key, msgspec.msgpack.encode(entry))
    shown = await world.get("browser_navigate", session, url=pages.url())
    await world.kept_logins.delete(key)
    assert "encrypted with another key" in shown["notes"][0]


@pytest.mark.faults
async def test_a_chromium_that_dies_is_told_to_the_person_and_then_to_the_agent(
    world: BrowserWorld, pages: Site, session: str
) -> None:
    hands = await handed(world, session, pages.url("/login"))
    looking = asyncio.create_task(hands.one.answer(TakeoverLook("v1", 10**9)))
    await asyncio.sleep(0.3)  # sleeps: work
    running = await world.contexts.chromium.running()
    os.kill(running.cage.process, signal.SIGKILL)
    lost = await asyncio.wait_for(looking, 30)
    assert isinstance(lost, TakeoverLost)
    assert "Chromium died" in lost.reason
    assert isinstance(await hands.one.answer(TakeoverFinish(True)), TakeoverLost)
    await hands.one.answer(TakeoverRelease())
    assert "Chromium died" in (await world.get("browser_current_page", session))["context_lost"]
