"""What a foreign program in its cage can and can't do, tried by one in it."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from agent_contracts.entities.mcp_servers import Stdio
from agent_contracts.errors import Rejected
from mcp_host.cage.confined import beside
from mcp_host.connecting import program
from mcp_host.connecting.program import McpServerProcess, McpServerProgram, running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")


def wanted(tmp_path: Path, script: str, *args: str, **env: str) -> McpServerProgram:
    data = tmp_path / "data"
    (data / "mcp" / "other").mkdir(parents=True)
    (data / "passwords.json").write_text("secret")
    command = Stdio(sys.executable, ("-I", "-S", "-c", script, *args))
    return McpServerProgram(command, env, data / "mcp" / "mine", data)


async def said(started: McpServerProcess) -> list[str]:
    lines: list[str] = []
    async with asyncio.timeout(60):
        while (line := await started.line()) is not None:
            lines.append(line.decode().rstrip())
    return lines


TRIES = """
import os, sys
def tried(what, path):
    try:
        with open(path, what): return 'done'
    except OSError as error:
        return error.strerror
data, named = sys.argv[1:]
print(tried('r', data + '/passwords.json'))
print(tried('r', named + '/../link/passwords.json'))
print(tried('w', named + '/x'), tried('w', os.environ['HOME'] + '/x'), tried('w', '/etc/x'))
print(' '.join(sorted(os.environ.keys() - {'LC_CTYPE'})))
"""


async def test_it_sees_nothing_of_ours_and_writes_where_a_person_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLDLINE_TOKEN", "secret")
    named = tmp_path / "named"
    named.mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    asked = wanted(tmp_path, TRIES, str(tmp_path / "data"), str(named), NOTES="1")
    async with running(asked) as started:
        first, linked, written, environ = await said(started)
        assert set(program.MUST) <= set(started.cage().got)
    assert first == linked == "Permission denied"
    assert written == "done done Permission denied"
    assert environ == "HOME LANG NOTES PATH TMPDIR"


def test_links_to_our_files_are_no_way_around(tmp_path: Path) -> None:
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    for name, target in (("to", "data"), ("into", "data/inner"), ("over", ".")):
        (tmp_path / name).symlink_to(tmp_path / target)
    ours = [path for path in beside(str(tmp_path / "data")) if path.startswith(str(tmp_path))]
    assert ours == [str(tmp_path / "plain")]


FORKS = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
print('forked', flush=True)
time.sleep(600)
"""


async def test_all_that_it_started_ends_with_it(tmp_path: Path) -> None:
    async with running(wanted(tmp_path, FORKS)) as started:
        assert await started.line() == b"forked\n"
        keeper = psutil.Process(started.process_id)
        below = keeper.children(recursive=True)
        assert len(below) >= 4
    _, alive = psutil.wait_procs([*below, keeper], timeout=10)
    assert alive == []


BOMB = """
import os, time
while True:
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        time.sleep(0.1)
"""


@pytest.mark.faults
async def test_one_that_forks_without_end_is_ended(tmp_path: Path) -> None:
    async with running(wanted(tmp_path, BOMB)) as started:
        await started.wait(60)
        assert started.has_ended
    assert "more than 256 processes" in started.stderr()


async def test_a_message_that_is_too_long_ends_it(tmp_path: Path) -> None:
    async with running(wanted(tmp_path, "print('x' * (5 << 20), flush=True); input()")) as started:
        assert await said(started) == []
        assert "more than 4 MiB" in started.why_ended()


async def test_what_can_not_be_started_says_so(tmp_path: Path) -> None:
    asked = wanted(tmp_path, "")
    missing = McpServerProgram(Stdio("no-such-program"), {}, asked.folder, asked.hidden)
    async with running(missing) as started:
        await said(started)
        await started.wait(10)
        assert "127" in started.why_ended()
    assert "no-such-program can't be started" in started.stderr()


async def test_without_landlock_it_runs_only_by_a_persons_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = program.BECOME.replace(
        "from mcp_host.cage.confined",
        "from agent_platform.process.cage import landlock, seccomp\n"
        "def no(*_, **__): raise seccomp.CageUnavailable('left out')\n"
        "landlock.restrict = no\nfrom mcp_host.cage.confined",
    ).replace("; ", "\n")
    monkeypatch.setattr(program, "BECOME", without)
    asked = wanted(tmp_path, "print('hello')")
    async with running(asked) as started:
        assert await said(started) == []
        await started.wait(10)
        assert "no sight of Foldline's files: left out" in started.why_ended()
    async with running(
        McpServerProgram(asked.program, {}, asked.folder, asked.hidden, unconfined=True)
    ) as started:
        assert await said(started) == ["hello"]


async def test_it_may_not_run_among_our_files(tmp_path: Path) -> None:
    asked = wanted(tmp_path, "")
    for folder in (asked.hidden, asked.hidden / "mcp", tmp_path):
        inside = McpServerProgram(Stdio("true", cwd=str(folder)), {}, asked.folder, asked.hidden)
        with pytest.raises(Rejected, match="Foldline's own files"):
            async with running(inside):
                pass
