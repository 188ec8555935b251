"""A filter on what a foreign program may ask of the kernel: nothing of an administrator, and few sockets.

A list of what is refused, since such programs need most of the rest. Without UDP there is no DNS, no QUIC and
no WebRTC but through a proxy. Linux on x86-64, arm64.
"""

import ctypes
import os
import platform
import struct
import sys

_PR_SET_NO_NEW_PRIVS = 38
_SET_FILTER, _ALL_THREADS = 1, 1
_SECCOMP_CALL = {"x86_64": 317, "aarch64": 277, "arm64": 277}
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM = 1
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
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


class Unavailable(Exception):
    """This system has no such thing, or it isn't written for this system."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_program(machine: str, *, udp: bool = False, sockets: bool = True, uncounted: bool = True) -> bytes:
    """The filter in the kernel's form (struct sock_filter): TCP and Unix sockets alone, with `udp` those too,
    which names are resolved by. Without `sockets` there are none but pairs; without `uncounted`, no memory
    that is no process's own. Raises Unavailable for other machines."""
    if machine not in _MACHINES:
        raise Unavailable(f"no filter is written for {machine}")
    architecture, socket, refused = _MACHINES[machine]
    if not uncounted:
        refused = refused | _UNCOUNTED_OF[architecture]
    if not sockets:
        refused = {**refused, "socket": socket}

    def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("<HBBI", code, if_true, if_false, value)

    allow, refuse = line(_RETURN, _ALLOW), line(_RETURN, _ERRNO | _EPERM)
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
        allow,
        refuse,
    ]
    numbers = sorted(refused.values())
    of_calls = [line(_JUMP_EQUAL, number, len(numbers) - at) for at, number in enumerate(numbers)]
    return b"".join(
        [
            line(_LOAD, _ARCHITECTURE_AT),
            line(_JUMP_EQUAL, architecture, 1),
            line(_RETURN, _KILL),
            line(_LOAD, _NUMBER_AT),
            line(_JUMP_AT_LEAST, _X32, 0, 1),
            refuse,
            *([line(_JUMP_EQUAL, socket, 0, len(of_sockets)), *of_sockets] if sockets else []),
            *of_calls,
            allow,
            refuse,
        ]
    )


def no_new_privileges() -> None:
    """Nothing that this process starts gains privileges. Raises Unavailable, or OSError where refused."""
    if not sys.platform.startswith("linux"):
        raise Unavailable("only Linux has it")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def restrict(*, udp: bool = False, sockets: bool = True, uncounted: bool = True) -> None:
    """Put the filter on this process and all that it starts. Raises Unavailable, or OSError where refused."""
    if not sys.platform.startswith("linux"):
        raise Unavailable("only Linux has it")
    code = filter_program(platform.machine(), udp=udp, sockets=sockets, uncounted=uncounted)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    number = _SECCOMP_CALL[platform.machine()]
    if libc.syscall(number, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
