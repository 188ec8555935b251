"""What is stored beside the log is either made again without anybody's doing, or missed when it is gone."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import (
    BUDGETS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    WAKE_STREAM,
)
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.overwriting import overwrite, write_anew
from agent_platform.log.sealing.stores import (
    COMES_AGAIN,
    KEYS,
    REACH,
    forget_keys,
    lost_of_stores,
    note_stores,
)
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings, stream_configs
from agent_platform.nats.streams import ensure_streams
from foldline_testing.agent_platform.servers import NatsForTest

SECRETS = f"KV_{SECRETS_BUCKET}"


@pytest.fixture
async def admin(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        yield admin
    finally:
        await admin.close()


def test_each_stream_either_comes_again_or_is_missed() -> None:
    said = [*KEYS, *REACH, *COMES_AGAIN]
    assert sorted(said) == sorted(one["name"] for one in stream_configs(StreamSettings()))


async def lost(admin: NatsConnection) -> list[str]:
    return [str(one) for one in await lost_of_stores(admin)]


async def test_a_key_that_is_gone_is_missed_and_one_that_was_deleted_is_not(admin: NatsConnection) -> None:
    secrets = bucket(admin, SECRETS_BUCKET)
    for key in ("a.KEPT", "a.DELETED", "a.LOST"):
        await secrets.put(key, b"sealed")
    assert await note_stores(admin) == []
    await secrets.delete("a.DELETED")
    assert await lost(admin) == []
    await overwrite(admin, SECRETS, f"$KV.{SECRETS_BUCKET}.a.LOST")
    assert await lost(admin) == [f"{SECRETS} lacks a.LOST"]
    await secrets.put("a.LATER", b"sealed")
    assert [str(one) for one in await note_stores(admin)] == [f"{SECRETS} lacks a.LOST"]
    assert await lost(admin) == [f"{SECRETS} lacks a.LOST"], "what is noted later doesn't forget it"
    await secrets.put("a.LOST", b"set again")
    assert await lost(admin) == []


async def test_a_stream_that_was_emptied_is_missed_until_that_is_accepted(admin: NatsConnection) -> None:
    log = JetStreamLog(admin, stream=WAKE_STREAM)
    await log.append(NewMessage("wake.a.s", b"{}", {MESSAGE_ID: "1"}))
    await bucket(admin, SECRETS_BUCKET).put("a.KEY", b"sealed")
    await note_stores(admin)
    for stream in (WAKE_STREAM, SECRETS, TIMER_STREAM):  # the last had nothing to lose
        await admin.api(f"STREAM.DELETE.{stream}")
    await ensure_streams(admin, StreamSettings())
    missed = {f"{SECRETS} lacks a.KEY", f"{WAKE_STREAM} was emptied or cut: it had reached 1"}
    assert {*await lost(admin)} == missed
    await log.append(NewMessage("wake.a.s", b"{}", {MESSAGE_ID: "2"}))
    assert {str(one) for one in await note_stores(admin, accept=True)} == missed
    assert await lost(admin) == []


async def test_what_is_taken_out_on_purpose_is_not_missed(admin: NatsConnection) -> None:
    secrets, budgets = bucket(admin, SECRETS_BUCKET), bucket(admin, BUDGETS_BUCKET)
    for key in ("a.ONE", "a.TWO", "ab.OTHER"):
        await secrets.put(key, b"sealed")
    for key in ("pace.a", "pace.ab"):
        await budgets.put(key, b"1")
    await note_stores(admin)
    await forget_keys(admin, SECRETS_BUCKET, "a")
    await forget_keys(admin, BUDGETS_BUCKET, "pace.a")
    for name, subject in ((SECRETS_BUCKET, "a.>"), (BUDGETS_BUCKET, "pace.a")):
        await overwrite(admin, f"KV_{name}", f"$KV.{name}.{subject}")
    assert await lost(admin) == []
    await overwrite(admin, SECRETS, f"$KV.{SECRETS_BUCKET}.>")
    assert await lost(admin) == [f"{SECRETS} lacks ab.OTHER"]


async def test_what_is_written_anew_ends_when_it_was_to_end_and_stays_deleted(admin: NatsConnection) -> None:
    kept = bucket(admin, SNAPSHOTS_BUCKET)
    log = JetStreamLog(admin, stream=f"KV_{SNAPSHOTS_BUCKET}")
    await kept.put("a.LASTS", b"1")
    await kept.put("a.ENDS", b"2", ttl_s=1_000)
    await kept.put("a.DELETED", b"3")
    await kept.delete("a.DELETED")

    async def stored() -> dict[str, tuple[int, bytes, str | None, str | None]]:
        found = await log.last_of_each(f"$KV.{SNAPSHOTS_BUCKET}.a.>")
        return {
            one.subject.rpartition(".")[2]: (
                one.sequence,
                one.data,
                one.headers.get("Nats-TTL"),
                one.headers.get("KV-Operation"),
            )
            for one in found
        }

    before = await stored()
    await write_anew(admin, SNAPSHOTS_BUCKET)
    after = await stored()
    assert {name: one[1:] for name, one in after.items()} == {name: one[1:] for name, one in before.items()}
    assert min(one[0] for one in after.values()) > max(one[0] for one in before.values())
    assert (after["ENDS"][2], after["DELETED"][3]) == ("1000s", "DEL")
