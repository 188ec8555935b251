"""What a worker process may ask of the kernel: it opens no file, makes no socket and starts no program.

A list of what is allowed; everything else fails with EPERM. Linux on x86-64 and arm64.
"""

import platform

from agent_platform.process.cage.seccomp import ALLOW, REFUSE, assembled, install
from agent_platform.process.cage.steps import CageUnavailable, on_linux

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


def filter_program(machine: str) -> bytes:
    """The filter in the kernel's form. Raises Unavailable for other machines."""
    if machine not in _MACHINES:
        raise CageUnavailable(f"no filter is written for {machine}")
    architecture, allowed = _MACHINES[machine]
    return assembled(architecture, allowed.values(), ALLOW, REFUSE)


def restrict() -> None:
    """Put the filter on every thread of this process. Raises Unavailable, or OSError where refused."""
    on_linux()
    install(filter_program(platform.machine()))
