"""A result is given to the engine of the same process by a call; to any other, by a message."""

import asyncio

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.offered_results import COMMITTED, ResultSource, offers_by
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.session_events.results import ToolCallCompleted
from agent_platform.log.event_message import event_message
from agent_platform.log.local_offers import takes_for
from agent_platform.log.result_offers import NatsOffers
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest

KEY = SessionKey(AgentId("a"), SessionId("s"))
PARTITION = parse_session_subject(KEY.results).partition


def result() -> NewMessage:
    event = ToolCallCompleted(CallId("c"), 1, "r", duration_ms=1)
    return event_message(event, KEY.results, origin_of(event), SystemClock())[0]


class Engine:
    """Takes what is offered here, or by a message."""

    def __init__(self, record: StoredMessage | None) -> None:
        self.record = record
        self.here: list[tuple[ResultSource, NewMessage]] = []
        self.by_message = 0

    async def take(self, worker: ResultSource, offered: NewMessage) -> StoredMessage | None:
        self.here.append((worker, offered))
        return self.record

    async def listen(self, connection: NatsConnection) -> None:
        async def answer(message: object) -> None:
            self.by_message += 1
            await connection.publish(message.reply, COMMITTED)  # type: ignore[attr-defined]

        await connection.subscribe(offers_by(ResultSource.TOOL), answer)
        await connection.flush()


RECORD = StoredMessage(7, KEY.results, b"", {})


async def test_an_offer_within_a_process_is_a_call(
    connection: NatsConnection, nats_server: NatsForTest
) -> None:
    engine, told = Engine(RECORD), list[StoredMessage]()
    await engine.listen(connection)
    worker = await connect(nats_server.url, name="worker")
    offers, message = NatsOffers(worker, ResultSource.TOOL, "stop", committed=told.append), result()
    with takes_for(connection, PARTITION, engine.take):
        assert await offers.offer(message)
        [(source, offered)] = engine.here
        assert (source, offered.subject, offered.data) == (ResultSource.TOOL, message.subject, message.data)
        assert (told, engine.by_message) == ([RECORD], 0)
        engine.record = None
        assert not await offers.offer(message), "it is for its worker to write"
        assert engine.by_message == 0
    assert await offers.offer(message), "nobody takes it here any more"
    assert engine.by_message == 1
    await worker.close()


async def test_another_partition_or_one_that_is_away_is_asked_by_a_message(
    connection: NatsConnection, nats_server: NatsForTest
) -> None:
    engine = Engine(RECORD)
    await engine.listen(connection)
    gone = await connect(nats_server.url, name="gone")
    offers = NatsOffers(connection, ResultSource.TOOL, "stop")
    with takes_for(connection, PARTITION + 1, engine.take), takes_for(gone, PARTITION, engine.take):
        await gone.close()
        assert await offers.offer(result())
    assert (engine.here, engine.by_message) == ([], 1)


async def test_an_engine_that_does_not_answer_leaves_it_to_the_worker(connection: NatsConnection) -> None:
    async def never(worker: ResultSource, offered: NewMessage) -> StoredMessage | None:
        await asyncio.Event().wait()
        return None

    offers = NatsOffers(connection, ResultSource.TOOL, "stop")
    with takes_for(connection, PARTITION, never):
        assert not await offers.offer(result())
