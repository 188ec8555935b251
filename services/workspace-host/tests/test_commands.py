"""Commands in a session's folder: its files are there, and what becomes of them are its files."""

import asyncio
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_tools.commands import LARGEST_SHOWN
from foldline_testing.agent_tools.world import SESSION, delivery, until
from foldline_testing.workspace_host.world import ShellWorld
from workspace_host import limits

pytestmark = pytest.mark.processes


async def test_a_command_says_what_it_wrote_and_how_it_ended(world: ShellWorld) -> None:
    ran = await world.sh("echo out; echo err >&2; exit 3")
    assert (ran["stdout"], ran["stderr"], ran["exit_code"], ran["ending"]) == ("out\n", "err\n", 3, "exited")
    weaker = world.isolation.weaker
    assert ran["isolation"] == ("full" if weaker is None else f"weaker: {weaker}")


async def test_a_command_line_is_for_bash(world: ShellWorld) -> None:
    assert (await world.sh("words=(a b c); echo ${words[1]}; [[ abc == a* ]] && echo yes"))[
        "stdout"
    ] == "b\nyes\n"


async def test_the_sessions_files_are_in_its_folder(world: ShellWorld) -> None:
    await world.put("data/a.csv", b"1,2\n")
    assert (await world.sh("cat data/a.csv"))["stdout"] == "1,2\n"
    await world.put("data/a.csv", b"3,4\n")
    assert (await world.sh("cat data/a.csv", folder="."))["stdout"] == "3,4\n"
    assert (await world.sh("cat a.csv", folder="data"))["stdout"] == "3,4\n"
    await world.remove("data/a.csv")
    assert (await world.sh("ls -A"))["stdout"] == ""


async def test_what_a_command_makes_changes_and_deletes_are_the_sessions_files(world: ShellWorld) -> None:
    await world.put("old.txt", b"old")
    await world.put("gone.txt", b"gone")
    ran = await world.sh("mkdir -p a/b; echo new > a/b/new.txt; echo more >> old.txt; rm gone.txt")
    changed = {one["path"]: one["change"] for one in ran["changed"]}
    assert changed == {"a/b/new.txt": "created", "old.txt": "changed", "gone.txt": "deleted"}
    assert await world.kept() == {"a/b/new.txt": b"new\n", "old.txt": b"oldmore\n"}
    assert (await world.sh("true"))["changed"] == []


async def test_a_folder_that_is_not_there_is_told_before_anything_runs(world: ShellWorld) -> None:
    error = await world.refused("run_command", command="echo ran > a.txt", folder="docs/old")
    assert (error.kind, error.path) == ("invalid_arguments", "/folder")
    assert error.message.startswith("there is no folder 'docs/old'")
    assert await world.kept() == {}
    await world.sh("mkdir real; ln -s real docs; ln -s /etc/nowhere gone")
    assert (await world.sh("pwd -P", folder="docs"))["stdout"].endswith("/real\n")
    assert (await world.sh("true", folder="gone"))["exit_code"] != 0


async def test_a_command_that_is_rewound_leaves_nothing_in_the_folder(world: ShellWorld) -> None:
    await world.put("plan.txt", b"one")
    await world.sh("echo two > plan.txt; echo x > made.txt")
    await world.put("plan.txt", b"one")  # as a rewind has it
    await world.remove("made.txt")
    assert (await world.sh("cat plan.txt; ls"))["stdout"] == "oneplan.txt\n"


async def test_sessions_see_their_own_files_alone(world: ShellWorld) -> None:
    await world.sh("echo secret > mine.txt", session="s1")
    assert (await world.sh("ls -A", session="s2"))["stdout"] == ""


async def test_a_python_program_runs_with_its_input(world: ShellWorld) -> None:
    code = "import sys\nprint(sys.stdin.read().upper())\nopen('made.bin', 'wb').write(bytes(range(256)))"
    ran = await world.get("run_python", code=code, input="words")
    assert (ran["stdout"], ran["exit_code"]) == ("WORDS\n", 0)
    assert (await world.kept())["made.bin"] == bytes(range(256))


async def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(world: ShellWorld) -> None:
    ran = await world.sh("echo begun; (sleep 300 & sleep 300)", timeout_s=1)
    assert (ran["ending"], ran["exit_code"], ran["stdout"]) == ("timed_out", None, "begun\n")
    assert ran["seconds"] < 20
    assert ran["programs"][-2:] == ["bash", "sleep"]


async def test_much_output_is_a_file_and_its_ends_are_shown(world: ShellWorld) -> None:
    ran = await world.sh("echo first; seq 200000; echo last")
    assert ran["stdout"].startswith("first\n")
    assert ran["stdout"].endswith("last\n")
    assert len(ran["stdout"]) < LARGEST_SHOWN
    files = {path: data for path, data in (await world.kept()).items() if path.startswith("results/")}
    [whole] = files.values()
    assert whole.count(b"\n") == 200_002


async def test_output_that_is_no_text_is_shown_as_far_as_it_is(world: ShellWorld) -> None:
    assert (await world.sh(r"printf 'a\000b\377c'"))["stdout"] == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "true", "folder": "../.."},
        {"command": "true", "folder": "/etc"},
        {"command": "true", "timeout_s": 601},
        {"command": "a\0b"},
        {"command": "   "},
    ],
)
async def test_what_can_t_be_run_is_refused(world: ShellWorld, arguments: dict[str, Any]) -> None:
    assert (await world.refused("run_command", **arguments)).kind is ErrorKind.INVALID_ARGUMENTS


async def test_a_command_in_the_background_is_polled_written_to_and_stopped(world: ShellWorld) -> None:
    ran = await world.sh("while read line; do echo got $line; echo $line >> lines.txt; done", background=True)
    assert (ran["ending"], ran["stdout"]) == ("running", "")
    name = ran["command_id"]
    ran = await world.get("command_output", command_id=name, input="one\n", wait_s=1)
    assert ran["stdout"] == "got one\n"
    assert (await world.kept())["lines.txt"] == b"one\n"
    ran = await world.get("command_output", command_id=name, input="two\n", wait_s=1)
    assert ran["stdout"] == "got two\n"
    ran = await world.get("stop_command", command_id=name)
    assert (ran["ending"], ran["stdout"]) == ("stopped", "")
    assert (await world.get("stop_command", command_id=name))["ending"] == "stopped"
    assert (await world.kept())["lines.txt"] == b"one\ntwo\n"


async def test_a_command_in_the_background_that_ends_says_how(world: ShellWorld) -> None:
    name = (await world.sh("sleep 1.5; echo done; exit 4", background=True))["command_id"]
    ran = await world.get("command_output", command_id=name, wait_s=30)
    assert (ran["ending"], ran["exit_code"], ran["stdout"]) == ("exited", 4, "done\n")


async def test_another_sessions_command_is_unknown(world: ShellWorld) -> None:
    name = (await world.sh("sleep 60", background=True))["command_id"]
    assert (await world.refused("command_output", "s2", command_id=name)).kind is ErrorKind.NOT_FOUND
    assert (await world.refused("stop_command", "s2", command_id=name)).kind is ErrorKind.NOT_FOUND


async def test_only_so_many_run_in_the_background(world: ShellWorld) -> None:
    for _ in range(limits.BACKGROUND):
        await world.sh("sleep 60", background=True)
    refused = await world.refused("run_command", command="sleep 60", background=True)
    assert refused.kind is ErrorKind.TOO_LARGE
    assert (await world.sh("echo still"))["stdout"] == "still\n"


async def test_a_session_that_ended_has_no_commands_and_no_folder(world: ShellWorld) -> None:
    await world.sh("sleep 60", background=True)
    [folder] = world.folders.of_session(SESSION)
    await world.host.end_in(folder)
    await world.folders.drop(SESSION)
    assert not folder.view.files.exists()
    assert folder.commands == 0


async def test_a_call_that_is_stopped_leaves_no_process(world: ShellWorld) -> None:
    message = await world.request("run_command", {"command": "sleep 55"}, call_id="c99")
    runner = world.runner()
    handling = asyncio.create_task(runner.handle(delivery(message)))
    await until(lambda: world.folders.of_session(SESSION) and world.folders.of_session(SESSION)[0].commands)
    runner.stop(SESSION, None)
    await handling
    assert world.folders.of_session(SESSION)[0].commands == 0
