"""Bodies as servers compress them, decoded no further than to a limit: a bomb costs what the limit allows."""

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

import brotli

from agent_contracts.errors import ErrorKind, Transient

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

ACCEPTED = "gzip, deflate, br, zstd"
"""The `Accept-Encoding` of every request."""
_GZIP = b"\x1f\x8b"
_SLACK = 1024 * 1024
_LAYERS = 2
"""How many encodings may be on top of each other; more are only seen in attacks."""


class Decoder(Protocol):
    """One encoding."""

    def decode(self, data: bytes, room: int) -> bytes:
        """What `data` adds, at most about `room` bytes; what is beyond is kept for the next call."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the data so far ends where it may."""
        ...


class BoundedDecoding:
    """Decodes a body chunk by chunk, to `limit` bytes."""

    def __init__(self, encoding: str, limit: int) -> None:
        """`encoding` is the header `Content-Encoding`. `Transient(kind="upstream")` for one that wasn't asked
        for."""
        names = [name for name in (one.strip().lower() for one in encoding.split(",")) if name != "identity"]
        names = [name for name in names if name]
        if len(names) > _LAYERS or any(name not in _DECODERS for name in names):
            raise Transient(f"the server answers in the encoding {encoding[:40]!r}", kind=ErrorKind.UPSTREAM)
        self._decoders = [_DECODERS[name]() for name in reversed(names)]
        self._limit = limit
        self._made = bytearray()
        self._taken = 0
        self._given = 0

    @property
    def is_full(self) -> bool:
        """Whether there is more than fits."""
        return self._room <= 0

    def feed(self, chunk: bytes) -> None:
        """Take one chunk as it came. `Transient(kind="upstream")` for damaged data, and for more of it than
        anybody sends to be read: compressed data without end can decode to nothing."""
        self._taken += len(chunk)
        if self._taken > 2 * self._limit + _SLACK:
            raise Transient("the server's answer is nothing but wrapping", kind=ErrorKind.UPSTREAM)
        try:
            for decoder in self._decoders:
                chunk = decoder.decode(chunk, self._room)
        except (zlib.error, brotli.error, ZstdError) as error:
            raise Transient("the server's compressed answer is damaged", kind=ErrorKind.UPSTREAM) from error
        self._made += chunk[: self._room]

    def take(self) -> bytes:
        """What came since this was asked last, no more than the limit in all; it isn't kept any longer."""
        made = bytes(self._made[: max(0, self._limit - self._given)])
        self._given += len(self._made)
        self._made.clear()
        return made

    def body(self) -> bytes:
        """What came and wasn't taken, no more than the limit in all. `Transient(kind="upstream")` if it
        breaks off before that."""
        if not self.is_full and not all(decoder.is_complete for decoder in self._decoders):
            raise Transient("the server's compressed answer breaks off", kind=ErrorKind.UPSTREAM)
        return self.take()

    @property
    def _room(self) -> int:
        """How many more bytes are looked at: one beyond the limit tells that there is more."""
        return self._limit + 1 - self._given - len(self._made)


class _Zlib:
    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inner = zlib.decompressobj(bits)
        self._started = False

    def decode(self, data: bytes, room: int) -> bytes:
        made = bytearray()
        while data and len(made) < room:
            if self._inner.eof:
                if not data.startswith(_GZIP):
                    break  # padding behind the end
                self._inner = zlib.decompressobj(self._bits)
            made += self._inner.decompress(data, room - len(made))
            data = self._inner.unconsumed_tail or self._inner.unused_data
        self._started = True
        return bytes(made)

    @property
    def is_complete(self) -> bool:
        return self._inner.eof or not self._started


class _Deflate:
    """Zlib by its definition, raw as some servers send it."""

    def __init__(self) -> None:
        self._inner: _Zlib | None = None

    def decode(self, data: bytes, room: int) -> bytes:
        if self._inner is None and data:
            with_header = data[0] & 0x0F == 8 and data[0] >> 4 <= 7
            self._inner = _Zlib(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)
        return self._inner.decode(data, room) if self._inner else b""

    @property
    def is_complete(self) -> bool:
        return self._inner is None or self._inner.is_complete


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()
        self._started = False

    def decode(self, data: bytes, room: int) -> bytes:
        self._started = True
        made = bytearray(self._inner.process(data, output_buffer_limit=room))
        while len(made) < room and not self._inner.can_accept_more_data():
            more = self._inner.process(b"", output_buffer_limit=room - len(made))
            if not more:
                break
            made += more
        return bytes(made)

    @property
    def is_complete(self) -> bool:
        return self._inner.is_finished() or not self._started


class _Zstd:
    def __init__(self) -> None:
        self._inner = ZstdDecompressor()
        self._started = False

    def decode(self, data: bytes, room: int) -> bytes:
        self._started = True
        made = bytearray()
        while len(made) < room:
            if self._inner.eof:
                data = self._inner.unused_data or data
                if not data:
                    break
                self._inner = ZstdDecompressor()
            made += self._inner.decompress(data, max_length=room - len(made))
            data = self._inner.unused_data if self._inner.eof else b""
            if not data and self._inner.needs_input:
                break
        return bytes(made)

    @property
    def is_complete(self) -> bool:
        return self._inner.eof or not self._started


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
