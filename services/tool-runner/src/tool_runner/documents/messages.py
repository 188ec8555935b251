"""What passes between the runner and a reading process: one job, one answer, each behind its length."""

import socket
import struct
from typing import Literal

import msgspec

from agent_contracts.json_value import Json

LARGEST = 64 * 1024 * 1024
"""Bytes of a job, or of an answer."""

_LENGTH = struct.Struct("!Q")


class Job(msgspec.Struct, frozen=True):
    """What to do (a name of `jobs.JOBS`), with which bytes and options."""

    name: str
    data: bytes
    options: dict[str, Json] = {}


class Read(msgspec.Struct, frozen=True, tag="read"):
    """It went well."""

    value: Json


class Unreadable(msgspec.Struct, frozen=True, tag="unreadable"):
    """It could not be done. `kind` is one of the tools' kinds of error."""

    kind: Literal["rejected", "too_large"]
    why: str


Answer = Read | Unreadable


def framed(message: Job | Answer) -> bytes:
    """The message as it is sent."""
    data = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(data)) + data


def length_of(head: bytes) -> int:
    """How many bytes follow a head. `ValueError` for more than are allowed."""
    (length,) = _LENGTH.unpack(head)
    if length > LARGEST:
        raise ValueError(f"a message of {length} bytes")
    return int(length)


HEAD = _LENGTH.size
"""Bytes of a message's length."""


def receive_job(connection: socket.socket) -> Job:
    """The job that is sent over a blocking socket. `ConnectionError` where the other side goes away."""
    return msgspec.msgpack.decode(_exactly(connection, length_of(_exactly(connection, HEAD))), type=Job)


def _exactly(connection: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        piece = connection.recv(min(length - len(received), 1 << 20))
        if not piece:
            raise ConnectionError("the other side went away")
        received += piece
    return bytes(received)
