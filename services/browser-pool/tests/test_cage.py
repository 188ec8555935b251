"""What the kernel lets a program in the cage do, tried by one in it."""

import asyncio
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agent_platform.process.cage.launching import report_in
from agent_platform.process.cage.seccomp import _MACHINES, REFUSED, filter_program
from agent_platform.process.cage.steps import CageUnavailable
from browser_pool.cage.confined import OWN_ID
from browser_pool.chromium.confining import confined, environment, examine
from browser_pool.chromium.folder import own_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")

PERL = Path("/usr/bin/perl")
"""Part of every Debian, and below /usr; our own interpreter may be where nobody else can walk."""

TRIES = r"""
use strict; use warnings; use Socket; 
my ($allowed, $other, $udp) = @ARGV; my %got;
sub tcp { socket(my $s, AF_INET, SOCK_STREAM, 0) or return "socket: $!";
    connect($s, sockaddr_in($_[0], inet_aton('127.0.0.1'))) ? 'connected' : "$!" }
$got{allowed} = tcp($allowed); $got{other} = tcp($other);
$got{udp} = socket(my $u, AF_INET, SOCK_DGRAM, 0) ? 'made' : "$!";
$got{udp6} = socket(my $v, AF_INET6, SOCK_DGRAM, 0) ? 'made' : "$!";
$got{raw} = socket(my $r, AF_INET, SOCK_RAW, 1) ? 'made' : "$!";
$got{vsock} = socket(my $w, 40, SOCK_STREAM, 0) ? 'made' : "$!";
$got{unix} = socket(my $x, AF_UNIX, SOCK_STREAM, 0) ? 'made' : "$!";
socket(my $l, AF_INET, SOCK_STREAM, 0);
$got{listen} = bind($l, sockaddr_in(0, INADDR_ANY)) ? 'bound' : "$!";
for my $path ('/etc/passwd', '/etc/shadow', '/root', "/proc/$ENV{SERVICE}/environ", $ENV{OURS}) {
    $got{"read $path"} = opendir(my $d, $path) || open(my $f, '<', $path) ? 'read' : "$!" }
for my $path (map "$_/of-$ENV{SERVICE}", '/tmp', '/var/tmp', '/dev', $ENV{HOME}) {
    $got{"write $path"} = open(my $f, '>', $path) ? 'written' : "$!" }
$got{signal} = kill(0, $ENV{SERVICE}) ? 'sent' : "$!";
$got{ptrace} = syscall($ENV{PTRACE}, 16, $ENV{SERVICE} + 0, 0, 0) == 0 ? 'attached' : "$!";
my $ring = "\0" x 120; $got{io_uring} = syscall(425, 8, $ring) >= 0 ? 'made' : "$!";
$got{environ} = join ' ', sort grep { !/^(OURS|SERVICE|PTRACE)$/ } keys %ENV;
$got{uid} = "$< $> $(";
open(my $out, '>', "$ENV{HOME}/out"); print $out "$_=$got{$_}\n" for keys %got; close $out;
"""


@pytest.mark.skipif(not PERL.exists(), reason="there is no perl")
async def test_a_program_in_the_cage_reaches_nothing_but_the_proxy_and_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLDLINE_TOKEN", "secret")
    ours = tmp_path / "ours"
    ours.write_text("secret")
    os.chmod(tmp_path, 0o755)
    accepted: list[int] = []

    def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(writer.get_extra_info("sockname")[1])
        writer.close()

    servers = [await asyncio.start_server(taken, "127.0.0.1", 0) for _ in range(2)]
    allowed, other = (server.sockets[0].getsockname()[1] for server in servers)
    with own_folder() as folder, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        (folder / "tries.pl").write_text(TRIES)
        (folder / "tries.pl").chmod(0o644)
        command = [str(PERL), f"{folder}/tries.pl", str(allowed), str(other), str(udp.getsockname()[1])]
        told = {
            "OURS": str(ours),
            "SERVICE": str(os.getpid()),
            "PTRACE": "117" if platform.machine() in ("aarch64", "arm64") else "101",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *confined(command, folder, (allowed,), 1 << 30),
            env={**environment(folder), **told},
            stderr=subprocess.PIPE,
        )
        _, errors = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0, errors
        lines = (folder / "out").read_text().splitlines()
        got = dict(line.split("=", 1) for line in lines)
        cage = report_in(folder)
    for server in servers:
        server.close()

    denied = ("Permission denied", "Operation not permitted")
    if "system calls" in cage.got:
        assert all(got[name] in denied for name in ("udp", "udp6", "raw", "vsock", "ptrace", "io_uring"))
        assert got["unix"] == "made"
    if "only its own files" in cage.got:
        assert got["read /etc/passwd"] in denied
        assert got[f"read /proc/{os.getpid()}/environ"] in denied
        assert got[f"read {ours}"] in denied
        assert all(got[f"write {path}/of-{os.getpid()}"] in denied for path in ("/tmp", "/var/tmp", "/dev"))
    assert got["read /etc/shadow"] in denied
    assert got[f"write {folder}/of-{os.getpid()}"] == "written"
    if "dials nothing but the proxy" in cage.got:
        assert got["allowed"] == "connected"
        assert got["other"] in denied
        assert got["listen"] in denied
        assert accepted == [allowed]
    if "own user" in cage.got:
        assert set(got["uid"].split()) == {str(OWN_ID)}
        assert got["signal"] in denied
    assert "FOLDLINE_TOKEN" not in got["environ"]


def test_an_examined_cage_has_what_a_chromium_s_has() -> None:
    cage = examine()
    names = {*cage.got, *(lack.partition(": ")[0] for lack in cage.lacks)}
    assert {"no new privileges", "system calls", "only its own files", "Chromium's own sandbox"} <= names
    assert len(names) == len(cage.got) + len(cage.lacks)


def test_the_filter_is_written_for_two_machines_and_says_so_of_others() -> None:
    for machine in ("x86_64", "aarch64"):
        assert len(filter_program(machine)) % 8 == 0
        assert len(filter_program(machine)) // 8 < 256  # jumps are a byte long
        assert _MACHINES[machine][2].keys() == REFUSED
    with pytest.raises(CageUnavailable, match="riscv64"):
        filter_program("riscv64")


def test_what_a_killed_service_left_is_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    left, others, foreign = (
        tmp_path / name
        for name in (
            f"foldline-chromium-{ended.pid}-x",
            f"foldline-chromium-{os.getpid()}-x",
            "foldline-chromium-y-x",
        )
    )
    for folder in (left, others, foreign):
        (folder / "profile").mkdir(parents=True)
    with own_folder() as own:
        assert own.parent == tmp_path
        assert not left.exists()
        assert others.exists()
        assert foreign.exists()
