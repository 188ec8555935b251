"""Each user may do its work, and nothing else."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agent_contracts.blob_ref import sha256_of
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import ENGINES_PRESENT, engine_subject
from agent_contracts.tool_spec import Catalogue
from agent_domain.catalog import Catalog
from agent_platform.log.blobs.jetstream import SMALL, JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.errors import PermissionDenied
from agent_platform.nats.users import (
    ADMIN,
    WAKE_USERS_FILE,
    authorization_text,
    nats_users,
    password_variable,
)
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.discovery import discover, rights_of
from agent_platform.services.embedded.nats_server import find_nats_server
from agent_platform.services.service import ServiceRuntime
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_platform.servers import NatsForTest
from tool_runner.service import TOOL_CALLS

SERVICES = discover()
RIGHTS = rights_of(SERVICES)
USERS = sorted(RIGHTS)
KINDS = {
    "decision": "ses.a.1.s.ev.turn_started",
    "input": "ses.a.1.s.in.user_message",
    "wake": "ses.a.1.s.in.woken",
    "claim": "ses.a.1.s.claim",
    "result": "ses.a.1.s.result",
    "entity": "agt.a.prompt.main",
    "database": "agt.a.db",
}
MAY_APPEND = {
    "engine": {"decision", "input", "wake", "result", "claim", "entity", "database"},  # it completes rewinds
    "model": {"result"},
    "projector": set(),
    "runner": {"claim", "result", "entity", "database"},
    "gateway": {"input", "wake", "entity"},
    "browser": {"claim", "result"},
    "notifier": set(),
    "scheduler": {"input", "wake"},
    "workspace": {"claim", "result"},
    "mcp": {"claim", "result"},
}


@pytest.fixture
async def nats(nats_servers: StartNats) -> AsyncIterator[NatsForTest]:
    """A server with every user, and all streams."""
    nats = nats_servers(nats_users(RIGHTS, {name: f"pw-{name}" for name in (ADMIN, *RIGHTS)}))
    admin = await connect(nats.url_for(ADMIN), name="admin")
    await prepare(admin, SERVICES)
    yield nats
    await admin.close()


@contextlib.asynccontextmanager
async def connected(nats: NatsForTest, user: str) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats.url_for(user), name=user)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.mark.parametrize("user", USERS)
async def test_a_user_may_append_what_it_is_there_for_and_is_told_of_the_rest(
    nats: NatsForTest, user: str
) -> None:
    async with connected(nats, user) as connection:
        log = JetStreamLog(connection, timeout_s=3600.0, patience_s=3600.0)  # who waits for it never ends
        for kind, subject in KINDS.items():
            message = NewMessage(subject, b"{}", {"Nats-Msg-Id": f"{user}-{kind}"})
            if kind in MAY_APPEND[user]:
                assert await log.append(message) > 0
                continue
            with pytest.raises(PermissionDenied) as caught:
                await log.append(message)
            assert user in caught.value.message
            assert subject in caught.value.message


async def test_an_engine_writes_what_rewinds_take_back_and_no_secret(nats: NatsForTest) -> None:
    async with connected(nats, "engine") as connection:
        log = JetStreamLog(connection, timeout_s=3600.0, patience_s=3600.0)
        assert await log.append(NewMessage("agt.a.policy.policy", b"{}", {"Nats-Msg-Id": "p"})) > 0
        for kind in ("secret", "agent", "erased", "call"):
            with pytest.raises(PermissionDenied):
                await log.append(NewMessage(f"agt.a.{kind}.x", b"{}", {"Nats-Msg-Id": kind}))


@pytest.mark.parametrize("user", USERS)
async def test_no_service_may_change_streams_delete_or_read_others_inboxes(
    nats: NatsForTest, user: str
) -> None:
    async with connected(nats, user) as connection:
        refused = ["STREAM.DELETE.LOG", "STREAM.UPDATE.LOG", "CONSUMER.DELETE.LOG.engine"]
        if user != "projector":  # it erases deleted chats, and NATS can't bound a purge to those (ADR 0077)
            refused.append("STREAM.PURGE.LOG")
        for name in refused:
            with pytest.raises(PermissionDenied):
                await connection.api(name, {})
        heard: list[str] = []

        async def hear(message: object) -> None:
            heard.append(str(message))

        await connection.subscribe("_INBOX.other.>", hear)
        async with connected(nats, ADMIN) as admin:
            await admin.publish("_INBOX.other.x", b"secret")
            await admin.flush()
        await connection.flush()
        assert heard == []


async def test_only_who_needs_secrets_reads_them(nats: NatsForTest) -> None:
    async with connected(nats, "gateway") as connection:
        await bucket(connection, "secrets").put("key", b"encrypted")
    for user in ("projector", "engine"):
        async with connected(nats, user) as connection:
            with pytest.raises(PermissionDenied):
                await bucket(connection, "secrets").get("key")
    async with connected(nats, "model") as connection:  # models' keys, which people set
        assert await bucket(connection, "secrets").get("key")
        with pytest.raises(PermissionDenied):
            await bucket(connection, "secrets").put("key", b"another")


@pytest.mark.parametrize("user", USERS)
async def test_every_service_reads_the_log(nats: NatsForTest, user: str) -> None:
    async with connected(nats, ADMIN) as connection:
        await JetStreamLog(connection).append(NewMessage("ses.a.1.s.in.x", b"{}", {}))
    async with connected(nats, user) as connection:
        log = JetStreamLog(connection)
        assert [m.sequence async for m in log.read("ses.>")] == [1]
        assert len(await log.last_of_each("ses.>")) == 1
        assert await log.last_sequence() == 1


@pytest.mark.parametrize("user", ["engine", "projector", "gateway"])
async def test_who_follows_the_log_may(nats: NatsForTest, user: str) -> None:
    async with connected(nats, ADMIN) as connection:
        await JetStreamLog(connection).append(NewMessage("ses.a.1.s.in.x", b"{}", {}))
    async with connected(nats, user) as connection, asyncio.timeout(60):
        tail = JetStreamLog(connection).tail(["ses.>"], after=0)
        assert (await anext(tail)).sequence == 1
        await tail.aclose()


@pytest.mark.parametrize("user", ["model", "runner", "gateway"])
async def test_who_stores_blobs_may(nats: NatsForTest, user: str) -> None:
    async with connected(nats, user) as connection:
        blobs = JetStreamBlobs(connection)
        for data in (user.encode(), user.encode() * SMALL):
            await blobs.put(data)
            assert await blobs.get(sha256_of(data)) == data


async def test_runners_publish_the_catalogue_that_model_callers_watch(nats: NatsForTest) -> None:
    async with connected(nats, "runner") as runner, connected(nats, "model") as model, asyncio.timeout(60):
        watched = Catalog(bucket(model, "catalog")).watch()
        assert await anext(watched) == {}
        await Catalog(bucket(runner, "catalog")).put(Catalogue("core", "1", []))
        assert set(await anext(watched)) == {"core"}
        await watched.aclose()


async def test_engines_hear_each_other_and_hand_over_what_no_other_service_may(nats: NatsForTest) -> None:
    async with (
        connected(nats, "engine") as one,
        connected(nats, "engine") as two,
        connected(nats, "gateway") as gateway,
    ):

        async def answer(handed: object) -> None:
            await handed.respond(b"handled")  # type: ignore[attr-defined]

        await two.subscribe(engine_subject("two"), answer)
        await two.flush()
        assert (await one.request(engine_subject("two"), b"?")).data == b"handled"
        for subject in (engine_subject("two"), ENGINES_PRESENT):
            with pytest.raises(PermissionDenied):
                await gateway.request(subject, b"forged")


async def test_the_engine_answers_questions(nats: NatsForTest) -> None:
    async with connected(nats, "engine") as engine, connected(nats, "gateway") as gateway:

        async def answer(question: object) -> None:
            await question.respond(b"state")  # type: ignore[attr-defined]

        await engine.subscribe("qry.session.state", answer, queue="engine")
        await engine.flush()
        assert (await gateway.request("qry.session.state", b"?")).data == b"state"


@pytest.mark.parametrize("user", USERS)
async def test_only_the_engine_sets_timers(nats: NatsForTest, user: str) -> None:
    async with connected(nats, user) as connection:
        timers = JetStreamLog(connection, stream="TIMER")
        message = NewMessage("timer.t", b"{}", {})
        if user == "engine":
            assert await timers.append(message) == 1
        else:
            with pytest.raises(PermissionDenied):
                await timers.append(message)
        with pytest.raises(PermissionDenied):
            await timers.append(NewMessage("due.t", b"{}", {}))


async def test_deltas_and_cancellations_reach_who_listens(nats: NatsForTest) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: object) -> None:
        heard.put_nowait(message.subject)  # type: ignore[attr-defined]

    async with (
        connected(nats, "gateway") as gateway,
        connected(nats, "model") as model,
        connected(nats, "engine") as engine,
        connected(nats, "runner") as runner,
    ):
        await gateway.subscribe("live.>", hear)
        await runner.subscribe("live.cancel.*", hear)
        await gateway.flush()
        await runner.flush()
        await model.publish("live.a.1.s.delta", b"Hel")
        await model.flush()
        await engine.publish("live.cancel.s", b"")
        async with asyncio.timeout(60):
            subjects = [await heard.get() for _ in range(3)]
    assert sorted(subjects) == ["live.a.1.s.delta", "live.cancel.s", "live.cancel.s"]


@pytest.fixture
def tracing() -> Iterator[Tracing]:
    tracing = Tracing("test")
    yield tracing
    tracing.close()


async def test_a_runner_works_on_its_consumer(nats: NatsForTest, tracing: Tracing) -> None:
    request = "ses.a.1.s.ev.tool_call_requested.tools"
    handled = asyncio.Event()
    async with connected(nats, "engine") as engine, connected(nats, "runner") as runner:
        log = JetStreamLog(runner)

        async def handle(delivery: Delivery) -> None:
            subject = "ses.a.1.s.result"
            await log.append(NewMessage(subject, b"{}", {"Nats-Msg-Id": "r1"}), Expect(subject, 0))
            handled.set()

        async def never(message: StoredMessage, reason: str) -> None:
            pytest.fail(reason)

        service = ServiceRuntime(runner, HealthChecks(), Metrics(), tracing)
        consumer = JetStreamConsumer(service, TOOL_CALLS, handle, never)
        task = asyncio.create_task(consumer.run())
        await JetStreamLog(engine).append(NewMessage(request, b"{}", {"Nats-Msg-Id": "d1"}))
        async with asyncio.timeout(60):
            await handled.wait()
            while (await consumer.lag()).in_flight:  # noqa: ASYNC110 (another process's state)
                await asyncio.sleep(0.02)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_the_text_for_deployments_has_every_user_and_no_password() -> None:
    text = authorization_text(RIGHTS)
    for user in (ADMIN, *RIGHTS):
        assert f'user: "{user}", password: ${password_variable(user)}' in text


async def test_the_server_accepts_the_text_for_deployments(tmp_path: Path) -> None:
    config = tmp_path / "nats.conf"
    config.write_text(authorization_text(RIGHTS))
    (tmp_path / WAKE_USERS_FILE).write_text("users: []")
    passwords = {password_variable(user): f"pw-{user}" for user in (ADMIN, *RIGHTS)}
    for environment, expected in (({**os.environ, **passwords}, 0), (dict(os.environ), 1)):
        process = await asyncio.create_subprocess_exec(
            find_nats_server(),
            "-t",
            "-c",
            str(config),
            env=environment,
            stderr=asyncio.subprocess.PIPE,
        )
        _, errors = await process.communicate()
        assert process.returncode == expected, errors.decode()
