"""Telling every process that something was erased, and waiting until each has let go of its copies.

Each says at once that it is at it, and then that it is done: so those who take long are waited for, without a
list of who runs.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.log.subjects import ALL_ERASED, erased_subject, forgetting_subject
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.nats.connection import NatsConnection

HEARS_S = 1.0
"""Within this, every process that lives says that it heard."""
FORGETS_S = 60.0

log = structlog.get_logger()


class ErasureProgress(msgspec.Struct, frozen=True):
    """A process says what it is at; `who` is its service, `process` one of its processes."""

    who: str
    process: str
    done: bool = False
    problem: str = ""


async def forget_everywhere(connection: NatsConnection, names: Sequence[str]) -> list[str]:
    """Tell all processes that these sessions and agents were erased, and wait until they hold nothing of
    them; which services said no end within a minute, or why they couldn't."""
    begun: set[tuple[str, str, str]] = set()
    ended: set[tuple[str, str, str]] = set()
    problems: list[str] = []
    heard = asyncio.Event()

    def hears(name: str) -> Callable[[Msg], Awaitable[None]]:
        async def hear(message: Msg) -> None:
            said = msgspec.json.decode(message.data, type=ErasureProgress)
            one = (name, said.who, said.process)
            begun.add(one)
            if said.done:
                ended.add(one)
                if said.problem:
                    problems.append(f"{said.who}: {said.problem}")
            heard.set()

        return hear

    subscriptions = []
    try:
        for name in names:
            subscriptions.append(await connection.subscribe(forgetting_subject(name), hears(name)))
            await connection.publish(erased_subject(name), b"")
        await asyncio.sleep(HEARS_S)
        try:
            async with asyncio.timeout(FORGETS_S):
                while begun - ended:
                    heard.clear()
                    if begun - ended:
                        await heard.wait()
        except TimeoutError:
            problems += [f"{who}: it said no end" for _, who, _ in sorted(begun - ended)]
    finally:
        for subscription in subscriptions:
            await connection.unsubscribe(subscription)
    return sorted(set(problems))


async def on_erased(connection: NatsConnection, who: str, forget: Callable[[str], Awaitable[None]]) -> None:
    """Have `forget` let go of all that this process holds of a session or an agent, whenever one is erased,
    and say so to those who wait for it."""
    me = secrets.token_hex(6)

    async def erased(message: Msg) -> None:
        name = message.subject.rpartition(".")[2]

        async def say(*, done: bool = False, problem: str = "") -> None:
            said = ErasureProgress(who, me, done, problem)
            await connection.publish(forgetting_subject(name), msgspec.json.encode(said))

        await say()
        problem = ""
        try:
            await forget(name)
        except Exception as error:
            log.exception("erased.not_forgotten", name=name)
            problem = f"{type(error).__name__}: {error}"
        await say(done=True, problem=problem)

    await connection.subscribe(ALL_ERASED, erased)


async def blobs_of(connection: NatsConnection, who: str) -> JetStreamBlobs:
    """The blobs of a process. What it remembers to have stored is forgotten whenever something is erased."""
    blobs = JetStreamBlobs(connection)

    async def forget(_: str) -> None:
        blobs.forget_stored()

    await on_erased(connection, who, forget)
    return blobs
