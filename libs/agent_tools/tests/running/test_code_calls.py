"""What code asks other runners for: also where it is asked twice, since a runner died in between."""

import asyncio

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.ids import CallId
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.tool_spec import Effect
from agent_tools.registry import Pack, Registry
from agent_tools.running.code_calls import CodeCalls
from agent_tools.tool import Arguments, Result, tool
from agent_tools.toolbox import Toolbox
from foldline_testing.agent_tools.world import AGENT, SESSION

CALL = CallId("c1")


class Nothing(Arguments):
    """No arguments."""


class Done(Result):
    """Nothing to tell."""

    ok: bool = True


async def test_one_that_is_asked_for_again_while_it_runs_is_answered_twice_and_stopped_twice() -> None:
    begun, gate = asyncio.Semaphore(0), asyncio.Event()

    @tool("wait", family="test", effect=Effect.PURE)
    async def wait(args: Nothing) -> Done:
        """Wait."""
        begun.release()
        await gate.wait()
        return Done()

    calls = CodeCalls(Toolbox.of(Registry([Pack("test", "1", (wait,))])))
    asked = CodeCall(AGENT, SESSION, CALL, 1, 1, 1, "wait", {})

    async def twice() -> list[asyncio.Task[bytes]]:
        running = [asyncio.create_task(calls.run(asked)) for _ in range(2)]
        async with asyncio.timeout(60):
            for _ in running:
                await begun.acquire()
        return running

    async def answers(running: list[asyncio.Task[bytes]]) -> list[ToolAnswer]:
        async with asyncio.timeout(60):
            return [msgspec.json.decode(one, type=ToolAnswer) for one in await asyncio.gather(*running)]

    running = await twice()
    gate.set()
    assert [one.result for one in await answers(running)] == [{"ok": True}] * 2
    gate.clear()
    running = await twice()
    calls.stop(SESSION, CALL)
    assert [one.error.kind for one in await answers(running) if one.error] == ["cancelled"] * 2
