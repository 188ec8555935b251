"""What a client says first in a tunnel: whether it is of the kind that a browser says for a WebSocket. Pure.

A browser offers HTTP/2 (ALPN, RFC 7301) to each server that it asks by https, but not for a WebSocket, for
which it makes a connection of its own. What isn't TLS at all is a WebSocket, too: nothing else is tunnelled.
"""

_TLS, _HELLO, _ALPN = 0x16, 0x01, 0x0010
_RECORD, _BEFORE_SESSION = 5, 4 + 2 + 32
_LONGEST = 1 << 14
"""Bytes of a record (RFC 8446)."""
_HTTP_2 = b"h2"


def is_whole(data: bytes) -> bool:
    """Whether nothing more is needed to tell."""
    if not data:
        return False
    if data[0] != _TLS:
        return True
    return len(data) >= _RECORD and len(data) >= _RECORD + min(_number(data[3:5]), _LONGEST)


def speaks_http2(data: bytes) -> bool:
    """Whether what was said offers HTTP/2. What isn't understood doesn't."""
    if data[:1] != bytes([_TLS]):
        return False
    hello = data[_RECORD : _RECORD + _number(data[3:5])]
    if hello[:1] != bytes([_HELLO]):
        return False
    rest = hello[_BEFORE_SESSION:]
    for length in (1, 2, 1):  # session, ciphers, compression
        _, rest = _counted(rest, length)
    extensions, _ = _counted(rest, 2)
    while len(extensions) >= 4:
        kind = _number(extensions[:2])
        body, extensions = _counted(extensions[2:], 2)
        if kind == _ALPN:
            return _HTTP_2 in _names(_counted(body, 2)[0])
    return False


def _names(data: bytes) -> list[bytes]:
    names = []
    while data:
        name, data = _counted(data, 1)
        names.append(name)
    return names


def _counted(data: bytes, length: int) -> tuple[bytes, bytes]:
    """What so many bytes at the start count, and what comes after."""
    end = length + _number(data[:length])
    return data[length:end], data[end:]


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")
