"""A process that has loaded all that a family of jobs needs, and makes a copy of itself for each job.

`python -m tool_runner.documents.fork_server DESCRIPTOR FAMILY`: over that socket it is given one socket a
job. The copy sets its limits, gives up all rights, does the job that it reads there, answers, and ends.
"""

import contextlib
import fcntl
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Mapping
from typing import cast

import msgspec

from agent_contracts.errors import Rejected
from tool_runner.documents.jobs import JobOutput, LoadedJob, jobs_of
from tool_runner.documents.limits import LARGEST_FILES, MEMORY, TICK_S, WALL_S
from tool_runner.documents.messages import (
    REFUSED_KINDS,
    DoneHead,
    JobRefusal,
    RefusedKind,
    framed,
    receive_job,
)
from tool_runner.sandbox.confinement import confine

_MIB = 2**20


def serve(control: socket.socket, jobs: Mapping[str, LoadedJob]) -> None:
    """Fork for each socket that comes, until the other side closes."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a copy: the kernel clears it away
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            if os.fork() == 0:
                control.close()
                _work(connection, jobs)


def _work(connection: socket.socket, jobs: Mapping[str, LoadedJob]) -> None:
    """One job, to the end of this process."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, WALL_S)
        signal.signal(signal.SIGVTALRM, signal.SIG_IGN)  # for jobs that heed how long they compute
        signal.setitimer(signal.ITIMER_VIRTUAL, TICK_S, TICK_S)
        resource.setrlimit(resource.RLIMIT_CPU, (WALL_S + 1, WALL_S + 1))
        most = _loaded() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(connection, fcntl.F_SETFL, os.O_ASYNC)  # SIGIO when the other side goes away
        confine()
        with contextlib.suppress(ConnectionError):
            head, outputs = _answer(connection, jobs)
            signal.signal(signal.SIGIO, signal.SIG_IGN)
            connection.sendall(head)
            for output in outputs:
                connection.sendall(output)
        status = 0
    finally:
        os._exit(status)


def _answer(connection: socket.socket, jobs: Mapping[str, LoadedJob]) -> tuple[bytes, tuple[bytes, ...]]:
    """The head of the answer, and the files behind it."""
    try:
        asked, inputs = receive_job(connection)
        signal.signal(signal.SIGIO, signal.SIG_DFL)  # nobody waits any more: it ends
        job = jobs[asked.job]
        made = job.work(inputs, msgspec.msgpack.decode(asked.options, type=job.options))
        return _done(made), made.outputs
    except Rejected as error:
        kind = error.kind if error.kind in REFUSED_KINDS else "rejected"
        return framed(JobRefusal(cast(RefusedKind, kind), error.message, error.path)), ()
    except MemoryError:
        return framed(JobRefusal("too_large", f"it takes more than {MEMORY // _MIB} MB of memory")), ()
    except Exception as error:  # whatever a library does with what somebody made: it is told, not hidden
        return framed(JobRefusal("rejected", f"it can't be read: {type(error).__name__}: {error}"[:500])), ()


def _done(made: JobOutput) -> bytes:
    sizes = tuple(map(len, made.outputs))
    if sum(sizes) > LARGEST_FILES:
        why = f"it would make {sum(sizes)} bytes; at most {LARGEST_FILES} are made"
        raise Rejected(why, kind="too_large")
    try:
        return framed(DoneHead(made.value, sizes))
    except OverflowError as error:
        why = f"what it says is too long ({error}): ask for a part of it"
        raise Rejected(why, kind="too_large") from error


def _loaded() -> int:
    """Bytes of address space that this process has."""
    with open("/proc/self/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[0]) * resource.getpagesize()


def main(descriptor: int, family: str) -> None:
    """The entry of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    jobs = jobs_of(family)
    gc.freeze()
    serve(socket.socket(fileno=descriptor), jobs)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
