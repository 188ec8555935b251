"""Reading documents, from the runner's side."""

import asyncio
import os
import socket
import subprocess
import sys
import time

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from agent_contracts.json_value import Json
from tool_runner.documents.limits import WALL_S
from tool_runner.documents.messages import HEAD, Answer, Job, Read, framed, length_of

log = structlog.get_logger()

_PARALLEL = max(1, os.cpu_count() or 1)
_KEPT_VARIABLES = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
"""What the process inherits of the environment, in which keys and tokens may be."""


class Documents:
    """Has each job done by a process of its own; at most one for each core at a time.

    The process from which they are forked is started with the first job, and anew when it has died.
    """

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_PARALLEL)
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def server_pid(self) -> int | None:
        """The process from which others are forked; None before the first job."""
        return self._server.pid if self._server is not None else None

    async def read(self, job: Job) -> Json:
        """What the job gives.

        Raises `Rejected` for what can't be read (`too_large` where it takes too much memory),
        `Permanent(kind="timeout")` for what takes longer than ten seconds.
        """
        async with self._places:
            began = time.monotonic()
            try:
                answer = await self._ask(job)
            except (ConnectionError, asyncio.IncompleteReadError, ValueError, msgspec.DecodeError) as error:
                if time.monotonic() - began >= WALL_S:
                    raise Permanent(
                        f"it takes longer than {WALL_S} seconds to read", kind=ErrorKind.TIMEOUT
                    ) from error
                log.warning("document.reader_died", job=job.name, bytes=len(job.data))
                raise Rejected("the process that read it died over it", kind=ErrorKind.TOO_LARGE) from error
        if isinstance(answer, Read):
            return answer.value
        raise Rejected(answer.why, kind=answer.kind)

    async def close(self) -> None:
        """End the process from which others are forked; with it go those."""
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()
            await asyncio.to_thread(self._server.wait)

    async def _ask(self, job: Job) -> Answer:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._hand_over(theirs)
            except OSError as error:
                ours.close()
                raise Transient(f"documents can't be read now: {error}", kind=ErrorKind.INTERNAL) from error
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(framed(job))
            await writer.drain()
            data = await reader.readexactly(length_of(await reader.readexactly(HEAD)))
        finally:
            writer.close()
        answer: Answer = msgspec.msgpack.decode(data, type=Answer)
        return answer

    def _hand_over(self, connection: socket.socket) -> None:
        control = self._running()
        socket.send_fds(control, [b"j"], [connection.fileno()])

    def _running(self) -> socket.socket:
        if self._server is None or self._server.poll() is not None or self._control is None:
            if self._control is not None:
                self._control.close()
            self._control, theirs = socket.socketpair()
            command = [sys.executable, "-B", "-m", "tool_runner.documents.fork_server", str(theirs.fileno())]
            with theirs:
                self._server = subprocess.Popen(
                    command,
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
                    cwd="/",
                )
        return self._control
