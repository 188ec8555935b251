"""Checks of a running Foldline: gateway, streams, consumers, projections, holes in the log, clock."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx
import msgspec
import psycopg

from agent_contracts.entities.notifications import CHANNELS, STATUSES, ChannelStatus
from agent_contracts.errors import Failure, Transient
from agent_contracts.log import subjects
from agent_domain.chats.book import ChatBook, full_channels
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.probing import StorageProbe
from agent_platform.log.sealing.checking import backup_brings, loss_by_reading, read_record
from agent_platform.log.sealing.record import Record
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock
from agent_platform.secrecy.failure_text import failure_of
from agent_platform.services.discovery import consumers_of_later_services
from egress.proxies.clients import async_gateway_client
from foldline.administrator import connect_as_admin
from foldline.doctor.finding import Check, Finding, findings_of, ok, problem, warning
from foldline.doctor.foreign_servers import foreign_servers
from foldline.doctor.stores import blobs, stores, timers
from foldline.settings import UpSettings
from foldline.supervisor.announcement import Announcement, read_announcement
from projections.checkpoint import Checkpoint, read_checkpoint
from projections.connecting import connected
from projections.schema import CONSUMER, SCHEMA

_LAG_EVENTS = 1_000
_CLOCK_S = 5
_MOVES_S = 3.0
"""Projections that are behind, and don't move for so many seconds, stand still."""


async def running(settings: UpSettings) -> list[Finding]:
    """All checks that need a running Foldline; one finding that says so if there is none."""
    said = read_announcement(settings.data_dir)
    if said is None:
        return [warning("running", f"no Foldline runs on {settings.data_dir}", "foldline up, then ask again")]
    checks: dict[str, Check] = {
        "gateway": partial(_gateway, said),
        "NATS": partial(_nats, settings, said),
        "projections": partial(_projections, settings, said),
    }
    return await findings_of(checks)


async def _gateway(said: Announcement) -> Finding:
    try:
        async with async_gateway_client(said.url, {}, 5) as client:
            answer = await client.get("/readyz")
    except httpx.TransportError as error:
        return problem("gateway", f"no answer from {said.url}: {failure_of(error)}", "foldline up")
    if answer.status_code != 200:
        return problem("gateway", f"{said.url} is not ready: {_not_ready(answer)}", "see its log")
    return ok("gateway", f"{said.url} is ready")


def _not_ready(answer: httpx.Response) -> str:
    """What its failing checks say."""
    try:
        told = answer.json()["checks"]
    except (ValueError, LookupError, TypeError):
        return f"it answered with {answer.status_code}"
    return "; ".join(f"{name}: {said}" for name, said in told.items() if said != "ok")


async def _nats(settings: UpSettings, said: Announcement) -> list[Finding]:
    try:
        admin = await connect_as_admin(settings, said.nats_url, "doctor")
    except Failure as failure:
        return [
            problem("NATS", failure.message, "foldline up; its log is nats/nats.log in the data directory")
        ]
    try:
        checks: dict[str, Check] = {
            "storage": partial(_storage, admin, said),
            "log": partial(_log, admin),
            "blobs": partial(blobs, admin),
            "stores": partial(stores, admin),
            "timers": partial(timers, admin),
            "backup": partial(_backup, admin),
            "consumers": partial(_consumers, admin),
            "dead letters": partial(_dead_letters, admin),
            "notifications": partial(_notifications, admin),
            "chats": partial(chats, ChatBook(bucket(admin, subjects.CHATS_BUCKET), SystemClock())),
            "MCP servers": partial(foreign_servers, Entities(JetStreamLog(admin), SystemClock(), "doctor")),
            "clock": partial(_clock, admin),
        }
        return await findings_of(checks)
    finally:
        await admin.close()


async def chats(book: ChatBook) -> Finding:
    """Channels by which people write from other programs."""
    channels = await book.channels()
    wrong = [f"{one.name}: {one.problem}" for one in channels if one.problem is not None]
    if wrong:
        to_do = (
            "if a setting is missing or wrong, correct it and restart Foldline, which reads settings at its "
            "start. If the other program doesn't answer, it is asked again automatically"
        )
        return problem("chats", "; ".join(wrong), to_do)
    full = full_channels(await book.partners())
    if full:
        return warning("chats", "; ".join(full), "foldline chats, then foldline chats allow or remove")
    told = [one.name if one.heard else f"{one.name} (not heard from since the start)" for one in channels]
    return ok("chats", ", ".join(told) or "no channel is installed")


async def _storage(admin: NatsConnection, said: Announcement) -> Finding:
    """By the server's own word, and by storing something."""
    if said.nats_monitor_url is not None:
        admin.monitored_at(said.nats_monitor_url)
    try:
        await StorageProbe(admin, "doctor").check()
    except Transient as failure:
        return problem(
            "storage",
            failure.message,
            "make room on the disk of the log. An embedded NATS is then started again by itself; one of your "
            "own stores nothing until you restart it",
        )
    return ok("storage", "NATS is well, and stored what it was given")


async def _info(admin: NatsConnection, stream: str) -> dict[str, Any]:
    return await admin.api(f"STREAM.INFO.{stream}")


async def _log(admin: NatsConnection) -> Finding:
    """Reads all of it."""
    record = await read_record(admin) or Record({})
    loss = await loss_by_reading(admin)
    if loss:
        return problem(
            "log",
            f"damaged. {loss}. {backup_brings(record)}",
            "restore a backup into an empty data directory: foldline restore. To go on without what is "
            "missing: stop it, then foldline up --accept-loss",
        )
    state = (await _info(admin, subjects.LOG_STREAM))["state"]
    removed = record.removed.count
    besides = f", without {removed} that were erased or given up" if removed else ""
    return ok("log", f"{state['messages']} events, all there and as they were sealed{besides}")


async def _backup(admin: NatsConnection) -> Finding:
    record = await read_record(admin)
    if record is None or record.backup is None:
        return warning("backup", "none was made here", "foldline backup FOLDER, on another disk")
    return ok("backup", backup_brings(record))


async def _consumers(admin: NatsConnection) -> list[Finding]:
    listed = await admin.api(f"CONSUMER.LIST.{subjects.LOG_STREAM}")
    found = []
    for consumer in listed.get("consumers") or []:
        if not consumer["config"].get("durable_name"):
            continue
        name, waiting, in_hand = consumer["name"], consumer["num_pending"], consumer["num_ack_pending"]
        text = f"{waiting} waiting, {in_hand} in hand, {consumer['num_redelivered']} redelivered"
        pulled = bool(consumer.get("num_waiting"))
        if not pulled and not in_hand and name in consumers_of_later_services():
            found.append(ok(f"consumer {name}", f"{text}; its service starts when it is first needed"))
        elif waiting > _LAG_EVENTS:
            found.append(warning(f"consumer {name}", text, f"start more: foldline serve … for {name}"))
        elif waiting and not pulled:
            found.append(
                warning(f"consumer {name}", f"{text}; nobody pulls", f"is the service of {name} running?")
            )
        else:
            found.append(ok(f"consumer {name}", text))
    return found


async def _dead_letters(admin: NatsConnection) -> Finding:
    letters = (await _info(admin, subjects.DLQ_STREAM))["state"]["messages"]
    if letters:
        return warning("dead letters", f"{letters} messages could not be handled", "read them: foldline dlq")
    return ok("dead letters", "none")


async def _notifications(admin: NatsConnection) -> Finding:
    """How the channels do by which people are told; needs no key."""
    found = await bucket(admin, subjects.NOTIFICATIONS_BUCKET).list()
    channels = [key.partition(".")[2] for key in found if key.startswith(f"{CHANNELS}.")]
    failed = {}
    for name in channels:
        entry = found.get(f"{STATUSES}.{name}")
        status = msgspec.json.decode(entry.value, type=ChannelStatus) if entry else ChannelStatus()
        if status.error is not None:
            failed[name] = status.error
    if failed:
        text = "; ".join(f"{name}: {error}" for name, error in sorted(failed.items()))
        return warning("notifications", text, "foldline notifications, then foldline notifications test NAME")
    return ok(
        "notifications", f"{len(channels)} channels, none in trouble" if channels else "no channel is set"
    )


async def _clock(admin: NatsConnection) -> Finding:
    server = (await admin.api("STREAM.INFO.LOG")).get("ts", "")
    moment = datetime.fromisoformat(server[:19] + "+00:00") if server else None
    apart = abs((datetime.now(UTC) - moment).total_seconds()) if moment else 0.0
    if apart > _CLOCK_S:
        return warning("clock", f"NATS's clock is {apart:.0f} s apart", "synchronise the clocks (NTP)")
    return ok("clock", "agrees with NATS's")


async def _projections(settings: UpSettings, said: Announcement) -> Finding:
    try:
        newest = await _newest(settings, said)
        found = await _checkpoint(said)
        if found is not None and newest is not None and found.sequence < newest:
            await asyncio.sleep(_MOVES_S)
            before, found = found, await _checkpoint(said) or found
            if found.sequence < newest:
                return _behind(found, newest, moves=found.sequence > before.sequence)
    except psycopg.Error as error:
        return problem("projections", str(error).strip(), "is Postgres up? Its log is in the data directory")
    if found is None:
        return problem("projections", "there are none yet", "is the projector running? See its log")
    return ok("projections", f"up to event {found.sequence}")


def _behind(found: Checkpoint, newest: int, *, moves: bool) -> Finding:
    text = f"at event {found.sequence}, and the log is at {newest}: lists are older than the chats"
    if moves:
        return warning("projections", text, "they are catching up: look again in a minute")
    return problem(
        "projections",
        f"{text}. They have not moved since {found.updated_at:%H:%M:%S} UTC",
        "does the projector answer? See foldline top. If it hangs, kill -9 its process: foldline up starts "
        "it again. Nothing is lost",
    )


async def _newest(settings: UpSettings, said: Announcement) -> int | None:
    """Where the log ends; None if NATS can't be asked, which another check says."""
    try:
        admin = await connect_as_admin(settings, said.nats_url, "doctor")
    except Failure:
        return None
    try:
        return await JetStreamLog(admin).last_sequence()
    except Failure:
        return None
    finally:
        await admin.close()


async def _checkpoint(said: Announcement) -> Checkpoint | None:
    async with connected(said.postgres_dsn, connect_timeout=5) as connection:
        return await read_checkpoint(connection, SCHEMA, CONSUMER)
