"""Durable consumers as the server keeps them, and how one that it lost is made anew.

Those of the log are kept in memory where one server has the stream: on the disk, each acknowledgement cost it
up to two flushes. Such a consumer is gone after a restart of the server. Whoever finds it gone makes it from
its checkpoint: a sequence up to which everything was acknowledged. Messages after that are delivered again.
"""

from datetime import datetime
from typing import Any

import msgspec
import structlog

from agent_contracts.errors import Permanent
from agent_contracts.log.subjects import CHECKPOINTS_BUCKET, LOG_STREAM
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import SLOW_DISK_S, NatsConnection
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.errors import NOT_FOUND, ApiError

_log = structlog.get_logger(__name__)

_NANOSECONDS = 1_000_000_000
_AGAIN_UNTIL = "foldline-again-until"


class Durable(msgspec.Struct, frozen=True):
    """A consumer that the server has: since when (its clock, ns), up to which sequence it was acknowledged,
    and up to which it may deliver what an earlier one of its name delivered."""

    made_ns: int = 0
    floor: int = 0
    again_until: int = 0


class Checkpoints:
    """How far each consumer of the log is known to be, on the disk. Never further than it is."""

    def __init__(self, connection: NatsConnection) -> None:
        self._bucket = bucket(connection, CHECKPOINTS_BUCKET)

    async def get(self, consumer: str) -> int:
        """0 if nothing is known."""
        found = await self._bucket.get(consumer)
        return 0 if found is None else msgspec.json.decode(found.value, type=int)

    async def put(self, consumer: str, floor: int) -> None:
        """Everything up to `floor` was acknowledged. Of several processes the last to say so counts, though
        another knew more: then more is delivered again."""
        await self._bucket.put(consumer, msgspec.json.encode(floor))


async def find(connection: NatsConnection, spec: ConsumerSpec) -> Durable | None:
    """The consumer as it is; None if the server has none. `Transient` if it doesn't say."""
    info = await _info(connection, spec)
    return None if info is None else _durable(info)


async def find_or_make(connection: NatsConnection, spec: ConsumerSpec) -> Durable:
    """The consumer as it is, made anew if the server has none. Safe for several at once."""
    return await find(connection, spec) or await _make(connection, spec)


async def bring_up_to_date(connection: NatsConnection, spec: ConsumerSpec) -> None:
    """Make the consumer if there is none, and let it be as `spec` says."""
    info = await _info(connection, spec)
    if info is None:
        await _make(connection, spec)
        return
    current, wanted = info["config"], _config(spec)
    if any(current.get(key) != value for key, value in wanted.items()):
        kept = {key: value for key, value in current.items() if key != "filter_subject"}
        await _create(connection, spec, {**kept, **wanted})
        _log.info("consumer.updated", consumer=spec.name)


async def _make(connection: NatsConnection, spec: ConsumerSpec) -> Durable:
    config = {**_config(spec), "deliver_policy": "all"}
    if spec.stream == LOG_STREAM:
        stream = await _stream(connection, spec)
        last, floor = int(stream["state"]["last_seq"]), await Checkpoints(connection).get(spec.name)
        if floor > last:  # the log was cut: it may have got other messages under these numbers
            _log.warning("checkpoint.beyond_the_log", consumer=spec.name, checkpoint=floor, last=last)
            floor = 0
        if floor:
            config |= {"deliver_policy": "by_start_sequence", "opt_start_seq": floor + 1}
        config |= {
            "mem_storage": stream["config"]["num_replicas"] == 1,
            "metadata": {_AGAIN_UNTIL: str(last)},
        }
    try:
        await _create(connection, spec, config)
        _log.info("consumer.created", consumer=spec.name, after=config.get("opt_start_seq", 1) - 1)
    except ApiError as error:
        made = await find(connection, spec)  # by another one, from another checkpoint
        if made is None:
            raise error.as_failure(f"consumer {spec.name}") from error
        return made
    found = await find(connection, spec)
    if found is None:
        raise Permanent(f"consumer {spec.name} was made, and is not there", kind="consumer_gone")
    return found


def _config(spec: ConsumerSpec) -> dict[str, Any]:
    return {
        "durable_name": spec.name,
        "name": spec.name,
        "ack_policy": "explicit",
        "filter_subjects": sorted(spec.subjects),
        "ack_wait": int(spec.ack_wait_s * _NANOSECONDS),
        "max_deliver": spec.max_deliver,
        "max_ack_pending": spec.max_in_flight,
    }


async def _create(connection: NatsConnection, spec: ConsumerSpec, config: dict[str, Any]) -> None:
    body = {"stream_name": spec.stream, "config": config}
    await connection.api(f"CONSUMER.CREATE.{spec.stream}.{spec.name}", body, timeout=SLOW_DISK_S)


async def _info(connection: NatsConnection, spec: ConsumerSpec) -> dict[str, Any] | None:
    try:
        info = await connection.api(f"CONSUMER.INFO.{spec.stream}.{spec.name}")
    except ApiError as error:
        if error.err_code in NOT_FOUND:
            return None
        raise error.as_failure(f"consumer {spec.name}") from error
    config = info["config"]
    config["filter_subjects"] = sorted(config.get("filter_subjects") or [config.get("filter_subject", "")])
    return info


async def _stream(connection: NatsConnection, spec: ConsumerSpec) -> dict[str, Any]:
    try:
        return await connection.api(f"STREAM.INFO.{spec.stream}")
    except ApiError as error:
        raise error.as_failure(f"stream {spec.stream}") from error


def _durable(info: dict[str, Any]) -> Durable:
    metadata = info["config"].get("metadata") or {}
    return Durable(
        made_ns=_nanoseconds(info["created"]),
        floor=int(info["ack_floor"]["stream_seq"]),
        again_until=int(metadata.get(_AGAIN_UNTIL, 0)),
    )


def _nanoseconds(moment: str) -> int:
    """Exact: two consumers made within one microsecond are two."""
    whole, _, rest = moment.rstrip("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * _NANOSECONDS + int(rest[:9].ljust(9, "0"))
