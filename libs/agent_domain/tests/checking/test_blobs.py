"""A blob that an event names and that is gone, or holds something else, is found."""

from collections.abc import AsyncGenerator, Callable

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.event import Event
from agent_contracts.files import FileScope, FileValue, SentFile
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import entity_subject
from agent_contracts.model_context import ContextPart, ModelContext
from agent_contracts.pictures import Picture
from agent_contracts.session_events.inputs import UserMessage
from agent_contracts.session_events.results import (
    ModelCallCompleted,
    ModelCallFailed,
    ModelFailure,
    ToolCallCompleted,
    Usage,
)
from agent_domain.checking.blobs import accept_lost_blobs, check_blobs, lost_blobs
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.event_message import event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.sealing.removing import erase
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest

AGENT, SESSION = AgentId("a"), SessionId("s_1")
KEY, CALL = SessionKey(AGENT, SESSION), CallId("c_1")


def _file(sha256: str) -> EntityWritten:
    value = FileValue("a.txt", "text/plain", 3, sha256, FileScope.AGENT, "upload")
    return EntityWritten(EntityKind.FILE, "f_1", msgspec.to_builtins(value), 1)


def _answer(sha256: str) -> EntityWritten:
    call = KeyedCall("f", "r", ToolAnswer(blob=BlobRef(sha256, 3)))
    return EntityWritten(EntityKind.CALL, "k_1", msgspec.to_builtins(call), 1)


NAMING: dict[str, Callable[[str], Event]] = {
    "a file of a message": lambda sha256: UserMessage(
        "look", files=(SentFile("f_1", "a.txt", "text/plain", 3, 1, sha256),)
    ),
    "a picture of a result": lambda sha256: ToolCallCompleted(
        call_id=CALL, runner="r", result=1, pictures=(Picture(sha256, "image/png", 3, "a"),)
    ),
    "a large result": lambda sha256: ToolCallCompleted(
        call_id=CALL, runner="r", result=None, excerpt=Excerpt("a", "c", BlobRef(sha256, 3))
    ),
    "what a model saw": lambda sha256: ModelCallCompleted(CALL, "hi", Usage(1, 1), "m", context=sha256),
    "what a model saw that failed": lambda sha256: ModelCallFailed(
        CALL, ModelFailure.TIMEOUT, "late", "m", context=sha256
    ),
    "a file": _file,
    "a function's large answer": _answer,
}


def _subject(event: Event) -> str:
    match event:
        case EntityWritten(kind=kind, name=name):
            return entity_subject(AGENT, kind, name)
        case UserMessage():
            return KEY.input(type_of(event))
    return KEY.results


async def _append(log: Log, event: Event) -> int:
    message, _ = event_message(event, _subject(event), origin_of(event), SystemClock())
    return await log.append(message)


@pytest.mark.parametrize("naming", NAMING.values(), ids=NAMING)
async def test_what_is_missing_or_damaged_is_named_with_its_event(naming: Callable[[str], Event]) -> None:
    log, blobs = MemoryLog(), MemoryBlobs()
    kept = ModelContext(system=[], tools=[], timezone="UTC", shapes=(await blobs.put(b"{}")).sha256)
    sha256 = (await blobs.put(msgspec.json.encode(kept))).sha256
    sequence = await _append(log, naming(sha256))
    assert not await check_blobs(log, blobs)
    assert (await check_blobs(log, blobs)).checked in (1, 2)
    blobs.lose(sha256)
    (lost,) = (await check_blobs(log, blobs)).listed
    assert (lost.sha256, lost.sequence, lost.damaged) == (sha256, sequence, False)
    assert f"is missing, named by event {sequence}" in str(lost)
    assert not await check_blobs(log, blobs, accepted=[sha256])
    assert not await check_blobs(log, blobs, up_to=sequence - 1)


@pytest.mark.parametrize("part", ["system", "tools", "shapes"])
async def test_each_part_of_what_a_model_saw_is_looked_at(part: str) -> None:
    log, blobs = MemoryLog(), MemoryBlobs()
    parts = {one: (await blobs.put(one.encode())).sha256 for one in ("system", "tools", "shapes")}
    context = ModelContext(
        system=[ContextPart("p", parts["system"])],
        tools=[parts["tools"]],
        timezone="UTC",
        shapes=parts["shapes"],
    )
    address = (await blobs.put(msgspec.json.encode(context))).sha256
    await _append(log, NAMING["what a model saw"](address))
    assert (await check_blobs(log, blobs)).checked == 4
    blobs.lose(parts[part])
    assert [one.sha256 for one in (await check_blobs(log, blobs)).listed] == [parts[part]]


async def test_what_is_erased_while_it_is_looked_for_is_not_lost() -> None:
    log, blobs = MemoryLog(), MemoryBlobs()
    gone, lost = [(await blobs.put(text)).sha256 for text in (b"erased", b"lost")]
    sequences = {one: await _append(log, NAMING["a file of a message"](one)) for one in (gone, lost)}
    for one in (gone, lost):
        blobs.lose(one)

    class Erased(MemoryBlobs):
        """Blobs that are erased with their event when somebody looks for them."""

        def stream(self, sha256: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes, None]:
            if sha256 == gone:
                log.lose(sequences[gone])
            return blobs.stream(sha256, start, end)

    assert [one.sha256 for one in (await check_blobs(log, Erased())).listed] == [lost]


def test_every_event_that_can_name_a_blob_is_one_of_these() -> None:
    """A new field with a hash in it must be known to `named_blobs`."""
    named = {type(naming("0" * 64)) for naming in NAMING.values()}
    kinds = ("SentFile", "Picture", "BlobRef", "Excerpt")
    for event in Event.__subclasses__():
        fields = {field.name: str(field.type) for field in msgspec.structs.fields(event)}
        holds = "context" in fields or any(kind in said for said in fields.values() for kind in kinds)
        assert not holds or event in named, event


async def test_on_jetstream_small_and_large_ones_are_missed_until_it_is_accepted(
    nats_server: NatsForTest,
) -> None:
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        log, blobs = JetStreamLog(admin), JetStreamBlobs(admin)
        small, large = (await blobs.put(b"small")).sha256, (await blobs.put(bytes(3_000_000))).sha256
        for sha256 in (small, large):
            await _append(log, _file(sha256))
        assert not await lost_blobs(admin)
        await admin.api("STREAM.PURGE.BLOB", {})
        await admin.api("STREAM.PURGE.OBJ_objects", {"filter": "$O.objects.C.>", "keep": 1})
        loss = await lost_blobs(admin)
        assert {one.sha256: one.damaged for one in loss.listed} == {small: False, large: True}
        assert str(loss).startswith("2 of 2 blobs that events name are lost: ")
        assert await accept_lost_blobs(admin) == loss
        assert not await lost_blobs(admin)
        other = (await blobs.put(b"other")).sha256
        await _append(log, NAMING["a file of a message"](other))
        await admin.api("STREAM.PURGE.BLOB", {})
        assert (await lost_blobs(admin)).count == 1
        await erase(admin, ["ses.>"], "asked for")
        assert not await lost_blobs(admin)
    finally:
        await admin.close()
