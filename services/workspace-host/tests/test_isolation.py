"""What isolates commands is found out, and said where it is less than it could be."""

import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import Effect
from agent_platform.process.cage import landlock
from agent_platform.process.cage.steps import CageUnavailable
from foldline_testing.workspace_host.world import shell_world
from workspace_host.host_tools import own_pack
from workspace_host.isolation.isolation import Isolation, isolation_here, shell_here

WEAKER = Isolation("landlock", lacks="bubblewrap is not installed")


def test_without_bubblewrap_it_is_landlock_and_says_what_is_weaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    found = isolation_here()
    assert found.kind == "landlock"
    assert "bubblewrap is not installed" in (found.weaker or "")


@pytest.mark.parametrize(("version", "root", "told"), [(5, False, True), (5, True, False), (6, False, False)])
def test_an_ordinary_user_is_told_what_an_old_kernel_lets_commands_end(
    version: int, root: bool, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_platform.process.cage.landlock.version", lambda: version)
    monkeypatch.setattr("workspace_host.isolation.isolation.is_root", lambda: root)
    weaker = Isolation("landlock", lacks="by this test").weaker
    assert weaker is not None
    assert ("Foldline's own too" in weaker) is told


def test_without_anything_no_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise CageUnavailable("this kernel has no Landlock")

    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(landlock, "version", none)
    with pytest.raises(Rejected, match="apt-get install bubblewrap") as refused:
        isolation_here()
    assert refused.value.kind == ErrorKind.NOT_AVAILABLE


def test_where_it_is_weaker_every_tool_acts_on_the_outside_world() -> None:
    assert {tool.spec.effect for tool in own_pack(WEAKER).tools} == {Effect.EXTERNAL}
    full = {tool.spec.name: tool.spec.effect for tool in own_pack(Isolation("namespaces")).tools}
    assert full["run_command"] is full["run_python"] is Effect.EXTERNAL
    assert full["command_output"] is full["stop_command"] is Effect.RECORDED


def test_every_tool_says_in_which_sandbox_its_commands_run() -> None:
    assert {tool.spec.sandbox for tool in own_pack(isolation_here(host_mode=True)).tools} == {"host"}
    assert {tool.spec.sandbox for tool in own_pack(WEAKER).tools} == {WEAKER.kind}


def test_in_host_mode_every_tool_always_asks() -> None:
    assert all(tool.spec.always_asks for tool in own_pack(isolation_here(host_mode=True)).tools)
    assert not any(tool.spec.always_asks for tool in own_pack(WEAKER).tools)


def test_the_shell_reads_no_file_of_a_login_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("echo noise")
    ours, its = socket.socketpair()
    with ours, its:
        ran = subprocess.run(
            [*shell_here(), "-c", "true"],
            stdin=its.fileno(),
            capture_output=True,
            env={"HOME": str(tmp_path)},
            check=True,
        )
    assert ran.stdout + ran.stderr == b""


@pytest.mark.processes
async def test_without_bubblewrap_a_command_writes_nothing_of_its_own() -> None:
    async with shell_world(isolation=WEAKER) as world:
        ran = await world.sh("true")
    assert (ran["stdout"], ran["stderr"], ran["exit_code"]) == ("", "", 0)
