"""A process that has loaded everything, and makes a copy of itself for each job.

`python -m tool_runner.documents.fork_server DESCRIPTOR`: over that socket it is given one socket a job. The
copy sets its limits, gives up all rights, does the job that it reads there, answers, and ends.
"""

import contextlib
import gc
import os
import resource
import signal
import socket
import sys

from agent_contracts.errors import ErrorKind, Rejected
from tool_runner.documents.jobs import JOBS, warm_up
from tool_runner.documents.limits import MEMORY, WALL_S
from tool_runner.documents.messages import Answer, Read, Unreadable, framed, receive_job
from tool_runner.sandbox.confinement import confine


def serve(control: socket.socket) -> None:
    """Fork for each socket that comes, until the other side closes."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a copy: the kernel clears it away
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            if os.fork() == 0:
                control.close()
                _work(connection)


def _work(connection: socket.socket) -> None:
    """One job, to the end of this process."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, WALL_S)
        resource.setrlimit(resource.RLIMIT_CPU, (WALL_S + 1, WALL_S + 1))
        most = _loaded() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        confine()
        with contextlib.suppress(ConnectionError):
            connection.sendall(framed(_answer(connection)))
        status = 0
    finally:
        os._exit(status)


def _answer(connection: socket.socket) -> Answer:
    job = receive_job(connection)
    try:
        return Read(JOBS[job.name](job.data, job.options))
    except Rejected as error:
        return Unreadable("too_large" if error.kind == ErrorKind.TOO_LARGE else "rejected", error.message)
    except MemoryError:
        return Unreadable("too_large", f"it takes more than {MEMORY // 2**20} MB of memory to read")
    except Exception as error:  # whatever a library does with what somebody made: it is told, not hidden
        return Unreadable("rejected", f"it can't be read: {type(error).__name__}: {error}"[:500])


def _loaded() -> int:
    """Bytes of address space that this process has."""
    with open("/proc/self/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[0]) * resource.getpagesize()


def main(descriptor: int) -> None:
    """The entry of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    warm_up()
    gc.freeze()
    serve(socket.socket(fileno=descriptor))


if __name__ == "__main__":
    main(int(sys.argv[1]))
