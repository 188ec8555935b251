"""Zip archives, taken apart into the same room that they lie in. Nothing of them touches a folder: each
entry becomes bytes and the path that it names, if that may be a path of a file.

Archives come from anywhere, so nothing in one is believed before it was counted: entries are counted before
objects are made of them, only what can be inflated piece by piece is, and bytes are counted as they come.
"""

import stat
import struct
import zipfile
import zlib
from io import RawIOBase, UnsupportedOperation

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.files import LARGEST_FILE, flaw_in_path
from gateway.operations.spool import Spool, StoredSpan

MOST_ENTRIES = 2_000
LARGEST_UNPACKED = 200_000_000
"""Bytes, all entries together."""
HIGHEST_RATIO = 100
"""Unpacked bytes for each of the archive's."""
_NO_BOMB = 1_000_000
"""Bytes that any archive may unpack to, however small it is."""
_PIECE = 256 * 1024
_NOT_MEANT = "__MACOSX/"
"""What macOS adds to archives for itself."""

_END = b"PK\x05\x06"
_END_SIZE = 22
_ZIP64 = b"PK\x06\x07"
_ZIP64_SIZE = 20
_LONGEST_COMMENT = 65_535
_ENTRY = b"PK\x01\x02"
_ENTRY_SIZE = 46
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1 | 0x40
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,  # an offset before the beginning; a name that is not the UTF-8 it says
    OverflowError,
)


class UnpackedFile(msgspec.Struct, frozen=True):
    """An entry: where it stands in the archive, and its bytes."""

    path: str
    bytes: StoredSpan


def unpack(archive: StoredSpan, room: Spool) -> list[UnpackedFile]:
    """The archive's files, in its order; folders are only part of their paths.

    `Rejected`: `invalid_request` for what is no zip archive, is broken or encrypted, or has an entry that
    can't be a file (a link, a path that leads elsewhere, the same path twice); `too_large` beyond a limit.
    Takes up to some seconds of a processor: not for the event loop.
    """
    _check_count(archive)
    try:
        with zipfile.ZipFile(_Readable(archive)) as opened:
            wanted = _wanted(opened.infolist())
            limit = max(_NO_BOMB, min(LARGEST_UNPACKED, archive.size * HIGHEST_RATIO))
            unpacked: list[UnpackedFile] = []
            for path, entry in wanted.items():
                unpacked.append(UnpackedFile(path, _inflated(opened, entry, room, limit)))
                limit -= unpacked[-1].bytes.size
            return unpacked
    except _BROKEN as error:
        raise _unreadable(str(error)) from error


def _inflated(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, room: Spool, limit: int) -> StoredSpan:
    """An entry's bytes, at most `limit`."""
    room.begin()
    size = 0
    with opened.open(entry) as data:
        while piece := data.read(_PIECE):
            size += len(piece)
            if size > limit:
                raise Rejected(
                    f"The archive unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB, or to more than "
                    f"{HIGHEST_RATIO} times its size: unpack it yourself and send what is needed",
                    kind="too_large",
                )
            if size > LARGEST_FILE:
                raise Rejected(
                    f"{_name(entry)} has more than {LARGEST_FILE // 1_000_000} MB, the most of a file",
                    kind="too_large",
                )
            room.write(piece)
    return room.end()


def _wanted(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The entries that are files, by their paths."""
    wanted: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        path = _path(entry)
        if path.startswith(_NOT_MEANT):
            continue
        folder = path.endswith("/")
        flaw = flaw_in_path(path.removesuffix("/")) or _flaw(entry, folder)
        if flaw is not None:
            raise _refused(entry, flaw)
        if folder:
            continue
        if path in wanted:
            raise _refused(entry, "it is there twice")
        wanted[path] = entry
    if not wanted:
        raise Rejected("The archive has no files", kind="invalid_request")
    return wanted


def _flaw(entry: zipfile.ZipInfo, folder: bool) -> str | None:
    mode = entry.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a link or another special file can't be stored"
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted: unpack the archive with its password and send the files"
    if not folder and entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is compressed by another method than Deflate: pack the archive as an ordinary zip"
    return None


def _path(entry: zipfile.ZipInfo) -> str:
    """The entry's whole name. Many write UTF-8 without saying so, which `zipfile` takes for code page 437."""
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_NAME:
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


def _check_count(archive: StoredSpan) -> None:
    """Count the entries where they are listed: an archive may hold a million, and may say that it has one."""
    tail = min(archive.size, _END_SIZE + _LONGEST_COMMENT)
    end = archive.read(archive.size - tail, tail)
    found = end.rfind(_END)
    if found < 0 or found + _END_SIZE > len(end):
        raise _unreadable("it has no list of its entries")
    said, size, _ = struct.unpack_from("<HII", end, found + 10)
    place_of_end = archive.size - tail + found
    if archive.read(place_of_end - _ZIP64_SIZE, len(_ZIP64)) == _ZIP64:
        raise _unreadable("it is a Zip64 archive, for more than fits here: pack it as an ordinary zip")
    at = place_of_end - size
    if said > MOST_ENTRIES or size > archive.size or at < 0:
        raise _too_many() if said > MOST_ENTRIES else _unreadable("its list of entries is not where it says")
    listed = archive.read(at, size)
    count = place = 0
    while listed.startswith(_ENTRY, place) and place + _ENTRY_SIZE <= len(listed):
        place += _ENTRY_SIZE + sum(struct.unpack_from("<HHH", listed, place + 28))
        count += 1
        if count > MOST_ENTRIES:
            raise _too_many()
    if place != len(listed) or count != said:
        raise _unreadable("its list of entries is not as it says")


def _too_many() -> Rejected:
    return Rejected(f"An archive may have at most {MOST_ENTRIES:,} entries", kind="too_large")


def _unreadable(why: str) -> Rejected:
    return Rejected(f"This is not a zip archive, or a broken one: {why[:200]}", kind="invalid_request")


def _refused(entry: zipfile.ZipInfo, flaw: str) -> Rejected:
    return Rejected(f"Entry {_name(entry)} of the archive: {flaw}", kind="invalid_request")


def _name(entry: zipfile.ZipInfo) -> str:
    return repr(_path(entry)[:100])


class _Readable(RawIOBase):
    """A span as a file to read."""

    def __init__(self, span: StoredSpan) -> None:
        self._span = span
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        begin = {0: 0, 1: self._at, 2: self._span.size}
        if whence not in begin:
            raise UnsupportedOperation(f"seek from {whence}")
        if begin[whence] + offset < 0:
            raise UnsupportedOperation("an offset before the beginning")  # an OSError, as of a file
        self._at = begin[whence] + offset
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._span.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
