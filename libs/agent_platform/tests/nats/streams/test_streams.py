"""Streams and consumers are made, kept and brought up to date."""

import asyncio

import msgspec
import pytest

from agent_contracts.errors import Permanent
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec, advisory_spec
from agent_platform.nats.stream_configs import StreamSettings, stream_configs
from agent_platform.nats.streams import ensure_streams
from agent_platform.services.consuming.ensuring import ensure_consumers

WORK = ConsumerSpec("work", ("ses.*.*.*.in.*",))
TIMED = ConsumerSpec("timed", ("due.*",), stream="TIMER")
SPECS = (WORK, TIMED, advisory_spec(WORK.name))


async def config_of(connection: NatsConnection, stream: str) -> dict[str, object]:
    config: dict[str, object] = (await connection.api(f"STREAM.INFO.{stream}"))["config"]
    return config


async def test_every_stream_is_as_configured(connection: NatsConnection) -> None:
    for wanted in stream_configs(StreamSettings()):
        current = await config_of(connection, wanted["name"])
        assert {key: current.get(key) for key in wanted} == wanted


async def test_the_log_is_what_the_design_says(connection: NatsConnection) -> None:
    log = await config_of(connection, "LOG")
    assert log["storage"] == "file"
    assert not log.get("deny_delete"), "what is erased is overwritten"
    assert log["discard"] == "new"
    assert log["allow_direct"] is True
    assert log["allow_atomic"] is True
    assert log["duplicate_window"] == 3600 * 10**9
    bucket = await config_of(connection, "KV_snapshots")
    assert "subject_delete_marker_ttl" not in bucket


async def test_ensuring_twice_or_at_once_changes_nothing(connection: NatsConnection) -> None:
    before = (await connection.api("STREAM.INFO.LOG"))["created"]
    await asyncio.gather(*(ensure_streams(connection, StreamSettings()) for _ in range(3)))
    await asyncio.gather(*(ensure_consumers(connection, SPECS) for _ in range(3)))
    assert (await connection.api("STREAM.INFO.LOG"))["created"] == before
    names = (await connection.api("CONSUMER.NAMES.LOG"))["consumers"]
    assert names == ["work"]
    assert (await connection.api("CONSUMER.NAMES.ADVISORY"))["consumers"] == ["dead-letters-work"]


async def test_a_changed_setting_is_brought_up_to_date(connection: NatsConnection) -> None:
    await ensure_streams(connection, StreamSettings(advisory_days=7))
    assert (await config_of(connection, "ADVISORY"))["max_age"] == 7 * 86400 * 10**9
    await ensure_consumers(connection, [WORK])
    changed = msgspec.structs.replace(WORK, max_in_flight=17, subjects=("ses.*.*.*.in.>",), max_deliver=9)
    await ensure_consumers(connection, [changed])
    config = (await connection.api("CONSUMER.INFO.LOG.work"))["config"]
    assert (config["max_ack_pending"], config["max_deliver"]) == (17, 9)
    assert config.get("filter_subject") == "ses.*.*.*.in.>" or config["filter_subjects"] == ["ses.*.*.*.in.>"]


async def test_settings_that_we_do_not_name_are_left_as_an_operator_made_them(
    connection: NatsConnection,
) -> None:
    config = await config_of(connection, "DLQ")
    await connection.api("STREAM.UPDATE.DLQ", {**config, "max_bytes": 10_000_000})
    await ensure_streams(connection, StreamSettings(advisory_days=3))
    assert (await config_of(connection, "DLQ"))["max_bytes"] == 10_000_000


async def test_a_change_the_server_cannot_make_says_so(connection: NatsConnection) -> None:
    with pytest.raises(Permanent):
        await ensure_consumers(connection, [msgspec.structs.replace(WORK, stream="NONE")])
