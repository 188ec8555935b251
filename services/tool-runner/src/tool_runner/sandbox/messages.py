"""What runner and worker say to each other: length-prefixed msgpack over a pair of sockets."""

import struct
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.outcome import GuestStep

LARGEST = 256 * 1024 * 1024
"""Bytes of one message, beyond any that the limits allow: what announces more is no worker of ours."""
_LENGTH = struct.Struct("<I")

VALUE, ERROR, TIMER = 0, 1, 2
"""How a host call ends, in what the guest is given; a timer that is due ends the same way."""


class StartRun(msgspec.Struct, frozen=True, tag=True):
    """Run a program. `payload` is the guest's JSON; `steps`, if any, are replayed instead of asking the host.

    `libraries` are digests by name, in the order of the names; `KeepLibrary` gave them to the worker.
    `clock_us` is the time at which it begins, in microseconds since 1970; `memory` are the bytes that it may
    have before it asks for more. `owner` is the agent: one that has many runs gets no more time than another.
    """

    run: int
    payload: bytes
    libraries: dict[str, bytes]
    limits: RunLimits
    seed: int
    clock_us: int
    memory: int
    owner: str = ""
    record: bool = False
    replay: list[GuestStep] = []


class KeepLibrary(msgspec.Struct, frozen=True, tag=True):
    """A library for the runs to come, until `ForgetLibrary`. `source` is its code as a JSON string."""

    digest: bytes
    source: bytes


class ForgetLibrary(msgspec.Struct, frozen=True, tag=True):
    """A library that no run to come names without a new `KeepLibrary`."""

    digest: bytes


class HostCallAnswer(msgspec.Struct, frozen=True, tag=True):
    """The end of a host call: VALUE or ERROR, with JSON."""

    run: int
    call: int
    kind: int
    value: bytes


class CancelRun(msgspec.Struct, frozen=True, tag=True):
    """Nobody wants this run any more."""

    run: int


class MemoryGrant(msgspec.Struct, frozen=True, tag=True):
    """A run that waits for more memory may have so many bytes; with 0 it may not, and ends for the reason."""

    run: int
    memory: int
    why: str = ""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker takes work. `confined_by` are the protections it has, `lacks` those it could not get."""

    confined_by: list[str]
    lacks: list[str]


class RunBegun(msgspec.Struct, frozen=True, tag=True):
    """The worker is about to run this run's first instruction: from here on it can't be given to another."""

    run: int


class MoreMemory(msgspec.Struct, frozen=True, tag=True):
    """A run waits for more memory than it may have."""

    run: int


class HostCall(msgspec.Struct, frozen=True, tag=True):
    """Code asks the host. `arguments` is JSON."""

    run: int
    call: int
    name: str
    arguments: bytes


class CancelCall(msgspec.Struct, frozen=True, tag=True):
    """Code does not wait for a host call any more."""

    run: int
    call: int


class RunDone(msgspec.Struct, frozen=True, tag=True):
    """A run ended: with JSON of a result, or with an error.

    `missing` is a library that was required but not given.
    """

    run: int
    result: bytes | None
    error: dict[str, str]
    logs: list[tuple[str, str]]
    cpu_s: float
    memory: int
    steps: int
    host_calls: int
    missing: str | None = None
    recorded: list[GuestStep] = []


ToWorker = StartRun | KeepLibrary | ForgetLibrary | HostCallAnswer | MemoryGrant | CancelRun
FromWorker = Ready | RunBegun | MoreMemory | HostCall | CancelCall | RunDone
M = TypeVar("M")

_encoder = msgspec.msgpack.Encoder()


class BrokenStream(Exception):
    """The other side sent what is not a message."""


def framed(message: ToWorker | FromWorker) -> bytearray:
    """A message as it is sent."""
    frame = bytearray(_LENGTH.size)
    _encoder.encode_into(message, frame, _LENGTH.size)
    _LENGTH.pack_into(frame, 0, len(frame) - _LENGTH.size)
    return frame


class MessageInbox:
    """Bytes as they come, messages as they are complete. The bytes may be hostile."""

    def __init__(self, messages: object) -> None:
        self._decoder = msgspec.msgpack.Decoder(messages)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[object]:
        """The messages that `data` completes. Raises BrokenStream."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._buffer)
            if size > LARGEST:
                raise BrokenStream(f"a message of {size} bytes")
            end = _LENGTH.size + size
            if len(self._buffer) < end:
                return
            try:
                with memoryview(self._buffer) as view, view[_LENGTH.size : end] as body:
                    message = self._decoder.decode(body)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise BrokenStream(str(error)) from error
            del self._buffer[:end]
            yield message
