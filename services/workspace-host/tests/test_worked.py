"""What a command did stands with its call's result: how it ran, and which files it touched."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.commands import (
    LONGEST_COMMAND,
    MOST_COMMANDS,
    MOST_FILES,
    CallCommand,
    Ending,
    Touch,
    TouchedFile,
)
from agent_tools.context import CommandNotes
from foldline_testing.workspace_host.world import ShellWorld
from workspace_host.folders import opened_paths
from workspace_host.folders.opened_paths import Opens

pytestmark = pytest.mark.processes


async def did(world: ShellWorld, command: str, tool: str = "run_command", **more: Any) -> CallCommand:
    """What the call tells of the one command that it ran, or looked at."""
    ended = await world.call(tool, {"command": command, **more} if tool == "run_command" else more)
    assert ended.worked is not None, ended
    [one] = ended.worked.commands
    assert isinstance(one, CallCommand)
    return one


def touched(command: CallCommand) -> dict[str, str]:
    return {file.path: file.touch for file in command.files}


async def test_a_call_tells_how_its_command_ran_and_which_files_it_touched(world: ShellWorld) -> None:
    for name in ("data/in.csv", "old.txt", "gone.txt", "left.txt"):
        await world.put(name, b"1\n")
    line = "cat data/in.csv > out.csv; echo 2 >> old.txt; rm gone.txt; exit 3"
    one = await did(world, line)
    assert (one.language, one.command, one.ending, one.exit_code) == ("shell", line, "exited", 3)
    assert one.duration_ms >= 0
    assert one.saw_all
    assert touched(one) == {
        "out.csv": "created",
        "old.txt": "changed",
        "gone.txt": "deleted",
        "data/in.csv": "opened",
    }
    assert next(file.size for file in one.files if file.path == "old.txt") == 4


async def test_what_the_host_itself_opens_is_not_told(world: ShellWorld) -> None:
    await world.put("a.txt", b"a")
    await did(world, "echo b > b.txt")
    await world.put("a.txt", b"other")  # laid out anew, and what is new is read
    assert touched(await did(world, "true")) == {}


async def test_a_command_in_the_background_is_told_by_each_call_that_looks(world: ShellWorld) -> None:
    await world.put("in.txt", b"x")
    first = await did(world, "read a; cat in.txt > one.txt; read b; echo > two.txt; read c", background=True)
    assert (first.ending, touched(first)) == ("running", {})
    name = first.command_id
    look = await did(world, "", "command_output", command_id=name, input="go\n", wait_s=1)
    assert touched(look) == {"in.txt": "opened", "one.txt": "created"}
    look = await did(world, "", "command_output", command_id=name, input="go\n", wait_s=1)
    assert touched(look) == {"two.txt": "created"}
    look = await did(world, "", "stop_command", command_id=name)
    assert (look.ending, look.exit_code, touched(look), look.saw_all) == ("stopped", None, {}, True)


async def test_a_folder_that_a_command_makes_is_watched_and_a_link_is_not_followed(
    world: ShellWorld, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("x")
    line = f"mkdir new; ln -s {tmp_path} out; read a; cat new/f"
    name = (await did(world, line, background=True)).command_id
    await asyncio.sleep(0.5)  # sleeps: quiet; a look of the host
    await world.put("new/f", b"f")
    await did(world, "true")  # lays it out
    (tmp_path / "secret").read_text()
    look = await did(world, "", "command_output", command_id=name, input="go\n", wait_s=5)
    assert touched(look) == {"new/f": "opened"}


async def test_programs_and_long_texts_are_told_in_short(world: ShellWorld) -> None:
    one = await did(world, f"sleep 0.6; : {'x' * 2000}")
    assert "sleep" in one.programs
    assert len(one.command) == LONGEST_COMMAND


async def test_a_command_that_could_not_start_tells_nothing(world: ShellWorld) -> None:
    ended = await world.call("run_command", {"command": "true", "folder": "nowhere"})
    assert ended.worked is None


async def test_a_command_that_was_ended_is_told(world: ShellWorld) -> None:
    one = await did(world, "echo 1 > a.txt; sleep 60", timeout_s=1)
    assert (one.ending, touched(one)) == ("timed_out", {"a.txt": "created"})


async def test_of_very_many_files_the_changed_ones_are_listed_and_the_rest_counted(
    world: ShellWorld,
) -> None:
    for number in range(MOST_FILES + 20):
        await world.put(f"in/{number:03}.txt", b"x")
    one = await did(world, "cat in/*.txt > all.txt")
    assert (one.files[0].path, one.files[0].touch) == ("all.txt", "created")
    assert len(one.files) == MOST_FILES
    assert one.more_files == 21
    assert one.saw_all


async def test_where_more_is_opened_than_can_be_remembered_that_is_said(
    world: ShellWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened_paths, "MOST_PATHS", 3)
    for number in range(6):
        await world.put(f"{number}.txt", b"x")
    one = await did(world, "cat *.txt > /dev/null")
    assert (len(one.files), one.saw_all) == (3, False)
    assert (await did(world, "true")).saw_all


def test_without_room_for_a_watch_it_says_that_it_could_not_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(opened_paths, "MOST_FOLDERS", 2)
    watching = Opens(str(tmp_path))
    try:
        assert not watching.take().whole
    finally:
        watching.close()
    monkeypatch.setattr(opened_paths, "_kernel", lambda: None)
    assert not Opens(str(tmp_path)).take().whole


def test_what_one_call_tells_of_a_command_at_several_times_is_joined() -> None:
    work = CommandNotes()

    def told(ending: Ending, *files: tuple[str, Touch], saw_all: bool = True) -> None:
        found = tuple(TouchedFile(path, touch, 1) for path, touch in files)
        work.note(CallCommand("c_1", "shell", "true", ending, files=found, saw_all=saw_all))

    told("running", ("a", "created"), ("b", "opened"), ("c", "deleted"), ("d", "changed"), saw_all=False)
    told("running", ("a", "changed"), ("b", "changed"), ("c", "created"), ("d", "opened"))
    told("exited", ("e", "opened"), ("d", "deleted"))
    assert work.worked is not None
    [one] = work.worked.commands
    assert (one.ending, one.saw_all) == ("exited", False)
    assert touched(one) == {"a": "created", "b": "changed", "c": "changed", "d": "deleted", "e": "opened"}
    assert one.files[-1].path == "e", "those that changed come first"


def test_a_call_lists_so_many_commands_and_files_and_counts_the_others() -> None:
    work = CommandNotes()
    files = tuple(TouchedFile(f"{number}", "opened") for number in range(MOST_FILES - 1))
    work.note(CallCommand("c_0", "shell", "true", "running", files=files))
    for number in range(MOST_COMMANDS + 3):
        work.note(CallCommand(f"c_{number}", "shell", "true", "exited", files=files))
    assert work.worked is not None
    assert len(work.worked.commands) == MOST_COMMANDS
    assert work.worked.more == 3
    assert work.worked.commands[0].ending == "exited"
    assert sum(len(one.files) for one in work.worked.commands) == MOST_FILES
    assert work.worked.commands[1].more_files == MOST_FILES - 2
