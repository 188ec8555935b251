"""What a pack's tests are given: a runner in memory whose net and models answer as the test says."""

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.questions.generation import Generate
from agent_contracts.session_events.results import Usage
from agent_contracts.tool_spec import Effect, RunsOn
from agent_tools.commands import Command, CommandRun
from agent_tools.context import CallContext
from agent_tools.ports.models import ModelAnswer, Models
from agent_tools.ports.outside import AgentEgress, Commands
from agent_tools.ports.running import Compute
from agent_tools.registry import Pack, Registry
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from egress.fetching import FetchRequest, FetchResponse
from foldline_testing.agent_tools.commands import ScriptedCommands
from foldline_testing.agent_tools.fakes import AnsweredEgress, AnsweringModels
from foldline_testing.agent_tools.world import PackWorld

PAGE = "https://example.org/page"


class Page(Arguments):
    """Which one."""

    url: str


class Summary(Result):
    """What it is about."""

    words: int
    about: str


@tool("sum_up", family="test", effect=EXTERNAL)
async def sum_up(
    args: Page, call: CallContext, egress: AgentEgress, compute: Compute, models: Models
) -> Summary:
    """Sum up a page."""
    answer = await egress.fetch(FetchRequest(args.url))
    words = await compute.run(lambda: len(answer.body.split()))
    schema = {"type": "object", "properties": {"about": {"type": "string"}}}
    asked = Generate(call.agent_id, call.session, call.call_id, prompt=answer.body.decode(), schema=schema)
    said = await models.ask(asked)
    assert isinstance(said.parsed, dict)
    return Summary(words=words, about=str(said.parsed["about"]))


class Line(Arguments):
    """A command line."""

    command: str


class Said(Result):
    """What it wrote."""

    stdout: str
    exit_code: int | None


@tool("shell", family="test", effect=EXTERNAL, runs_on=RunsOn.WORKSPACE)
async def shell(args: Line, commands: Commands) -> Said:
    """Run a command."""
    ran = await commands.run(Command(language="shell", text=args.command))
    return Said(stdout=ran.stdout, exit_code=ran.exit_code)


@pytest.fixture
def world() -> PackWorld:
    return PackWorld(
        Registry([Pack("test", "1", (sum_up, shell))]),
        egress=AnsweredEgress({PAGE: FetchResponse(200, {}, b"all about nets", PAGE, False)}),
        commands=ScriptedCommands(
            {"make": CommandRun(command_id="", ending="exited", exit_code=2, stdout="no rule\n")}
        ),
        models=AnsweringModels(ModelAnswer('{"about": "nets"}', None, Usage(10, 2))),
    )


async def test_net_and_models_answer_as_they_were_told(world: PackWorld) -> None:
    event = await world.run("sum_up", {"url": PAGE}, effect=Effect.EXTERNAL)
    assert event.result == {"words": 3, "about": "nets"}
    assert isinstance(world.models, AnsweringModels)
    assert [asked.prompt for asked in world.models.asked] == ["all about nets"]


async def test_where_nothing_was_told_nobody_answers(world: PackWorld) -> None:
    event = await world.run("sum_up", {"url": "https://example.org/other"}, effect=Effect.EXTERNAL)
    assert (event.error.kind, event.error.retryable) == (ErrorKind.UPSTREAM, True)
    assert isinstance(world.egress, AnsweredEgress)
    assert [asked.url for asked in world.egress.asked] == ["https://example.org/other"]


async def test_commands_give_what_was_told_of_them(world: PackWorld) -> None:
    event = await world.run("shell", {"command": "make"}, effect=Effect.EXTERNAL)
    assert event.result == {"stdout": "no rule\n", "exit_code": 2}
    event = await world.run("shell", {"command": "true"}, effect=Effect.EXTERNAL, call_id="c2")
    assert event.result == {"stdout": "", "exit_code": 0}
    assert isinstance(world.commands, ScriptedCommands)
    assert [asked.text for asked in world.commands.asked] == ["make", "true"]
