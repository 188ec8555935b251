"""What a command may say of its folder and its time, and what a process gets to know of the host's own."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.commands import LONGEST_S, Command
from foldline_testing.workspace_host.world import ShellWorld
from workspace_host.commands.starting import LONGEST_TEXT, checked


def command(text: str = "true", **more: Any) -> Command:
    return Command(language="shell", **{"text": text, **more})


@pytest.mark.parametrize(
    ("folder", "seen"), [("", ""), ("a/b", "a/b"), ("./a//b/", "a/b"), ("a..b", "a..b"), ("...", "...")]
)
def test_a_folder_is_inside_the_workspace(folder: str, seen: str) -> None:
    assert checked(command(folder=folder), anywhere=False).folder == seen


@pytest.mark.parametrize("folder", ["..", "a/..", "../a", "a/../../b", "./..", "/", "/etc"])
def test_no_folder_leads_out_of_it(folder: str) -> None:
    with pytest.raises(Rejected) as refused:
        checked(command(folder=folder), anywhere=False)
    assert (refused.value.kind, refused.value.path) == (ErrorKind.INVALID_ARGUMENTS, "/folder")
    assert checked(command(folder=folder), anywhere=True).folder == folder


@pytest.mark.parametrize(
    ("given", "at_fault"),
    [
        ({"text": " \n"}, "/command"),
        ({"text": "é" * (LONGEST_TEXT // 2) + "x"}, "/command"),
        ({"text": "a\0b"}, "/command"),
        ({"folder": "a\0b"}, "/command"),
        ({"timeout_s": 0}, "/timeout_s"),
        ({"timeout_s": LONGEST_S + 1}, "/timeout_s"),
    ],
)
def test_what_can_not_be_run_is_refused_by_its_argument(given: dict[str, Any], at_fault: str) -> None:
    with pytest.raises(Rejected) as refused:
        checked(command(**given), anywhere=False)
    assert refused.value.path == at_fault


def test_the_longest_that_may_be_run() -> None:
    for given in ({"text": "x" * LONGEST_TEXT}, {"timeout_s": LONGEST_S}):
        assert checked(command(**given), anywhere=False)


@pytest.mark.processes
@pytest.mark.parametrize("language", ["run_command", "run_python"])
async def test_a_command_gets_nothing_of_the_hosts_environment(
    world: ShellWorld, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("FOLDLINE_MODEL_API_KEY", "sk-canary")
    if language == "run_command":
        ran = await world.sh("env")
    else:
        ran = await world.get(
            "run_python", code="import os; [print(f'{k}={v}') for k, v in os.environ.items()]"
        )
    seen = dict(line.split("=", 1) for line in ran["stdout"].splitlines())
    of_the_shell = {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
    assert seen.keys() - of_the_shell == {
        *("HOME", "TMPDIR", "PATH", "LANG", "TZ", "TERM", "PYTHONDONTWRITEBYTECODE")
    }
