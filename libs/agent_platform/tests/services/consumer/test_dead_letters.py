"""Messages whose every delivery ended without an answer."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgspec
import pytest

from agent_contracts.errors import Failure
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import ADVISORY_STREAM
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec, advisory_spec
from agent_platform.nats.pulls import Pulls
from agent_platform.services.consuming.dead_letter import DeadLetterRecord, DeadLetterStore
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.service import ServiceRuntime
from foldline_testing.agent_platform.eventually import eventually

SPEC = ConsumerSpec("runners-tools", ("ses.>",), ack_wait_s=0.2, max_deliver=2)


@contextlib.asynccontextmanager
async def workers_that_never_answer(connection: NatsConnection) -> AsyncIterator[None]:
    """They take what they are given and die: no ack, no nak, no sign of life."""
    pulling = asyncio.create_task(Pulls(connection, "LOG", SPEC.name, 10, lambda _: None).until_interrupted())
    yield
    pulling.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await pulling


async def advisory_kept(connection: NatsConnection) -> bool | None:
    return await JetStreamLog(connection, stream=ADVISORY_STREAM).last_sequence() > 0 or None


@pytest.mark.faults
async def test_a_message_that_kills_every_worker_gets_its_failed_result_and_a_dead_letter(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC, advisory_spec(SPEC.name)])
    sequence = await jetstream.append(NewMessage("ses.a.1.s.ev.tool_call_requested.tools", b"{}", {}))
    async with workers_that_never_answer(service.connection):
        await eventually(lambda: advisory_kept(service.connection))  # nobody listens yet, and it isn't lost

    failures = [ConnectionError("the first try to write the result fails")]

    async def write_failed_result(message: StoredMessage, reason: str) -> None:
        if failures:
            raise failures.pop()
        assert reason == "delivered 2 times, never answered"
        subject = "ses.a.1.s.result"
        await jetstream.append(NewMessage(subject, b"failed", {"Nats-Msg-Id": "r"}), Expect(subject, 0))

    listener = MaxDeliveriesListener(service, SPEC.name, write_failed_result)
    task = asyncio.create_task(listener.run())
    result = await eventually(lambda: jetstream.last("ses.a.1.s.result"))
    assert result.data == b"failed"
    dlq = JetStreamLog(service.connection, stream="DLQ")
    letter = await eventually(lambda: dlq.last("dlq.LOG.runners-tools"))
    assert msgspec.json.decode(letter.data, type=DeadLetterRecord) == DeadLetterRecord(
        "LOG",
        "runners-tools",
        sequence,
        "ses.a.1.s.ev.tool_call_requested.tools",
        "delivered 2 times, never answered",
        2,
    )
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_an_advisory_about_another_consumer_is_left_to_its_own_listener(
    service: ServiceRuntime, jetstream: JetStreamLog
) -> None:
    await ensure_consumers(service.connection, [SPEC, advisory_spec("model-callers")])
    await jetstream.append(NewMessage("ses.a.1.s.ev.x", b"{}", {}))
    async with workers_that_never_answer(service.connection):
        await eventually(lambda: advisory_kept(service.connection))
    called: list[str] = []

    async def exhausted(message: StoredMessage, reason: str) -> None:
        called.append(reason)

    task = asyncio.create_task(MaxDeliveriesListener(service, "model-callers", exhausted).run())
    await asyncio.sleep(0.3)  # sleeps: quiet
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert called == []


async def test_letters_are_listed_found_and_forgotten(service: ServiceRuntime) -> None:
    letters = DeadLetterStore(service.connection)
    for sequence in (1, 2):
        message = StoredMessage(sequence, "ses.a.1.s.in.x", b"{}", {})
        await letters.put("LOG", "work", message, "why", 5)
        await letters.put("LOG", "work", message, "why again", 5)  # given up twice, one letter
    found = await letters.all()
    assert [(one.number, one.letter.sequence) for one in found] == [(1, 1), (2, 2)]
    assert all(one.at for one in found)
    await letters.discard(1)
    assert [one.number for one in await letters.all()] == [2]
    assert await letters.find(1) is None
    with pytest.raises(Failure):
        await letters.discard(1)
