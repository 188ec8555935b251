"""`browser.*` in agents' code: a tool runner's sandbox, and the pool that has the session's pages."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.subjects import LEASES_BUCKET, query_subject
from agent_contracts.policies import Grant, Match
from agent_contracts.questions.code_calls import CALL_BROWSER, STOP_BROWSER_CALL, CodeCall
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallPending
from agent_contracts.tool_spec import Effect
from agent_domain import definitions
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.leases.leases import Leases
from agent_platform.services.streams import prepare
from agent_tools.hosting.host import query_of_code
from agent_tools.running.code_calls import CodeCalls
from browser_pool.app import POOL
from browser_pool.handlers import ContextWork
from browser_pool.owners import BrowserOwners
from browser_pool.routing import BrowserRouting
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import SESSION, delivery, until
from foldline_testing.browser_pool.site import Site, site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world
from foldline_testing.tool_runner.world import World
from tool_runner.agent.other_runners import NatsOtherRunners
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@dataclass
class Stage:
    """A runner and a pool on one NATS; what each writes is in one log."""

    runner: World
    pool: BrowserWorld
    pages: Site
    connection: NatsConnection

    async def code(self, code: str, call_id: str, session: str = SESSION) -> Any:
        """The event of `run_sandbox_code`."""
        return await self.runner.run(
            "run_sandbox_code",
            {"code": code},
            call_id=call_id,
            session_id=SessionId(session),
            effect=Effect.EXTERNAL,
        )


@asynccontextmanager
async def serving(pool: BrowserWorld, connection: NatsConnection, name: str) -> AsyncIterator[CodeCalls]:
    """A pool that answers code, as the service does."""
    pool.leases = Leases(bucket(connection, LEASES_BUCKET), name, browser_lease_key)
    pool.contexts._leases = pool.leases
    of_code = CodeCalls(pool.toolbox())

    async def nothing(_: Delivery) -> None:
        raise AssertionError("nothing is delivered here")

    work, owners = ContextWork(nothing, of_code.run), BrowserOwners(pool.log)
    routing = BrowserRouting(connection, pool.leases, pool.contexts, work, pool.metrics, owners)
    subject = query_subject(CALL_BROWSER)
    query = query_of_code(CALL_BROWSER, routing.answer, POOL)
    asked = QuestionServer(
        connection, subject, "browser-pool", query.answer, failed=query.failed, stopped=query.stopped
    )
    await connection.subscribe(query_subject(STOP_BROWSER_CALL), of_code.told_to_stop)
    tasks = [asyncio.create_task(routing.run()), asyncio.create_task(asked.run())]
    await asyncio.sleep(0.1)  # sleeps: work
    try:
        yield of_code
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(take_nats: Callable[[], NatsForTest], tmp_path_factory: Any) -> AsyncIterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("sandbox")
    sandbox = Sandbox(folder, 1)
    server = take_nats()
    connection = await connect(server.url, name="pool")
    asking = await connect(server.url, name="runner")
    await prepare(connection, [])
    runner = World(sandbox=sandbox, runners=NatsOtherRunners(asking))
    try:
        async with (
            site() as pages,
            browser_world(log=runner.log, blobs=runner.blobs) as pool,
            serving(pool, connection, "b_code"),
        ):
            yield Stage(runner, pool, pages, asking)
    finally:
        await asking.close()
        await connection.close()
        await sandbox.close()


async def test_code_drives_the_browser_that_the_session_has(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage.runner, "grants", (Grant(Match(method="POST")),))
    await stage.pool.get("browser_navigate", url=stage.pages.url("/form"))
    event = await stage.code(
        """
        const seen = await browser.currentPage()
        await browser.type({ selector: '#name', text: 'Ada' })
        const { snapshot } = await browser.snapshot()
        const ref = /button "Send" \\[ref=(\\w+)\\]/.exec(snapshot)[1]
        const sent = await browser.click({ ref })
        const { text } = await browser.extractText({ selector: 'p' })
        return { at: seen.title, then: sent.title, text }
        """,
        "drives",
    )
    assert event.result["result"] == {"at": "Order", "then": "Ordered", "text": "Thank you."}
    assert stage.pages.posted[-1]["name"] == ["Ada"]
    assert [one.kind for one in event.outside] == ["web"], "what a page said is nobody's instruction"
    after = await stage.pool.get("browser_current_page")
    assert after["title"] == "Ordered", "a later call finds the page where code left it"


async def test_calls_run_one_after_another_in_the_order_in_which_code_made_them(stage: Stage) -> None:
    urls = [stage.pages.url(path) for path in ("/", "/news", "/form")]
    code = f"""
    const titles = await Promise.all({urls!r}.map((url) => browser.navigate({{ url }}).then((p) => p.title)))
    return [titles, (await browser.currentPage()).title]
    """
    event = await stage.code(code, "order")
    assert event.result["result"] == [["Home", "News", "Order"], "Order"]


async def test_files_of_the_browser_are_the_sessions_and_stored_once(stage: Stage) -> None:
    code = f"""
    await browser.navigate({{ url: {stage.pages.url()!r} }})
    const shots = [await browser.screenshot(), await browser.screenshot()]
    await state.set('seen', true)
    return shots.map((one) => one.path)
    """
    event = await stage.code(code, "shots")
    first, second = event.result["result"]
    assert first != second
    asked = CodeCall(AgentId("a1"), SessionId(SESSION), CallId("repeat"), 1, 1, 1, "browser_screenshot", {})
    calls = CodeCalls(stage.pool.toolbox())
    answers = [msgspec.json.decode(await calls.run(asked), type=ToolAnswer) for _ in range(2)]
    assert answers[0].result["file_id"] == answers[1].result["file_id"], "a repeat writes once"


async def test_a_form_that_code_sends_is_asked_for_in_the_name_of_its_call(stage: Stage) -> None:
    code = f"""
    await browser.navigate({{ url: {stage.pages.url("/form")!r} }})
    await browser.type({{ selector: 'input[name=name]', text: 'Ada' }})
    try {{ await browser.click({{ selector: 'button' }}) }} catch (e) {{ console.log(e.code) }}
    """
    before = len(stage.pages.posted)
    event = await stage.code(code, "orders", "orders")
    assert isinstance(event, ToolCallPending), event
    where = {"tool": "run_sandbox_code", "host": "a.test", "method": "POST", "path": "/ordered"}
    assert event.show.items() >= where.items()
    assert len(stage.pages.posted) == before
    stage.runner.grants = (Grant(Match(tool="run_sandbox_code", host="a.test:*", method="POST"), once=True),)
    event = await stage.code(code, "orders-again", "orders")
    stage.runner.grants = ()
    assert isinstance(event, ToolCallCompleted), event
    assert len(stage.pages.posted) == before + 1


@pytest.mark.parametrize(
    ("call", "name", "code"),
    [
        ("browser.navigate()", "TypeError", "invalid_arguments"),
        ("browser.navigate({ url: 1 })", "TypeError", "invalid_arguments"),
        ("browser.navigate({ url: 'http://a.test/', more: 1 })", "TypeError", "invalid_arguments"),
        ("browser.navigate('http://a.test/')", "TypeError", "invalid_arguments"),
        ("browser.navigate({ url: 'file:///etc/passwd' })", "HostError", "blocked"),
        ("browser.navigate({ url: 'http://secret.test/' })", "HostError", "blocked"),
        ("browser.click({ selector: '#nowhere' })", "HostError", "not_found"),
        ("browser.teleport({})", "NotAvailableError", "not_available"),
        ("browser['../x']({})", "NotAvailableError", "not_available"),
    ],
)
async def test_what_fails_is_an_exception_that_says_what_it_was(
    stage: Stage, call: str, name: str, code: str
) -> None:
    event = await stage.code(
        f"try {{ await {call} }} catch (e) {{ return [e.name, e.code] }}", f"f-{abs(hash(call))}"
    )
    assert event.result["result"] == [name, code]


async def test_values_come_as_they_are(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.runner, "grants", (Grant(Match(tool="browser_evaluate")),))
    await stage.pool.get("browser_navigate", url=stage.pages.url())
    code = """
    const { result } = await browser.evaluate({ code: "({ a: [1.5, null, 'ü'], big: 2 ** 53 })" })
    return result
    """
    event = await stage.code(code, "values")
    assert event.result["result"] == {"a": [1.5, None, "ü"], "big": 2**53}


async def test_stop_ends_what_code_waits_for_and_the_browser_is_free(stage: Stage) -> None:
    code = f"await browser.navigate({{ url: {stage.pages.url('/silent')!r} }})"
    message = await stage.runner.request(
        "run_sandbox_code", {"code": code}, call_id="stopped", effect=Effect.EXTERNAL
    )
    runner = stage.runner.runner()
    handling = asyncio.create_task(runner.handle(delivery(message)))
    await until(lambda: "/silent" in stage.pages.seen)
    runner.stop(SessionId(SESSION), CallId("stopped"))
    await asyncio.wait_for(handling, 30)
    assert await stage.runner.result("stopped") is None

    async def free() -> Any:
        return await stage.code(
            f"return (await browser.navigate({{ url: {stage.pages.url()!r} }})).title", "free"
        )

    assert (await asyncio.wait_for(free(), 15)).result["result"] == "Home"


async def test_a_page_that_calls_a_function_has_no_browser(stage: Stage) -> None:
    code = "try { await browser.currentPage() } catch (e) { return [e.name, e.message] }"
    definition = ToolDefinition("looks", {"type": "object"}, code)
    key = EntityKey(AgentId("a1"), FUNCTION.kind, "looks")
    await definitions.create(stage.runner.entities, key, FUNCTION, definition, EntityWriter.user("w1"))
    asked = FunctionCall(AgentId("a1"), CallId("page"), "looks", {})
    answer = msgspec.json.decode(await stage.runner.functions().answer(msgspec.json.encode(asked)))
    assert answer["result"] == [
        "NotAvailableError",
        "browser.currentPage needs a session: a page called the function",
    ]


async def test_without_a_pool_it_says_so_at_once(take_nats: Callable[[], NatsForTest], stage: Stage) -> None:
    nobody = await connect(take_nats().url, name="nobody")
    lonely = World(sandbox=stage.runner.sandbox, runners=NatsOtherRunners(nobody))
    code = "try { await browser.close() } catch (e) { return [e.name, e.message] }"
    try:
        async with asyncio.timeout(10):
            event = await lonely.run("run_sandbox_code", {"code": code}, effect=Effect.EXTERNAL)
    finally:
        await nobody.close()
    name, message = event.result["result"]
    assert (name, "no browser pool is running" in message) == ("NotAvailableError", True)
