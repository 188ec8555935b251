"""Every check of `foldline doctor` gives a sentence, also one that fails itself."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from agent_contracts.errors import Permanent
from foldline.disk_room import DiskRoom
from foldline.doctor import machine
from foldline.doctor.finding import Finding, Severity, findings_of, ok
from foldline.settings import UpSettings
from tool_runner.sandbox import compiled

GB = 10**9


def no_room() -> Finding:
    raise OSError(28, "No space left on device", "/tmp/x")


async def later() -> list[Finding]:
    return [ok("later", "well"), ok("later still", "well")]


async def test_a_check_that_fails_says_why_and_the_others_are_done() -> None:
    found = await findings_of(
        {"first": no_room, "second": later, "third": partial(asyncio.to_thread, no_room)}
    )
    assert [one.check for one in found] == ["first", "later", "later still", "third"]
    assert [one.verdict for one in found] == [Severity.PROBLEM, Severity.OK, Severity.OK, Severity.PROBLEM]
    for one in (found[0], found[3]):
        assert "No space left on device" in one.text
        assert "Traceback" not in one.text
        assert one.to_do


def test_a_sandbox_that_cant_be_compiled_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sandbox").mkdir(mode=0o700)
    no_folder = tmp_path / "sandbox/none/guest.cwasm"
    monkeypatch.setattr(compiled, "compiled_path", lambda _: no_folder)
    with pytest.raises(Permanent, match=r"can't be compiled: FileNotFoundError: .*guest.cwasm") as failed:
        compiled.compile_once(tmp_path / "sandbox")
    assert "\n" not in failed.value.message


@pytest.mark.parametrize(
    ("free", "size", "verdict", "said"),
    [
        (3 * GB, 20 * GB, Severity.OK, "3.0 GB of 20.0 GB left (15 %)"),
        (1 * GB, 20 * GB, Severity.WARNING, "nearly full: 1.0 GB of 20.0 GB left (5 %)"),
        (50 * GB, 4000 * GB, Severity.OK, "50.0 GB of 4000.0 GB left (1 %)"),
        (10 * GB, 4000 * GB, Severity.WARNING, "nearly full: 10.0 GB of 4000.0 GB left (0 %)"),
        (0, 20 * GB, Severity.PROBLEM, "full: 0 MB of 20.0 GB left (0 %)"),
    ],
)
def test_a_disk_is_judged_by_its_share_and_by_what_is_left(
    free: int, size: int, verdict: Severity, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_room", lambda _: DiskRoom(free, size))
    found = machine.disk(UpSettings(data_dir=tmp_path))
    assert (found.verdict, found.text) == (verdict, f"{said} at {tmp_path}")
