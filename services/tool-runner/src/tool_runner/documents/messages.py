"""What passes between the runner and a worker process: one job, one answer.

Each is a head (behind its length), which says how long each of the files is that follow it.
"""

import socket
import struct
from collections.abc import Sequence
from typing import BinaryIO, Literal, TypeVar, get_args

import msgspec

from agent_contracts.json_value import Json
from tool_runner.documents.limits import LARGEST_FILES, LARGEST_VALUE

T = TypeVar("T")

_LENGTH = struct.Struct("!Q")
HEAD = _LENGTH.size
"""Bytes of a head's length."""


class DocumentJob(msgspec.Struct, frozen=True):
    """What to do (`family.job`, see `jobs`), with which bytes and options (a struct or a mapping)."""

    name: str
    inputs: tuple[bytes, ...]
    options: object = {}

    @property
    def family(self) -> str:
        """The family whose job it is."""
        return self.name.partition(".")[0]


class JobResult(msgspec.Struct, frozen=True):
    """It went well: JSON, and files as bytes."""

    value: Json = None
    outputs: tuple[bytes, ...] = ()


RefusedKind = Literal[
    "rejected", "too_large", "invalid_arguments", "conflict", "not_found", "timeout", "blocked"
]
REFUSED_KINDS: frozenset[str] = frozenset(get_args(RefusedKind))
"""The tools' kinds of error that a job may give."""


class JobRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """It could not be done; `path` names the argument at fault."""

    kind: RefusedKind
    why: str
    path: str | None = None


class JobHead(msgspec.Struct, frozen=True):
    """A job without its files, whose sizes it says."""

    job: str
    options: msgspec.Raw
    sizes: tuple[int, ...]


class DoneHead(msgspec.Struct, frozen=True, tag="done"):
    """An answer without its files, whose sizes it says."""

    value: Json
    sizes: tuple[int, ...]


AnswerHead = DoneHead | JobRefusal


def framed(head: JobHead | AnswerHead) -> bytes:
    """The head as it is sent. `OverflowError` for one that is too long."""
    data = msgspec.msgpack.encode(head)
    if len(data) > LARGEST_VALUE:
        raise OverflowError(f"{len(data)} bytes; at most {LARGEST_VALUE} pass")
    return _LENGTH.pack(len(data)) + data


def head_of(job: DocumentJob) -> bytes:
    """What is sent before the job's files. `OverflowError` for options that are too long."""
    options = msgspec.Raw(msgspec.msgpack.encode(job.options))
    return framed(JobHead(job.name, options, tuple(map(len, job.inputs))))


def length_of(head: bytes) -> int:
    """How many bytes follow. `ValueError` for more than are allowed."""
    (length,) = _LENGTH.unpack(head)
    if length > LARGEST_VALUE:
        raise ValueError(f"a message of {length} bytes")
    return int(length)


def checked(sizes: Sequence[int]) -> Sequence[int]:
    """The sizes of files. `ValueError` for more bytes than are allowed."""
    if any(size < 0 for size in sizes) or sum(sizes) > LARGEST_FILES:
        raise ValueError(f"files of {sum(sizes)} bytes")
    return sizes


def receive_job(connection: socket.socket) -> tuple[JobHead, tuple[bytes, ...]]:
    """The job that is sent over a blocking socket, and its files.

    `ConnectionError` where the other side goes away.
    """
    with connection.makefile("rb") as stream:
        data = _exactly(stream, length_of(_exactly(stream, HEAD)))
        head = msgspec.msgpack.decode(data, type=JobHead)
        return head, tuple(_exactly(stream, size) for size in checked(head.sizes))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise ConnectionError("the other side went away")
    return data
