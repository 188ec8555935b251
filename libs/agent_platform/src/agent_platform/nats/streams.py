"""Create the streams and buckets, or bring them up to date. Needs the user `admin`."""

import asyncio
from typing import Any

import structlog

from agent_contracts.errors import Failure, Permanent, Transient
from agent_platform.nats.connection import SLOW_DISK_S, NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError
from agent_platform.nats.stream_configs import StreamSettings, stream_configs

_log = structlog.get_logger(__name__)

_START_PATIENCE_S = 30.0


async def ensure_streams(connection: NatsConnection, settings: StreamSettings) -> None:
    """Create what is missing and update what differs; nothing else is touched. Safe to repeat, by several.

    Waits up to 30 s for JetStream to be ready. Raises `Permanent` for a change that the server can't make.
    """
    await _until_ready(connection)
    await asyncio.gather(*(_ensure_stream(connection, config) for config in stream_configs(settings)))


async def _until_ready(connection: NatsConnection) -> None:
    try:
        async with asyncio.timeout(_START_PATIENCE_S):
            while True:
                try:
                    await connection.api("INFO")
                    return
                except Transient:
                    await asyncio.sleep(0.1)
                except ApiError as error:
                    if error.code < 500:
                        raise error.as_failure("JetStream account") from error
                    await asyncio.sleep(0.1)
    except TimeoutError as error:
        raise Transient(f"JetStream was not ready in {_START_PATIENCE_S:g} s") from error


async def _ensure_stream(connection: NatsConnection, wanted: dict[str, Any]) -> None:
    name = wanted["name"]
    try:
        current = (await connection.api(f"STREAM.INFO.{name}"))["config"]
    except ApiError as error:
        if error.err_code not in NOT_FOUND:
            raise error.as_failure(f"stream {name}") from error
        await _call(connection, f"STREAM.CREATE.{name}", wanted)
        _log.info("stream.created", stream=name)
        return
    if _differs(wanted, current):
        await _call(connection, f"STREAM.UPDATE.{name}", {**current, **wanted})
        _log.info("stream.updated", stream=name)


def _differs(wanted: dict[str, Any], current: dict[str, Any]) -> bool:
    return any(current.get(key) != value for key, value in wanted.items())


async def _call(connection: NatsConnection, name: str, body: dict[str, Any]) -> None:
    try:
        await connection.api(name, body, timeout=SLOW_DISK_S)
    except ApiError as error:
        raise as_failure(error, name) from error


def as_failure(error: ApiError, what: str) -> Failure:
    """Why a change could not be made, and what helps where the server never makes it."""
    failure = error.as_failure(what)
    if isinstance(failure, Permanent):
        failure.add_note("a setting that can't be changed needs a new stream and a copy")
    return failure
