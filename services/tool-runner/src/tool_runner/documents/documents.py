"""Working with documents, from the runner's side."""

import asyncio
import os
import socket
import time

import msgspec
import structlog

from agent_contracts.errors import ErrorKind, Permanent, Rejected, Transient
from tool_runner.documents.forking import ForkServer
from tool_runner.documents.limits import WALL_S
from tool_runner.documents.messages import (
    HEAD,
    AnswerHead,
    DocumentJob,
    JobRefusal,
    JobResult,
    checked,
    head_of,
    length_of,
)

log = structlog.get_logger()

_PARALLEL = max(1, os.cpu_count() or 1)


class Documents:
    """Has each job done by a process of its own; at most one for each core at a time."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_PARALLEL)
        self._servers: dict[str, ForkServer] = {}

    def server_pid(self, family: str) -> int | None:
        """The process from which those for a family's jobs are forked; None before its first job."""
        server = self._servers.get(family)
        return server.pid if server is not None else None

    async def run(self, job: DocumentJob) -> JobResult:
        """What the job gives.

        Raises `Rejected` for what can't be done, of the kind and with the path that the job says (`too_large`
        where it takes too much memory), `Permanent(kind="timeout")` for what takes too long: that is said
        within ten seconds.
        """
        head = _head(job)
        async with self._places:
            began = time.monotonic()
            connection = self._connected(job.family)
            try:
                return await _asked(connection, head, job)
            except (ConnectionError, EOFError, ValueError, msgspec.DecodeError) as error:
                if time.monotonic() - began >= WALL_S:
                    why = f"it takes longer than {WALL_S} seconds"
                    raise Permanent(why, kind=ErrorKind.TIMEOUT) from error
                log.warning("document.worker_died", job=job.name, bytes=sum(map(len, job.inputs)))
                raise Rejected("the process that worked on it died", kind=ErrorKind.TOO_LARGE) from error
            finally:
                connection.close()

    async def close(self) -> None:
        """End the processes from which others are forked; with them go those."""
        for server in self._servers.values():
            await asyncio.to_thread(server.close)

    def _connected(self, family: str) -> socket.socket:
        server = self._servers.setdefault(family, ForkServer(family))
        try:
            return server.connected()
        except OSError as error:
            raise Transient(f"documents can't be read now: {error}", kind=ErrorKind.INTERNAL) from error


def _head(job: DocumentJob) -> bytes:
    try:
        checked([len(one) for one in job.inputs])
        return head_of(job)
    except (OverflowError, ValueError) as error:
        raise Rejected(f"it is too much at once: {error}", kind=ErrorKind.TOO_LARGE) from error


async def _asked(connection: socket.socket, head: bytes, job: DocumentJob) -> JobResult:
    """Past asyncio's streams, which would copy a large file some more times."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    for part in (head, *job.inputs):
        await loop.sock_sendall(connection, part)
    data = await _exactly(connection, length_of(await _exactly(connection, HEAD)))
    answer: AnswerHead = msgspec.msgpack.decode(data, type=AnswerHead)
    if isinstance(answer, JobRefusal):
        raise Rejected(answer.why, kind=answer.kind, path=answer.path)
    return JobResult(
        answer.value, tuple([await _exactly(connection, size) for size in checked(answer.sizes)])
    )


async def _exactly(connection: socket.socket, length: int) -> bytes:
    loop = asyncio.get_running_loop()
    received = bytearray(length)
    rest = memoryview(received)
    while rest:
        count = await loop.sock_recv_into(connection, rest)
        if not count:
            raise EOFError("the process went away")
        rest = rest[count:]
    return bytes(received)
