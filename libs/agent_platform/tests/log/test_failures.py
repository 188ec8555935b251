"""What goes wrong between us and the server, and what the log makes of it."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.log.record.records import Expect, NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection, Request, connect
from agent_platform.nats.errors import PermissionDenied
from agent_platform.observing.metrics import Metrics
from foldline_testing.agent_platform.eventually import eventually, until
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest

SESSION = "ses.a.1.s.>"


def message(subject: str, message_id: str | None, body: str = "x") -> NewMessage:
    return NewMessage(subject, body.encode(), {"Nats-Msg-Id": message_id} if message_id else {})


class LosesAnswers:
    """A connection on which the next `lose` answers to requests on a subject get lost, after a hook ran."""

    def __init__(self, connection: NatsConnection, subject: str, lose: int) -> None:
        self._connection = connection
        self._subject = subject
        self.lose = lose
        self.requests = 0
        self.meanwhile: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def request(self, subject: str, data: bytes = b"", **options: Any) -> Any:
        answer = await self._connection.request(subject, data, **options)
        await self._lose_some(subject)
        return answer

    async def request_in_turn(self, requests: Sequence[Request], **options: Any) -> Any:
        answers = await self._connection.request_in_turn(requests, **options)
        for one in requests:
            await self._lose_some(one.subject)
        return answers

    async def _lose_some(self, subject: str) -> None:
        if subject == self._subject:
            self.requests += 1
            if self.lose > 0:
                self.lose -= 1
                if self.meanwhile:
                    await self.meanwhile()
                raise Transient("the answer got lost", kind="timeout")


class ForgetsABatch:
    """A connection to a server that once is restarted after the first message of a batch."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection
        self.forgotten = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def request_in_turn(self, requests: Sequence[Request], **options: Any) -> Any:
        if not self.forgotten:
            self.forgotten += 1
            requests = requests[1:]
        return await self._connection.request_in_turn(requests, **options)


def lossy(connection: NatsConnection, subject: str, lose: int = 1) -> tuple[JetStreamLog, LosesAnswers]:
    losing = LosesAnswers(connection, subject, lose)
    return JetStreamLog(losing), losing  # type: ignore[arg-type]


async def test_an_append_whose_answer_got_lost_succeeds_and_is_stored_once(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    log, losing = lossy(connection, "ses.a.1.s.ev.x", lose=2)
    assert await log.append(message("ses.a.1.s.ev.x", "m1"), Expect(SESSION, 0)) == 1
    assert losing.requests == 3
    assert await jetstream.last_sequence() == 1


async def test_what_comes_next_in_a_session_needs_no_id_to_be_stored_once(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    first = await jetstream.append(message("ses.a.1.s.in.x", "first"))
    log, losing = lossy(connection, "ses.a.1.s.ev.x", lose=2)
    sequence = await log.append(message("ses.a.1.s.ev.x", None), Expect(SESSION, first))
    assert losing.requests == 3
    assert [one.sequence async for one in jetstream.records(SESSION)] == [first, sequence]
    with pytest.raises(Conflict):  # another one of the same expectation is not taken for it
        await log.append(message("ses.a.1.s.ev.x", None, "y"), Expect(SESSION, first))


@pytest.mark.parametrize("follower", ["ses.a.1.s.in.user_message", "ses.a.1.s.ev.x"])
async def test_a_lost_answer_is_made_good_though_others_wrote_to_the_session_meanwhile(
    connection: NatsConnection, jetstream: JetStreamLog, follower: str
) -> None:
    log, losing = lossy(connection, "ses.a.1.s.ev.x")

    async def another_writes() -> None:
        await jetstream.append(message(follower, "other"))

    losing.meanwhile = another_writes
    assert await log.append(message("ses.a.1.s.ev.x", "m1"), Expect(SESSION, 0)) == 1
    assert await jetstream.last_sequence() == 2


async def test_a_true_conflict_after_a_lost_answer_is_a_conflict(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    await jetstream.append(message("ses.a.1.s.ev.x", "theirs"))
    log, _ = lossy(connection, "ses.a.1.s.ev.x")
    with pytest.raises(Conflict):
        await log.append(message("ses.a.1.s.ev.x", "ours"), Expect(SESSION, 0))


async def test_appends_are_timed_and_conflicts_counted(connection: NatsConnection) -> None:
    metrics = Metrics()
    log = JetStreamLog(connection, metrics=metrics)
    await log.append(message("ses.a.1.s.ev.x", "m1"), Expect(SESSION, 0))
    with pytest.raises(Conflict):
        await log.append(message("ses.a.1.s.ev.x", "m2"), Expect(SESSION, 0))
    text = metrics.render().decode()
    assert "foldline_log_append_seconds_count 1.0" in text, "a conflict writes nothing"
    assert "foldline_log_conflicts_total 1.0" in text


async def test_a_batch_whose_answer_got_lost_succeeds_and_is_stored_once(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    log, losing = lossy(connection, "ses.a.2.c.in.created")
    batch = [message("ses.a.1.s.ev.fork_made", "f1"), message("ses.a.2.c.in.created", "f2")]
    assert await log.append_together(batch, [Expect(SESSION, 0), Expect("ses.a.2.c.>", 0)]) == 2
    assert losing.requests == 2
    assert await jetstream.last_sequence() == 2


async def test_a_batch_whose_beginning_the_server_has_forgotten_is_sent_again(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    restarted = ForgetsABatch(connection)
    log = JetStreamLog(restarted)  # type: ignore[arg-type]
    batch = [message("ses.a.1.s.ev.fork_made", "f1"), message("ses.a.2.c.in.created", "f2")]
    assert await log.append_together(batch, [Expect(SESSION, 0), Expect("ses.a.2.c.>", 0)]) == 2
    assert restarted.forgotten == 1
    assert await jetstream.last_sequence() == 2


async def test_a_message_without_an_id_is_sent_only_once(connection: NatsConnection) -> None:
    log, losing = lossy(connection, "ses.a.1.s.in.x")
    with pytest.raises(Transient):
        await log.append(message("ses.a.1.s.in.x", None))
    assert losing.requests == 1


@pytest.mark.faults
async def test_an_append_outlives_a_killed_and_restarted_server(
    jetstream: JetStreamLog, nats_server: NatsForTest
) -> None:
    for n in range(3):
        nats_server.kill()
        appending = asyncio.create_task(
            jetstream.append(message("ses.a.1.s.in.x", f"m{n}"), Expect(SESSION, n))
        )
        await asyncio.sleep(0)
        await nats_server.embedded().start()
        assert await appending == n + 1
    assert await jetstream.last_sequence() == 3


async def test_with_no_server_an_append_is_transient_when_patience_ends(
    connection: NatsConnection, nats_server: NatsForTest
) -> None:
    impatient = JetStreamLog(connection, timeout_s=0.2, patience_s=0.5)
    nats_server.kill()
    with pytest.raises(Transient):
        await impatient.append(message("ses.a.1.s.in.x", "m1"))


async def test_a_subject_that_belongs_to_no_stream_is_transient_not_silent(
    connection: NatsConnection,
) -> None:
    log = JetStreamLog(connection, patience_s=0.2)
    with pytest.raises(Transient) as caught:
        await log.append(message("nowhere.x", "m1"))
    assert caught.value.kind == "no_responders"


async def test_a_subject_that_is_none_is_rejected(jetstream: JetStreamLog) -> None:
    for bad in ("ses.a b", "", "ses.a\r\nPUB x 0"):
        with pytest.raises(Rejected):
            await jetstream.append(message(bad, "m1"))


async def test_a_lost_message_leaves_a_hole_that_readers_see(
    log: Log, request: pytest.FixtureRequest
) -> None:
    """The log doesn't paper over it: a sequence is missing, and `prev` of the next names it."""
    for n in range(3):
        await log.append(message("ses.a.1.s.in.x", f"m{n}"))
    await log.append(message("ses.a.1.s.result", "m3"))
    if isinstance(log, MemoryLog):
        log.lose(2)
    else:
        connection: NatsConnection = request.getfixturevalue("connection")
        await connection.api("STREAM.PURGE.LOG", {"filter": "ses.a.1.s.in.x", "keep": 1})
    remaining = [m.sequence async for m in log.read("ses.>")]
    assert remaining in ([1, 3, 4], [3, 4])
    assert await log.get(2) is None
    async with asyncio.timeout(60), aclosing(log.tail(["ses.>"], after=0)) as tail:
        assert [(await anext(tail)).sequence for _ in remaining] == remaining
    assert await log.append(message("ses.a.1.s.in.x", "m4"), Expect(SESSION, 4)) == 5


@pytest.mark.faults
async def test_a_tail_survives_killed_servers_without_gap_or_repeat(
    jetstream: JetStreamLog, nats_server: NatsForTest
) -> None:
    seen: list[int] = []

    async def follow() -> None:
        async for one in jetstream.tail(["ses.>"], after=0):
            seen.append(one.sequence)

    following = asyncio.create_task(follow())
    written = 0
    for _ in range(3):
        for _ in range(40):
            written = await jetstream.append(message("ses.a.1.s.in.x", f"m{written}"))
        nats_server.kill()
        await nats_server.embedded().start()
    written = await jetstream.append(message("ses.a.1.s.in.x", "last"))

    async def all_seen() -> bool | None:
        return len(seen) >= written or None

    await eventually(all_seen)
    following.cancel()
    assert seen == list(range(1, written + 1))


async def test_a_tail_whose_consumer_the_server_forgot_goes_on(
    connection: NatsConnection, jetstream: JetStreamLog
) -> None:
    async with asyncio.timeout(30), aclosing(jetstream.tail(["ses.>"], after=0)) as tail:
        await jetstream.append(message("ses.a.1.s.in.x", "m1"))
        assert (await anext(tail)).sequence == 1
        names = (await connection.api("CONSUMER.NAMES.LOG"))["consumers"]
        for name in names:
            await connection.api(f"CONSUMER.DELETE.LOG.{name}")
        await jetstream.append(message("ses.a.1.s.in.x", "m2"))
        assert (await anext(tail)).sequence == 2


async def test_a_slow_reader_holds_back_the_server_and_misses_nothing(jetstream: JetStreamLog) -> None:
    await asyncio.gather(*(jetstream.append(message("ses.a.1.s.in.x", f"m{n}")) for n in range(1500)))
    seen: list[int] = []
    async with asyncio.timeout(60), aclosing(jetstream.tail(["ses.>"], after=0)) as tail:
        async for one in tail:
            seen.append(one.sequence)
            if one.sequence % 100 == 0:
                await asyncio.sleep(0.01)  # sleeps: work
            if one.sequence == 1500:
                break
    assert seen == list(range(1, 1501))


async def test_a_tail_ends_when_the_connection_is_closed_and_does_not_spin(nats_server: NatsForTest) -> None:
    before = asyncio.all_tasks()
    own = await connect(nats_server.url, name="short-lived")
    await own.api("STREAM.CREATE.LOG", {"name": "LOG", "subjects": ["ses.>"], "allow_direct": True})
    log, read = JetStreamLog(own), asyncio.Event()

    async def follow() -> list[int]:
        found = []
        async for one in log.tail(["ses.>"], after=0):
            found.append(one.sequence)
            read.set()
        return found

    following = asyncio.create_task(follow())
    await log.append(message("ses.a.1.s.in.x", "m1"))
    await asyncio.wait_for(read.wait(), 60)
    await own.close()
    assert await asyncio.wait_for(following, 60) == [1]
    with pytest.raises(Transient):
        await log.append(message("ses.a.1.s.in.x", "m2"))
    await until(lambda: asyncio.all_tasks() <= before)  # nothing of it is left that could spin


async def test_a_wrong_password_is_refused_at_once(nats_server: NatsForTest) -> None:
    with pytest.raises(Rejected) as caught:
        await connect(f"nats://nobody:wrong@127.0.0.1:{nats_server.port}", name="test")
    assert caught.value.kind == "unauthorized"


async def test_a_server_that_is_not_there_is_transient() -> None:
    with pytest.raises(Transient, match=r"127\.0\.0\.1:1"):
        await connect("nats://u:p@127.0.0.1:1", name="test", timeout=0.3)


def test_what_may_not_be_written_says_who_may_not_write_where() -> None:
    denied = PermissionDenied("runner", "publish to", "ses.a.1.s.ev.x")
    assert "'runner' may not publish to 'ses.a.1.s.ev.x'" in denied.message
