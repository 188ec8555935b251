"""What doctor finds out of a machine."""

from pathlib import Path

import pytest

from foldline.doctor.finding import Severity
from foldline.doctor.machine import proxies, sandbox
from foldline.settings import UpSettings
from tool_runner.sandbox import compiled
from tool_runner.sandbox.compiled import FOLDER, compile_once

pytestmark = pytest.mark.long


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory, with the guest compiled."""
    compile_once(tmp_path / FOLDER)
    return tmp_path


async def test_doctor_runs_a_small_program_where_agents_code_runs(data: Path) -> None:
    found = await sandbox(UpSettings(data_dir=data))
    assert found.verdict is Severity.OK


async def test_doctor_says_why_agents_code_cannot_run(data: Path) -> None:
    compiled.compiled_path(data / FOLDER).write_bytes(b"not machine code")
    found = await sandbox(UpSettings(data_dir=data))
    assert found.verdict is Severity.PROBLEM
    assert "agents' code can't run: no sandbox worker could be started" in found.text
    assert found.to_do


def test_doctor_names_the_proxy_in_use_without_its_password() -> None:
    found = proxies({"HTTPS_PROXY": "http://me:hush-1234@proxy.example:3128", "NO_PROXY": "example.com"})
    assert found.verdict is Severity.OK
    assert "http://proxy.example:3128 (HTTPS_PROXY)" in found.text
    assert "hush" not in found.text
    assert proxies({"ALL_PROXY": "socks4://h:1"}).text.startswith("ALL_PROXY can't be used as a proxy")
    assert proxies({}).text == "none: no variable names one"
