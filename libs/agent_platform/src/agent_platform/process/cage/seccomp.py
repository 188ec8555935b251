"""Filters on what a process may ask of the kernel. Linux on x86-64 and arm64.

`assembled` makes a filter of a list of calls. A cage brings a list of what it allows, or takes the one here,
of what foreign programs are refused: they need most of the rest. They get nothing of an administrator, and
few sockets. Without UDP there is no DNS, no QUIC and no WebRTC but through a proxy.
"""

import ctypes
import platform
import struct
from collections.abc import Iterable, Sequence

from agent_platform.process.cage.steps import CageUnavailable, called, on_linux, prctl

_PR_SET_NO_NEW_PRIVS = 38
_SET_FILTER, _ALL_THREADS = 1, 1
_SECCOMP_CALL = {"x86_64": 317, "aarch64": 277, "arm64": 277}
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_KILL, _EPERM = 0x80000000, 1
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_AT, _SECOND_AT = 0, 4, 16, 24
_X32 = 0x40000000
"""Numbers from here on are x86-64's other list of calls, which nothing needs."""
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _DATAGRAM, _TYPE_BITS = 1, 2, 0xF

_SAME = {
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "pidfd_getfd": 438, "mount_setattr": 442,
}  # fmt: skip
_X86_64 = (0xC000003E, 41, {
    "ptrace": 101, "syslog": 103, "pivot_root": 155, "acct": 163, "mount": 165, "umount2": 166, "swapon": 167,
    "swapoff": 168, "reboot": 169, "init_module": 175, "delete_module": 176, "quotactl": 179,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "perf_event_open": 298,
    "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323, **_SAME,
})  # fmt: skip
_ARM64 = (0xC00000B7, 198, {
    "umount2": 39, "mount": 40, "pivot_root": 41, "quotactl": 60, "acct": 89, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "syslog": 116, "ptrace": 117, "reboot": 142, "add_key": 217,
    "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
    "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
    "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294, **_SAME,
})  # fmt: skip
REFUSED = frozenset(_X86_64[2])
"""The names of the calls that are refused whatever their arguments; the same on both machines."""
_UNCOUNTED = {"memfd_secret": 447}
_UNCOUNTED_OF = {
    0xC000003E: {"shmget": 29, "mq_open": 240, "memfd_create": 319, **_UNCOUNTED},
    0xC00000B7: {"mq_open": 180, "shmget": 194, "memfd_create": 279, **_UNCOUNTED},
}
"""Ways to memory that belongs to no process, so that nobody sees who took it."""
_MACHINES = {"x86_64": _X86_64, "aarch64": _ARM64, "arm64": _ARM64}


def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction (struct sock_filter). Jumps are forward, over so many instructions."""
    return struct.pack("<HBBI", code, if_true, if_false, value)


ALLOW, REFUSE = line(_RETURN, 0x7FFF0000), line(_RETURN, 0x00050000 | _EPERM)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def assembled(
    architecture: int, listed: Iterable[int], verdict: bytes, otherwise: bytes, first: Sequence[bytes] = ()
) -> bytes:
    """A filter in the kernel's form: the calls that are `listed` by number get the `verdict`, all others the
    other one. `first` are instructions before that, with the number loaded. A call of another architecture
    ends the process."""
    numbers = sorted(listed)
    of_calls = [line(_JUMP_EQUAL, number, len(numbers) - at) for at, number in enumerate(numbers)]
    of_architecture = [
        line(_LOAD, _ARCHITECTURE_AT),
        line(_JUMP_EQUAL, architecture, 1),
        line(_RETURN, _KILL),
    ]
    return b"".join([*of_architecture, line(_LOAD, _NUMBER_AT), *first, *of_calls, otherwise, verdict])


def filter_program(machine: str, *, udp: bool = False, sockets: bool = True, uncounted: bool = True) -> bytes:
    """The filter for foreign programs: TCP and Unix sockets alone, with `udp` those too, which names are
    resolved by. Without `sockets` there are none but pairs; without `uncounted`, no memory that belongs to no
    process. Raises Unavailable for other machines."""
    if machine not in _MACHINES:
        raise CageUnavailable(f"no filter is written for {machine}")
    architecture, socket, refused = _MACHINES[machine]
    if not uncounted:
        refused = refused | _UNCOUNTED_OF[architecture]
    if not sockets:
        refused = {**refused, "socket": socket}
    of_sockets = [
        line(_LOAD, _FIRST_AT),
        line(_JUMP_EQUAL, _UNIX, 7),
        line(_JUMP_EQUAL, _NETLINK, 6),
        line(_JUMP_EQUAL, _INET, 1),
        line(_JUMP_EQUAL, _INET6, 0, 5),
        line(_LOAD, _SECOND_AT),
        line(_AND, _TYPE_BITS),
        line(_JUMP_EQUAL, _STREAM, 1),
        line(_JUMP_EQUAL, _DATAGRAM if udp else _STREAM, 0, 1),
        ALLOW,
        REFUSE,
    ]
    first = [line(_JUMP_AT_LEAST, _X32, 0, 1), REFUSE]
    if sockets:
        first += [line(_JUMP_EQUAL, socket, 0, len(of_sockets)), *of_sockets]
    return assembled(architecture, refused.values(), REFUSE, ALLOW, first)


def no_new_privileges() -> None:
    """Nothing that this process starts gains privileges. Raises Unavailable, or OSError where refused."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def restrict(*, udp: bool = False, sockets: bool = True, uncounted: bool = True) -> None:
    """Put the filter for foreign programs on this process and all that it starts. Raises as `install`."""
    on_linux()
    install(filter_program(platform.machine(), udp=udp, sockets=sockets, uncounted=uncounted))


def install(code: bytes) -> None:
    """Put a filter on every thread of this process, and all that it starts. Raises Unavailable, or OSError
    where refused."""
    on_linux()
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    called(_SECCOMP_CALL[platform.machine()], _SET_FILTER, _ALL_THREADS, ctypes.byref(program))
