"""Programs and commands by LibrAgent's names: what is asked of the workspace host, and what is told of it."""

from dataclasses import dataclass, field

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import RunsOn
from agent_tools.commands import ChangedFile, Command, CommandRun, Exchange
from agent_tools.registry import Pack, Registry
from foldline_libragent.execution import execute_python, execute_shell
from foldline_testing.agent_tools.world import PackWorld

RUN = CommandRun(command_id="w1", ending="exited", exit_code=0, stdout="2\n", seconds=0.5)

CHANGED = ChangedFile("a.txt", "created", 1, "f_1")


@dataclass
class AnsweringCommands:
    """`Commands` that end as the test says. `asked` is what was run."""

    run_as: CommandRun = RUN
    asked: list[Command] = field(default_factory=list)

    async def run(self, command: Command) -> CommandRun:
        """See `Commands`."""
        self.asked.append(command)
        return self.run_as

    async def look(self, command_id: str, wait_s: float = 0, text: str | None = None) -> CommandRun:
        """See `Commands`."""
        return self.run_as

    async def exchange(self, command_id: str, line: str | None = None, wait_s: float = 0) -> Exchange:
        """See `Commands`."""
        return Exchange((), self.run_as.ending)

    async def stop(self, command_id: str) -> CommandRun:
        """See `Commands`."""
        return self.run_as


class CommandWorld(PackWorld):
    """A workspace host's tools."""

    @property
    def host(self) -> AnsweringCommands:
        """What they ask."""
        assert isinstance(self.commands, AnsweringCommands)
        return self.commands


@pytest.fixture
def world() -> CommandWorld:
    tools = (execute_python, execute_shell)
    return CommandWorld(Registry([Pack("libragent", "1", tools)]), commands=AnsweringCommands())


def test_they_run_at_the_workspace_host() -> None:
    assert {one.spec.runs_on for one in (execute_python, execute_shell)} == {RunsOn.WORKSPACE}


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("execute_python", {"code": "print(2)"}, Command(language="python", text="print(2)")),
        (
            "execute_python",
            {"code": "1", "timeout": 5},
            Command(language="python", text="1", timeout_s=5),
        ),
        ("execute_shell", {"command": "ls"}, Command(language="shell", text="ls")),
        (
            "execute_shell",
            {"command": "ls", "working_dir": "./src/", "timeout": 60, "run_mode": "async"},
            Command(language="shell", text="ls", folder="src", timeout_s=60, background=True),
        ),
    ],
)
async def test_what_is_asked_is_the_command(
    world: CommandWorld, tool: str, arguments: dict[str, Json], command: Command
) -> None:
    event = await world.run(tool, arguments)
    assert world.host.asked == [command]
    assert event.result == {
        "command_id": "w1",
        "status": "exited",
        "exit_code": 0,
        "stdout": "2\n",
        "stderr": "",
        "seconds": 0.5,
        "stdout_file": None,
        "stderr_file": None,
        "changed": [],
        "not_kept": [],
        "weaker": None,
    }


async def test_what_it_changed_and_what_could_not_be_kept_is_told(world: CommandWorld) -> None:
    world.host.run_as = msgspec.structs.replace(
        RUN,
        exit_code=1,
        stderr="no",
        changed=(ChangedFile("a.txt", "created", 1, "f_1"),),
        not_kept=("b: x",),
    )
    result = (await world.run("execute_shell", {"command": "x"})).result
    assert (result["exit_code"], result["stderr"]) == (1, "no")
    assert (result["changed"], result["not_kept"]) == (["a.txt (created)"], ["b: x"])


async def test_one_that_takes_too_long_ends_as_timeout_with_what_it_wrote(world: CommandWorld) -> None:
    world.host.run_as = msgspec.structs.replace(
        RUN, ending="timed_out", exit_code=None, stdout="so far", seconds=30.0
    )
    error = (await world.run("execute_shell", {"command": "sleep 99"})).error
    assert error.kind == "timeout"
    assert "so far" in error.message


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("execute_python", {}, "/code"),
        ("execute_python", {"code": 1}, "/code"),
        ("execute_python", {"code": "1", "x": 1}, "/x"),
        ("execute_python", {"code": "1", "timeout": 10_000}, "/timeout"),
        ("execute_shell", {}, "/command"),
        ("execute_shell", {"command": ""}, "/command"),
        ("execute_shell", {"command": "ls", "x": 1}, "/x"),
        ("execute_shell", {"command": "ls", "run_mode": "later"}, "/run_mode"),
        ("execute_shell", {"command": "ls", "working_dir": "../.."}, "/working_dir"),
    ],
)
async def test_what_does_not_fit_is_said_before_anything_runs(
    world: CommandWorld, tool: str, arguments: dict[str, Json], path: str
) -> None:
    error = (await world.run(tool, arguments)).error
    assert (error.kind, error.path) == ("invalid_arguments", path)
    assert world.host.asked == []


class Nowhere(AnsweringCommands):
    """`Commands` in a workspace without folders."""

    async def run(self, command: Command) -> CommandRun:
        """See `Commands`."""
        raise Rejected("there is no folder", kind=ErrorKind.INVALID_ARGUMENTS, path="/folder")


async def test_a_folder_that_is_not_there_is_named_by_the_argument(world: CommandWorld) -> None:
    world.commands = Nowhere()
    event = await world.run("execute_shell", {"command": "ls", "working_dir": "docs"})
    assert (event.error.kind, event.error.path) == ("invalid_arguments", "/working_dir")
