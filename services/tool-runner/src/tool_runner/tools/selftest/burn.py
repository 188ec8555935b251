"""`selftest_burn`: real work for a processor."""

import hashlib
import time
from functools import partial
from typing import Annotated

from pydantic import Field

from agent_tools.ports.running import Compute
from agent_tools.tool import PURE, Arguments, Result, tool

_SLICE_MS = 10
_BLOCK = bytes(64 * 1024)


class Burn(Arguments):
    """How much to compute."""

    ms: Annotated[int, Field(ge=0, le=60_000, description="Milliseconds of processor time to use.")]


class Burnt(Result):
    """How often 64 KiB were hashed, and the last hash."""

    rounds: int
    digest: str


@tool("selftest_burn", family="selftest", effect=PURE, timeout_s=120)
async def selftest_burn(args: Burn, compute: Compute) -> Burnt:
    """Hash for a given processor time, however long that takes when the processor is shared."""
    digest, rounds, spent_ms = b"", 0, 0.0
    while spent_ms < args.ms:
        digest, done, took_ms = await compute.run(
            partial(_hash_for, min(args.ms - spent_ms, _SLICE_MS), digest)
        )
        rounds, spent_ms = rounds + done, spent_ms + took_ms
    return Burnt(rounds=rounds, digest=digest.hex())


def _hash_for(milliseconds: float, digest: bytes) -> tuple[bytes, int, float]:
    """Hash on this thread. The last hash, the rounds, and the milliseconds of processor time they took."""
    began, rounds, used = time.thread_time(), 0, 0.0
    while used < milliseconds:
        digest = hashlib.sha256(digest + _BLOCK).digest()
        rounds += 1
        used = (time.thread_time() - began) * 1000
    return digest, rounds, used
