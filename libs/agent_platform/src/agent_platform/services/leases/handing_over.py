"""Work that another process does, since it holds the lease: a request over core NATS, answered when it is
done, with signs of life until then. Meanwhile a message stays in the hands of the one that pulled it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import Answering, ask_patiently

AGAIN_S = 0.2
"""How long one waits before the lease is looked at again."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of what was handed over. `returned`: the one who was asked doesn't hold the lease, or was
    stopped. `failed`: as the failure says that the rest tells."""

    state: Literal["handled", "returned", "failed"]
    answer: bytes = b""
    kind: str = ""
    message: str = ""
    retry_after: float | None = None


RETURNED = Outcome("returned")
_BUG = Outcome("failed", kind="internal", message="the process that was asked failed; its log says why")


async def hand_over(connection: Connection, subject: str, work: bytes) -> Outcome:
    """What became of it there. `Transient` if the holder is gone, or fell silent."""
    outcome = msgspec.msgpack.decode(await ask_patiently(connection, subject, work), type=Outcome)
    if outcome.state == "returned":
        await asyncio.sleep(AGAIN_S)
    return outcome


def taking_over(
    connection: Connection, subject: str, done: Callable[[bytes], Awaitable[Outcome]]
) -> Answering:
    """Whoever does what others hand over on `subject`. `done` may raise a `Failure`: whoever handed it over
    is told."""

    async def answered(question: bytes) -> bytes:
        try:
            outcome = await done(question)
        except Failure as failure:
            kind = "permanent" if isinstance(failure, Permanent | Rejected) else failure.kind
            later = failure.retry_after if isinstance(failure, Transient) else None
            outcome = Outcome("failed", kind=kind, message=failure.message, retry_after=later)
        return msgspec.msgpack.encode(outcome)

    failed, stopped = msgspec.msgpack.encode(_BUG), msgspec.msgpack.encode(RETURNED)
    return Answering(connection, subject, "", answered, failed=failed, stopped=stopped)


def failure_of(outcome: Outcome) -> Failure:
    """What a failed one raises."""
    if outcome.kind == "permanent":
        return Permanent(outcome.message)
    return Transient(outcome.message, kind=outcome.kind, retry_after=outcome.retry_after)
