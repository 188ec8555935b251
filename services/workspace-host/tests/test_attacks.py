"""Out of the workspace: a command stays in its folder and its bounds, whatever it tries; the host is well."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import SESSION, until
from foldline_testing.workspace_host.world import ShellWorld, shell_world
from workspace_host import limits
from workspace_host.commands.processes import seen
from workspace_host.isolation.isolation import Isolation, isolation_here
from workspace_host.isolation.user import OWN_ID, is_root

pytestmark = [pytest.mark.processes, pytest.mark.faults]

WAYS = {"namespaces": isolation_here, "landlock": lambda: Isolation("landlock", lacks="by this test")}
BOMB_NAME = f"bomb-{os.getpid()}"
"""No other checkout's: processes are looked for on the whole machine."""
BOMB = f"""
import os  # {BOMB_NAME}
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
HOPPING = f"""
import os, time  # {BOMB_NAME}
for _ in range(8):
    if os.fork() == 0:
        break
else:
    time.sleep(600)
while True:  # none of them lives for as long as a look at all processes takes
    try:
        if os.fork():
            os._exit(0)
    except OSError:
        pass
"""
SECRET = b"canary-4711"
LOOK = b"""
import os, sys
for path in sys.stdin.read().split("\\n"):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW))
        print(path)
    except OSError:
        pass
"""
_ETC = "ca-certificates pki alternatives ld.so.conf ld.so.conf.d ld.so.cache localtime mime.types fonts ssl "
_ETC += "nsswitch.conf magic python3 java-17-openjdk passwd group"
OPEN_TO_IT = {
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/tmp", "/dev"),
    *("/etc", *(f"/etc/{name}" for name in _ETC.split())),
}
"""Outside of its folder, and what links to it; `/run` is empty, `/tmp` and `/dev` are its own, or closed."""
DEVICES = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "shm", "pts")}


@pytest.fixture(params=WAYS)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[ShellWorld]:
    """A host with namespaces, and one as it is where there are none."""
    isolation = WAYS[request.param]()
    if isolation.lacks == "bubblewrap is not installed" and request.param == "namespaces":
        pytest.skip(isolation.lacks)
    assert isolation.kind == request.param, f"this machine has no namespaces: {isolation.lacks}"
    async with shell_world(isolation=isolation) as made:
        yield made
        assert (await made.sh("echo well", session="after"))["stdout"] == "well\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file of Foldline's, that its user may read and nobody else."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    (folder / "nats.password").write_bytes(SECRET)
    return folder / "nats.password"


def _of(file: Path) -> bytes:
    return file.read_bytes()


async def test_a_path_out_of_the_folder_leads_nowhere(world: ShellWorld, outside: Path) -> None:
    up = "../" * 20
    for path in (f"{up}{outside}", str(outside), f"/proc/self/root{outside}", f"/proc/1/root{outside}"):
        ran = await world.sh(f"cat '{path}'; echo x > '{path}'")
        assert SECRET.decode() not in ran["stdout"]
    assert _of(outside) == SECRET
    assert (await world.sh("touch /usr/bin/made /etc/made /made; ls /usr/bin/made"))["exit_code"] != 0


async def test_all_that_it_can_open_outside_are_the_machine_s_programs_and_a_few_files(
    world: ShellWorld,
) -> None:
    folders = ("/", "/etc", "/var", "/dev", str(Path.home()))
    beside = sorted(entry.path for folder in folders for entry in os.scandir(folder))
    await world.put("beside.txt", "\n".join(beside).encode())
    await world.put("look.py", LOOK)
    opened = (await world.sh("python3 look.py < beside.txt"))["stdout"].splitlines()
    assert "/usr" in opened
    assert {one for one in opened if not one.startswith("/dev/")} - OPEN_TO_IT == set()
    assert {one for one in opened if one.startswith("/dev/")} - DEVICES == set()


async def test_a_link_is_followed_by_nobody(world: ShellWorld, outside: Path) -> None:
    ran = await world.sh(f"ln -s '{outside}' link; ln -s '{outside.parent}' folder; ln -s / root")
    assert await world.kept() == {}
    assert len(ran["not_kept"]) == 3
    await world.put("link", b"mine now")
    await world.put("folder/nats.password", b"overwritten")
    ran = await world.sh("cat link")
    assert ran["stdout"] == "mine now"
    assert any("folder/nats.password" in one for one in ran["not_kept"])
    assert _of(outside) == SECRET


async def test_a_link_that_is_put_there_meanwhile_is_not_followed(world: ShellWorld, outside: Path) -> None:
    name = outside.name
    swap = f"while :; do rm -rf d; ln -s '{outside.parent}' d; rm d; mkdir d; echo a > 'd/{name}'; done"
    started = await world.sh(swap, background=True)
    for number in range(10):
        await world.put(f"d/{name}", b"from outside %d" % number)
        await world.get("command_output", command_id=started["command_id"])
        await world.sh("true")
    await world.get("stop_command", command_id=started["command_id"])
    assert _of(outside) == SECRET
    assert SECRET not in b"".join((await world.kept()).values())


async def test_a_second_name_of_a_file_is_not_kept(world: ShellWorld) -> None:
    await world.sh("echo one > a; ln a b")
    assert await world.kept() == {}


async def test_special_files_hold_nobody_up(world: ShellWorld) -> None:
    ran = await world.sh("mkfifo pipe; echo a > a")
    assert list(await world.kept()) == ["a"]
    assert ran["seconds"] < 20


async def test_no_other_process_can_be_looked_into_or_ended(world: ShellWorld) -> None:
    canary = await asyncio.create_subprocess_exec("sleep", "600", env={"SECRET": SECRET.decode()})
    try:
        ran = await world.sh(
            f"cat /proc/{canary.pid}/environ /proc/{os.getpid()}/environ; "
            f"kill -9 {canary.pid} {os.getpid()}; cat /proc/*/environ /proc/*/maps; kill -9 -1"
        )
        assert SECRET.decode() not in ran["stdout"]
        assert canary.returncode is None
        os.kill(canary.pid, 0)
    finally:
        canary.kill()
        await canary.wait()


async def test_neither_nats_nor_any_server_of_the_machine_is_reached(
    world: ShellWorld, nats_server: NatsForTest
) -> None:
    port = int(str(nats_server.url).rpartition(":")[2])
    address = socket.gethostbyname(socket.gethostname())
    code = f"""
import socket
for host in ("127.0.0.1", "{address}", "localhost"):
    try:
        socket.create_connection((host, {port}), 5).close()
        print("reached", host)
    except OSError as error:
        print("refused", host)
"""
    ran = await world.get("run_python", code=code)
    assert "reached" not in ran["stdout"]
    assert ran["stdout"].count("refused") == 3


async def test_no_abstract_socket_is_reached(world: ShellWorld) -> None:
    name = f"\0foldline-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen()
        code = f"""
import socket
try:
    socket.socket(socket.AF_UNIX).connect({name!r})
    print("reached")
except OSError as error:
    print("refused")
"""
        assert (await world.get("run_python", code=code))["stdout"] == "refused\n"


async def test_a_socket_of_the_machine_is_not_reached(world: ShellWorld, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o777)
        listening.listen()
        code = f"import socket\nsocket.socket(socket.AF_UNIX).connect({str(path)!r})\nprint('reached')"
        assert (await world.get("run_python", code=code))["exit_code"] != 0


@pytest.mark.parametrize("bomb", [BOMB, HOPPING], ids=["growing", "hopping"])
async def test_a_fork_bomb_is_ended_and_others_go_on(world: ShellWorld, bomb: str) -> None:
    running = asyncio.create_task(world.get("run_python", "s2", code=bomb, timeout_s=6))
    await until(lambda: _running(BOMB_NAME) > 1)
    if world.isolation.kind == "namespaces":  # without, all processes of one user are counted together
        assert (await world.sh("echo other"))["stdout"] == "other\n"
    assert (await running)["ending"] == "timed_out"
    await until(lambda: _running(BOMB_NAME) == 0)


async def test_processes_that_ignore_every_signal_are_ended(world: ShellWorld) -> None:
    nap = f"613.{os.getpid()}"
    ran = await world.sh(f"trap '' TERM INT HUP; (trap '' TERM; sleep {nap}) & sleep {nap}", timeout_s=1)
    assert ran["ending"] == "timed_out"
    assert _sleeping(nap) == 0


async def test_a_daemon_left_behind_is_ended_with_its_command(world: ShellWorld) -> None:
    nap = f"614.{os.getpid()}"
    ran = await world.sh(
        f"setsid sh -c 'setsid sleep {nap} >/dev/null 2>&1 & ' ; (sleep {nap} &) ; echo begun"
    )
    assert ran["stdout"] == "begun\n"
    await until(lambda: _sleeping(nap) == 0)


async def test_ten_gigabytes_of_output_end_the_command_soon(world: ShellWorld) -> None:
    ran = await world.sh("dd if=/dev/zero bs=1M count=10240")
    assert ran["ending"] == "output"
    assert max(map(len, (await world.kept()).values())) <= limits.OUTPUT


async def test_more_memory_than_it_may_have_ends_the_command(world: ShellWorld) -> None:
    code = "import os\nfor _ in range(6): os.fork()\nx = bytearray(300_000_000)\nimport time; time.sleep(60)"
    ran = await world.get("run_python", code=code, timeout_s=60)
    assert ran["ending"] == "memory"
    one = await world.get("run_python", code="x = bytearray(2_000_000_000)")
    assert "MemoryError" in one["stderr"]


async def test_memory_that_is_nobodys_can_t_be_had(world: ShellWorld) -> None:
    code = "import os\ntry:\n    os.memfd_create('x')\nexcept PermissionError:\n    print('refused')"
    assert (await world.get("run_python", code=code))["stdout"] == "refused\n"


async def test_more_disk_than_it_may_have_ends_the_command(
    world: ShellWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DISK", 64 * limits.MIB)
    fill = "i=0; while :; do head -c 8000000 /dev/zero > $i; i=$((i+1)); sleep 0.05; done"
    assert (await world.sh(fill, timeout_s=60))["ending"] == "disk"
    await world.folders.drop(SESSION)


async def test_too_many_files_are_told_and_not_kept(
    world: ShellWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CAPTURED", 20)
    ran = await world.sh("for i in $(seq 30); do echo $i > $i; done")
    assert len(ran["changed"]) == 20
    assert any("10 more" in one or "9 more" in one for one in ran["not_kept"])
    assert len((await world.sh("true"))["changed"]) == 10


async def test_a_folder_that_is_deeper_than_any_path_is_removed(world: ShellWorld) -> None:
    code = "import os\nfor _ in range(3000):\n    os.mkdir('d' * 50)\n    os.chdir('d' * 50)\nopen('x', 'w')"
    ran = await world.get("run_python", code=code)
    assert ran["exit_code"] == 0
    [folder] = world.folders.of_session(SESSION)
    await world.folders.drop(SESSION)
    assert not folder.view.files.exists()


async def test_nothing_gains_privileges(world: ShellWorld) -> None:
    ran = await world.sh(
        "for p in su sudo mount passwd newgrp; do f=$(command -v $p) && ls -l $f; done; "
        "cp /bin/sh mine; chmod u+s mine; ./mine -c 'id -u'; grep -E 'NoNewPrivs|CapEff' /proc/self/status"
    )
    assert "NoNewPrivs:\t1" in ran["stdout"]
    assert "CapEff:\t0000000000000000" in ran["stdout"]
    assert f"\n{OWN_ID if is_root() else os.getuid()}\n" in ran["stdout"]
    refused = await world.sh("unshare -Ur true || mount -t tmpfs x /tmp || chroot / true")
    assert refused["exit_code"] != 0


async def test_the_machine_s_programs_can_t_be_changed(world: ShellWorld) -> None:
    ran = await world.sh(f"cp /bin/true {sys.prefix}/x; cp /bin/true /usr/local/bin/x; echo $?")
    assert ran["stdout"] == "1\n"


def _running(text: str) -> int:
    """How many processes have it in their arguments. Other tests' commands run as the same user."""
    found = 0
    for process in seen():
        try:
            found += text.encode() in Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
    return found


def _sleeping(seconds: str) -> int:
    return _running(f"sleep\0{seconds}\0")
