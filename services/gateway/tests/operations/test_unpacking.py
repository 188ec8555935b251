"""Zip archives from anywhere are taken apart without harm."""

import contextlib
import io
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.files import LARGEST_FILE
from gateway.operations.files.unpacking import MOST_ENTRIES, unpack
from gateway.operations.spool import Spool, aside


def archive(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as opened:
        for name, data in entries:
            opened.writestr(name, data, method)
    return packed.getvalue()


def kept(room: Spool, data: bytes) -> dict[str, bytes]:
    room.begin()
    room.write(data)
    return {one.path: one.bytes.read(0, one.bytes.size) for one in unpack(room.end(), room)}


def unpacked(data: bytes) -> dict[str, bytes]:
    with aside() as room:
        room.begin()
        room.write(b"something before it")
        room.end()
        return kept(room, data)


def refusal(data: bytes) -> Rejected:
    with pytest.raises(Rejected) as caught:
        unpacked(data)
    return caught.value


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_have_the_paths_of_their_folders(method: int) -> None:
    folder = zipfile.ZipInfo("a/")
    entries = {"a/b/c.txt": b"c" * 600_000, "d.txt": b"", "ü 🙂.txt": b"x"}
    made = archive((folder, b""), *entries.items(), ("__MACOSX/._d.txt", b"resources"), method=method)
    assert unpacked(made) == entries
    assert unpacked(b"a program that unpacks itself" + made) == entries
    commented = io.BytesIO(made)
    with zipfile.ZipFile(commented, "a") as opened:
        opened.comment = b"PK, a comment"
    assert unpacked(commented.getvalue()) == entries


def test_names_are_read_as_utf_8_if_they_are_it_whatever_they_say() -> None:
    made = archive(("grün.txt", b"x"))
    unsaid = made.replace(struct.pack("<H", 0x800), struct.pack("<H", 0))
    assert unsaid != made
    assert list(unpacked(unsaid)) == ["grün.txt"]
    dos = archive(("gr_n.txt", b"x")).replace(b"gr_n", b"gr\x81n")
    assert list(unpacked(dos)) == ["grün.txt"]
    lying = made.replace("grün".encode(), b"gr\xff\xffn")
    assert refusal(lying).kind == "invalid_request"


def link() -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("link")
    made.external_attr = (stat.S_IFLNK | 0o777) << 16
    return made


def encrypted(data: bytes) -> bytes:
    at = data.rfind(b"PK\x01\x02")
    return data[: at + 8] + bytes([data[at + 8] | 1]) + data[at + 9 :]


def said_zip64(data: bytes) -> bytes:
    end = data.rfind(b"PK\x05\x06")
    return data[:end] + b"PK\x06\x07" + bytes(16) + data[end:]


ONE = archive(("a.txt", b"hello" * 100))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (archive(("../../etc/passwd", b"x")), "`..`"),
        (archive(("/etc/passwd", b"x")), "slash"),
        (archive(("a/../b", b"x")), "`..`"),
        (archive(("C:\\x", b"x")), "backslash"),
        (archive(("a\x1bb", b"x")), "control"),
        (archive(("a.txt_.exe", b"x")).replace(b"a.txt_", b"a.txt\0"), "control"),
        (archive(("x" * 600, b"x")), "512"),
        (archive(("dir/../", b"")), "`..`"),
        (archive((link(), b"/etc/passwd")), "link"),
        (encrypted(ONE), "encrypted"),
        (archive(("a", b"x"), method=zipfile.ZIP_BZIP2), "Deflate"),
        (archive(("a", b"x"), method=zipfile.ZIP_LZMA), "Deflate"),
        (archive(("a", b"1"), ("b", b"2")).replace(b"b", b"a"), "twice"),
        (archive(), "no files"),
        (b"", "zip archive"),
        (b"PK\x03\x04 and nothing else", "zip archive"),
        (b"x" * 100_000, "zip archive"),
        (ONE[:-30], "zip archive"),
        (ONE[30:], "zip archive"),
        (ONE.replace(b"a.txt", b"b.txt", 1), "zip archive"),
        (ONE[:50] + b"\xff\xff\xff" + ONE[53:], "zip archive"),
        (said_zip64(ONE), "Zip64"),
    ],
    ids=lambda given: given if isinstance(given, str) else "archive",  # its bytes have the time in them
)
def test_what_is_hostile_or_broken_is_refused(data: bytes, says: str) -> None:
    refused = refusal(data)
    assert refused.kind == "invalid_request"
    assert says in refused.message


def many_entries(count: int, said: int) -> bytes:
    """An archive that lists more entries than it says."""
    listed = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", *([0] * 13), 0, 0, 0, 0, 0) * count
    return listed + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, said, said, len(listed), 0, 0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: archive(*((f"{n}", b"") for n in range(MOST_ENTRIES + 1))),
        lambda: many_entries(1_000_000, 1),
        lambda: many_entries(0, 60_000),
        lambda: archive(("bomb", bytes(2_000_000))),
        lambda: archive(*((f"{n}", bytes(600_000)) for n in range(5))),
        lambda: archive(("big", bytes(LARGEST_FILE + 1)), method=zipfile.ZIP_STORED),
    ],
    ids=["entries", "entries unsaid", "entries said", "bomb", "bombs", "a large file"],
)
def test_what_is_too_much_is_refused_before_it_is_there(make: Callable[[], bytes]) -> None:
    data = make()
    with aside() as room:
        room.begin()
        room.write(data)
        packed = room.end()
        with pytest.raises(Rejected) as caught:
            unpack(packed, room)
        assert caught.value.kind == "too_large"
        room.begin()
        assert room.end().start < len(data) + LARGEST_FILE + 1_000_000


def test_small_archives_may_be_packed_well_and_all_entries_fit() -> None:
    assert len(unpacked(archive(("zeros", bytes(900_000))))["zeros"]) == 900_000
    assert len(unpacked(archive(*((f"{n}", b"") for n in range(MOST_ENTRIES))))) == MOST_ENTRIES


def test_whatever_is_broken_is_a_refusal_or_is_read() -> None:
    for at in range(len(ONE)):
        with contextlib.suppress(Rejected):
            unpacked(ONE[:at] + bytes([ONE[at] ^ 0xFF]) + ONE[at + 1 :])
        refusal(ONE[:at])
