"""One file is read back as it was written, or refused."""

import io

import msgspec
import pytest

from agent_contracts.blob_ref import sha256_of
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.sessions.session_file import (
    FORMAT,
    VERSION,
    FileBlob,
    FileEvent,
    FileHead,
    SessionFile,
    SessionFileSummary,
    blobs_of,
    check,
    read,
    without_blobs,
    write,
)

SESSION = SessionId("s_1")
HEAD = FileHead(FORMAT, VERSION, SESSION, AgentId("a"), (SESSION,), "2026-01-01T00:00:00Z")


def event(sequence: int, subject: str = "ses.a.1.s_1.in.created") -> FileEvent:
    return FileEvent(sequence, subject, {"ce-id": "é\n"}, '{"text":"line one\\nline two"}')


FILE = SessionFile(HEAD, (event(3), event(9)), (FileBlob(sha256_of(b"\x00\xff"), b"\x00\xff"),))


def changed(**changes: object) -> SessionFile:
    return msgspec.structs.replace(FILE, **changes)


def test_what_is_written_is_read_back() -> None:
    assert read(write(FILE)) == FILE


def record(sequence: int, parts: int, *present: int) -> tuple[FileEvent, ...]:
    return tuple(msgspec.structs.replace(event(sequence), part=part, parts=parts) for part in present)


def test_the_events_of_a_record_are_read_back_with_their_addresses() -> None:
    file = changed(events=(event(3), *record(9, 3, 0, 1, 2), event(10)))
    assert read(write(file)) == file
    assert [str(one.address) for one in file.events] == ["3", "9.0", "9.1", "9.2", "10"]


@pytest.mark.parametrize(
    "events",
    [
        record(9, 3, 0, 1),
        (*record(9, 3, 0, 1), event(10)),
        record(9, 3, 1, 2),
        record(9, 3, 0, 2),
        (*record(9, 2, 0), *record(10, 2, 1)),
        (*record(9, 2, 0), *record(9, 3, 1)),
    ],
)
def test_a_record_that_is_not_whole_is_refused(events: tuple[FileEvent, ...]) -> None:
    with pytest.raises(Rejected, match="is not whole"):
        read(write(changed(events=events)))


def test_blobs_are_read_one_by_one_where_nobody_keeps_them() -> None:
    data = io.BytesIO(write(FILE))
    data.read()
    assert check(data) == SessionFileSummary(
        HEAD, events=2, blobs=1, stored_bytes=2 + 2 * len(FILE.events[0].data)
    )
    assert tuple(blobs_of(data)) == FILE.blobs
    assert b"".join(without_blobs(data)) == write(changed(blobs=()))
    wrong = changed(blobs=(FileBlob(sha256_of(b"a"), b"b"),))
    with pytest.raises(Rejected, match="holds other bytes"):
        check(io.BytesIO(write(wrong)))


def test_every_damaged_byte_is_seen() -> None:
    whole = write(FILE)
    for index in range(len(whole) - 1):
        damaged = whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :]
        with pytest.raises(Rejected):
            read(damaged)


def test_every_cut_is_seen() -> None:
    whole = write(FILE)
    for length in range(len(whole) - 1):
        with pytest.raises(Rejected):
            read(whole[:length])


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (changed(head=msgspec.structs.replace(HEAD, version=2)), "version 2"),
        (changed(head=msgspec.structs.replace(HEAD, format="zip")), "not an exported session"),
        (changed(head=msgspec.structs.replace(HEAD, sessions=())), "doesn't name its session"),
        (
            changed(head=msgspec.structs.replace(HEAD, sessions=(SessionId("a b"), SESSION))),
            "must be 1 to 64",
        ),
        (changed(events=(event(9), event(3))), "comes after"),
        (changed(events=(event(3, "ses.a.1.s_2.in.created"),)), "another session"),
        (changed(events=(event(3, "agt.a.state.x"),)), "not a session subject"),
        (changed(blobs=(FileBlob("0" * 64, b"other"),)), "other bytes"),
    ],
)
def test_a_file_that_was_made_wrong_is_refused(file: SessionFile, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        read(write(file))


@pytest.mark.parametrize("depth", [100, 1000, 100_000])
def test_an_event_that_is_nested_too_deep_is_refused(depth: int) -> None:
    whole = msgspec.structs.replace(FILE.events[0], data="[" * depth + "]" * depth)
    file = io.BytesIO(write(msgspec.structs.replace(FILE, events=(whole,))))
    if depth == 100:
        check(file)
        return
    with pytest.raises(Rejected, match="nested more than"):
        check(file)
