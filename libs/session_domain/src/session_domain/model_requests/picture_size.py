"""How wide and high a picture is, by the first bytes of its format: nothing of it is drawn. Pure."""

import struct

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG; None for what isn't one, or is cut off."""
    try:
        found = _size(data)
    except (struct.error, IndexError):
        return None
    return found if found and found[0] > 0 and found[1] > 0 else None


def _size(data: bytes) -> tuple[int, int] | None:
    if data.startswith(_PNG) and data[12:16] == b"IHDR":
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a"):
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    return _jpeg(data) if data.startswith(b"\xff\xd8\xff") else None


def _webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8X":
            return _three(data[24:27]) + 1, _three(data[27:30]) + 1
        case b"VP8L":
            bits = int(struct.unpack("<I", data[21:25])[0])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
    return None


def _three(data: bytes) -> int:
    return int(struct.unpack("<I", data + b"\0")[0])


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_BARE:
            at += 2
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        else:
            at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None
