"""What every `Log` does, in memory and on JetStream alike."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import pytest

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.log.direct import DirectReader
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from foldline_testing.agent_platform.eventually import until

SESSION = "ses.a.1.s.>"


def message(subject: str, body: str = "x", message_id: str | None = None) -> NewMessage:
    return NewMessage(subject, body.encode(), {"Nats-Msg-Id": message_id} if message_id else {"kept": "yes"})


async def stored(log: Log, subject: str, **bounds: int) -> list[tuple[int, str]]:
    return [(m.sequence, m.data.decode()) async for m in log.read(subject, **bounds)]


async def append_many(log: Log, messages: list[NewMessage]) -> None:
    """Append them a few hundred at a time, each with an id.

    An append waits 2 s for its answer from the moment it is asked for, and one without an id is not
    repeated. Of thousands that are asked for at once, a busy machine answers the last ones later than that.
    """
    for first in range(0, len(messages), 250):
        await asyncio.gather(*(log.append(one) for one in messages[first : first + 250]))


async def take(log: Log, subjects: list[str], after: int, count: int) -> list[StoredMessage]:
    found: list[StoredMessage] = []
    async with asyncio.timeout(60), aclosing(log.tail(subjects, after=after)) as messages:
        async for one in messages:
            found.append(one)
            if len(found) == count:
                break
    return found


async def test_sequences_count_from_one_over_all_subjects(log: Log) -> None:
    assert await log.last_sequence() == 0
    assert [await log.append(message(f"ses.a.1.s.in.{n}")) for n in range(3)] == [1, 2, 3]
    assert await log.last_sequence() == 3


async def test_a_message_is_read_back_as_it_was_written(log: Log) -> None:
    written = NewMessage("agt.a.state.k", "héllo ∀".encode(), {"Nats-Msg-Id": "m1", "ce-type": "t.v1"})
    sequence = await log.append(written)
    expected = StoredMessage(sequence, written.subject, written.data, dict(written.headers))
    assert await log.get(sequence) == expected
    assert await log.last(written.subject) == expected
    assert [m async for m in log.read("agt.>")] == [expected]
    assert await log.last_of_each("agt.a.*.*") == [expected]
    assert await take(log, ["agt.>"], 0, 1) == [expected]


async def test_nothing_is_found_where_nothing_is(log: Log) -> None:
    assert await log.get(1) is None
    assert await log.last("ses.a.1.s.in.x") is None
    assert await stored(log, "ses.>") == []
    assert await log.last_of_each("agt.>") == []
    await log.append(message("ses.a.1.s.in.x"))
    assert await log.get(2) is None
    assert await stored(log, "ses.b.>") == []
    assert await stored(log, "ses.>", after=1) == []
    assert await log.last_of_each("agt.>") == []


async def test_an_append_that_expects_the_last_sequence_of_its_whole_session_succeeds(log: Log) -> None:
    await log.append(message("ses.b.2.other.in.x"))
    first = await log.append(message("ses.a.1.s.in.x"), Expect(SESSION, 0))
    await log.append(message("ses.b.2.other.in.y"))
    assert await log.append(message("ses.a.1.s.ev.y"), Expect(SESSION, first)) == 4


async def test_an_append_that_missed_a_message_of_its_session_conflicts(log: Log) -> None:
    await log.append(message("ses.a.1.s.in.x"))
    await log.append(message("ses.a.1.s.in.y"))
    with pytest.raises(Conflict):
        await log.append(message("ses.a.1.s.ev.z", message_id="z"), Expect(SESSION, 1))
    with pytest.raises(Conflict):
        await log.append(message("ses.a.1.s.result"), Expect(SESSION, 0))
    assert await log.last_sequence() == 2


async def test_only_one_result_of_a_call_is_ever_accepted(log: Log) -> None:
    subject = "ses.a.1.s.result"
    results = await asyncio.gather(
        *(log.append(message(subject, message_id=f"r{n}"), Expect(subject, 0)) for n in range(8)),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 7 + ["int"]


async def test_a_repeat_of_the_same_message_is_stored_once(log: Log) -> None:
    once = message("ses.a.1.s.in.x", message_id="m1")
    assert await log.append(once) == 1
    assert await log.append(once) == 1
    assert await log.last_sequence() == 1


async def test_a_repeat_whose_expectation_is_stale_counts_as_success(log: Log) -> None:
    decision = message("ses.a.1.s.ev.x", message_id="m1")
    await log.append(decision, Expect(SESSION, 0))
    assert await log.append(decision, Expect(SESSION, 0)) == 1


async def test_a_repeat_is_recognised_behind_other_messages_of_the_session(log: Log) -> None:
    decision = message("ses.a.1.s.ev.x", message_id="m1")
    await log.append(decision, Expect(SESSION, 0))
    await log.append(message("ses.a.1.s.in.user_message"))
    await log.append(message("ses.a.1.s.ev.x", message_id="m2"))
    assert await log.append(decision, Expect(SESSION, 0)) == 1


async def test_read_is_bounded_on_both_sides(log: Log) -> None:
    for n in range(1, 7):
        await log.append(message(f"ses.a.1.s.in.{'odd' if n % 2 else 'even'}", str(n)))
    assert await stored(log, "ses.>", after=1, up_to=4) == [(2, "2"), (3, "3"), (4, "4")]
    assert await stored(log, "ses.a.1.s.in.odd", after=1) == [(3, "3"), (5, "5")]
    assert await stored(log, "ses.a.1.s.in.odd", up_to=4) == [(1, "1"), (3, "3")]


async def test_read_returns_all_of_many(log: Log) -> None:
    await append_many(log, [message("ses.a.1.s.in.x", str(n), f"m{n}") for n in range(2300)])
    assert [sequence for sequence, _ in await stored(log, "ses.>")] == list(range(1, 2301))


async def test_the_last_of_each_subject_as_of_a_sequence(log: Log) -> None:
    for n, name in enumerate(["x", "y", "x", "z", "y"], 1):
        await log.append(message(f"agt.a.tool.{name}", str(n)))
    await log.append(message("agt.b.tool.x", "other"))

    async def at(up_to: int | None) -> list[str]:
        return [m.data.decode() for m in await log.last_of_each("agt.a.tool.*", up_to=up_to)]

    assert await at(None) == ["3", "4", "5"]
    assert await at(5) == ["3", "4", "5"]
    assert await at(3) == ["2", "3"]
    assert await at(1) == ["1"]
    assert await at(0) == []


async def test_pages_of_the_last_of_each_are_of_one_moment(connection: NatsConnection) -> None:
    log, direct = JetStreamLog(connection), DirectReader(connection, LOG_STREAM, page_messages=2)
    for name in "abcde":
        await log.append(message(f"agt.a.file.{name}", "before"))

    class WrittenMeanwhile:
        """A connection on which all is written anew after the first page."""

        def __getattr__(self, name: str) -> Any:
            return getattr(connection, name)

        async def request_all(self, subject: str, data: bytes, **options: Any) -> Any:
            found = await connection.request_all(subject, data, **options)
            if b"up_to_seq" not in data:
                for name in "abcde":
                    await log.append(message(f"agt.a.file.{name}", "after"))
            return found

    direct._connection = cast(NatsConnection, WrittenMeanwhile())
    assert [one.data for one in await direct.last_of_each("agt.a.file.*")] == [b"before"] * 5


async def test_no_more_is_asked_for_than_can_be_wanted(connection: NatsConnection) -> None:
    log = JetStreamLog(connection)
    await append_many(log, [message("ses.a.1.s.in.x", message_id=f"m{number}") for number in range(600)])
    before = connection.client.stats["in_msgs"]
    assert len(await stored(log, SESSION, after=100, up_to=300)) == 200
    assert connection.client.stats["in_msgs"] - before == 200 + 2  # and the end of each page


async def test_the_last_of_each_subject_of_those_that_changed_since(log: Log) -> None:
    for n, name in enumerate(["x", "y", "x", "z", "y"], 1):
        await log.append(message(f"agt.a.tool.{name}", str(n)))

    async def since(after: int, up_to: int | None = None) -> list[str]:
        found = await log.last_of_each("agt.a.tool.*", "agt.a.none.*", after=after, up_to=up_to)
        return [m.data.decode() for m in found]

    assert await since(0) == ["3", "4", "5"]
    assert await since(3) == ["4", "5"]
    assert await since(2, up_to=4) == ["3", "4"]
    assert await since(4, up_to=4) == await since(5) == await since(99) == []


async def test_the_last_of_each_of_several_subjects_in_one_request(log: Log) -> None:
    for n, name in enumerate(["x", "y", "x", "z", "y"], 1):
        await log.append(message(f"agt.a.tool.{name}", str(n)))

    async def at(*subjects: str, up_to: int | None = None) -> list[str]:
        return [m.data.decode() for m in await log.last_of_each(*subjects, up_to=up_to)]

    assert await at("agt.a.tool.y", "agt.a.tool.x") == ["3", "5"]
    assert await at("agt.a.tool.y", "agt.a.tool.x", up_to=2) == ["1", "2"]
    assert await at("agt.a.tool.z", "agt.a.tool.none", up_to=4) == ["4"]
    assert await at("agt.a.tool.none", "agt.b.>") == []


async def test_the_last_of_each_of_more_subjects_than_one_request_may_name(log: Log) -> None:
    names = [f"agt.a.file.f{n}" for n in range(2500)]
    await append_many(log, [message(name, name, name) for name in names])
    await log.append(message("agt.a.file.f7", "new"))
    found = await log.last_of_each("agt.a.file.*")
    assert len(found) == 2500
    assert found[-1].data == b"new"
    assert [m.sequence for m in found] == sorted(m.sequence for m in found)
    assert len(await log.last_of_each("agt.a.file.*", up_to=1200)) == 1200
    assert [m.sequence for m in await log.last_of_each("agt.a.file.*", after=2499)] == [2500, 2501]


async def test_a_tail_begins_with_what_is_stored_and_goes_on_with_what_comes(log: Log) -> None:
    for n in range(3):
        await log.append(message("ses.a.1.s.in.x", str(n)))
    seen: list[int] = []

    async def follow() -> None:
        async with aclosing(log.tail(["ses.>"], after=1)) as tail:
            async for one in tail:
                seen.append(one.sequence)
                if len(seen) == 4:
                    return

    following = asyncio.create_task(follow())
    await until(lambda: len(seen) == 2)
    for n in range(3, 5):
        await log.append(message("ses.a.1.s.in.x", str(n)))
    await following
    assert seen == [2, 3, 4, 5]


async def test_a_tail_of_several_patterns_sees_each_match_once_in_order(log: Log) -> None:
    for subject in ["ses.a.1.s.in.x", "agt.a.state.k", "ses.b.2.t.in.x", "ses.a.1.s.ev.y", "agt.b.state.k"]:
        await log.append(message(subject))
    found = await take(log, ["ses.a.>", "agt.>"], 0, 4)
    assert [m.sequence for m in found] == [1, 2, 4, 5]


async def test_a_batch_is_stored_as_a_whole(log: Log) -> None:
    await log.append(message("ses.a.1.parent.in.x"))
    batch = [message("ses.a.1.parent.ev.fork", "1", "f1"), message("ses.a.2.child.in.created", "2", "f2")]
    expects = [Expect("ses.a.1.parent.>", 1), Expect("ses.a.2.child.>", 0)]
    assert await log.append_together(batch, expects) == 3
    assert await stored(log, "ses.>", after=1) == [(2, "1"), (3, "2")]


async def test_a_batch_with_one_wrong_expectation_leaves_nothing(log: Log) -> None:
    await log.append(message("ses.a.2.child.in.x"))
    batch = [message("ses.a.1.parent.ev.fork", "1", "f1"), message("ses.a.2.child.in.created", "2", "f2")]
    with pytest.raises(Conflict):
        await log.append_together(batch, [Expect("ses.a.1.parent.>", 0), Expect("ses.a.2.child.>", 0)])
    assert await log.last_sequence() == 1
    assert await log.append_together(batch, [Expect("ses.a.1.parent.>", 0), None]) == 3


@pytest.mark.parametrize("wrong", [0, 3, 99])
async def test_a_long_batch_is_all_or_nothing_wherever_it_is_refused(log: Log, wrong: int) -> None:
    batch = [message(f"agt.a.state.k{n}", str(n), f"f{n}") for n in range(100)]
    await log.append(message(f"agt.a.state.k{wrong}"))
    with pytest.raises(Conflict):
        await log.append_together(batch, [Expect(one.subject, 0) for one in batch])
    assert await log.last_sequence() == 1
    free = [*batch[:wrong], *batch[wrong + 1 :]]
    assert await log.append_together(free, [Expect(one.subject, 0) for one in free]) == 100
    assert [body for _, body in await stored(log, ">", after=1)] == [one.data.decode() for one in free]


async def test_a_repeated_batch_is_stored_once(log: Log) -> None:
    batch = [message("ses.a.1.parent.ev.fork", "1", "f1"), message("ses.a.2.child.in.created", "2", "f2")]
    expects = [Expect("ses.a.1.parent.>", 0), Expect("ses.a.2.child.>", 0)]
    assert await log.append_together(batch, expects) == 2
    assert await log.append_together(batch, expects) == 2
    assert await log.append_together(batch, [None, None]) == 2
    assert await log.last_sequence() == 2


async def test_a_message_too_large_for_the_server_is_rejected(log: Log) -> None:
    with pytest.raises(Rejected) as caught:
        await log.append(NewMessage("ses.a.1.s.in.x", b"x" * (9 * 1024 * 1024), {"Nats-Msg-Id": "m"}))
    assert caught.value.kind == "too_large"
    assert await log.append(NewMessage("ses.a.1.s.in.x", b"x" * (5 * 1024 * 1024), {"Nats-Msg-Id": "m"})) == 1
