"""A filter on what this process may ask of the kernel: no file is opened, no socket made, no program started.

Made of a list of what is allowed; all else fails with EPERM. Linux on x86-64 and arm64.
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
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4

_X86_64 = (0xC000003E, {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
    "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "readv": 19, "writev": 20,
    "sched_yield": 24, "mremap": 25, "mincore": 27, "madvise": 28, "nanosleep": 35, "getpid": 39,
    "sendto": 44, "recvfrom": 45, "sendmsg": 46, "recvmsg": 47, "shutdown": 48, "exit": 60,
    "gettimeofday": 96, "getrusage": 98, "sigaltstack": 131, "gettid": 186, "futex": 202,
    "sched_getaffinity": 204, "restart_syscall": 219, "clock_gettime": 228, "clock_nanosleep": 230,
    "exit_group": 231, "tgkill": 234, "ppoll": 271, "set_robust_list": 273, "getrandom": 318,
    "membarrier": 324, "rseq": 334, "poll": 7,
})  # fmt: skip
_ARM64 = (0xC00000B7, {
    "shutdown": 210, "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66,
    "ppoll": 73, "fstat": 80, "exit": 93, "exit_group": 94,
    "futex": 98, "set_robust_list": 99, "nanosleep": 101,
    "clock_gettime": 113, "clock_nanosleep": 115, "sched_getaffinity": 123, "sched_yield": 124,
    "restart_syscall": 128, "tgkill": 131, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
    "rt_sigreturn": 139, "getrusage": 165, "gettimeofday": 169, "getpid": 172, "gettid": 178, "sendto": 206,
    "recvfrom": 207, "sendmsg": 211, "recvmsg": 212, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222,
    "mprotect": 226, "mincore": 232, "madvise": 233, "getrandom": 278, "membarrier": 283, "rseq": 293,
})  # fmt: skip
_MACHINES = {"x86_64": _X86_64, "aarch64": _ARM64, "arm64": _ARM64}


class Unavailable(Exception):
    """This system has no such filter, or none is written for it."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_program(machine: str) -> bytes:
    """The filter in the kernel's form (struct sock_filter). Raises Unavailable for other machines."""
    if machine not in _MACHINES:
        raise Unavailable(f"no filter is written for {machine}")
    architecture, numbers = _MACHINES[machine]
    allowed = sorted(numbers.values())

    def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("<HBBI", code, if_true, if_false, value)

    lines = [line(_LOAD, _ARCHITECTURE_AT), line(_JUMP_EQUAL, architecture, 1), line(_RETURN, _KILL)]
    lines.append(line(_LOAD, _NUMBER_AT))
    for position, number in enumerate(allowed):
        lines.append(line(_JUMP_EQUAL, number, len(allowed) - position))
    lines += [line(_RETURN, _ERRNO | _EPERM), line(_RETURN, _ALLOW)]
    return b"".join(lines)


def no_new_privileges() -> None:
    """Nothing that this process starts gains privileges. Raises Unavailable, or OSError where refused."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def restrict() -> None:
    """Put the filter on every thread of this process. Raises Unavailable, or OSError where refused."""
    code = filter_program(platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    number = _SECCOMP_CALL[platform.machine()]
    if libc.syscall(number, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        raise Unavailable("only Linux has it")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl {option}: {os.strerror(ctypes.get_errno())}")
