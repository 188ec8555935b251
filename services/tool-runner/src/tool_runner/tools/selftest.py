"""tests"""

import asyncio
import hashlib
import os
import time
from datetime import timedelta
from functools import partial
from typing import Annotated, Literal

import httpx
from pydantic import Field

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_platform.process.clock import Clock
from agent_platform.settings.loading import load_settings
from agent_tools.context import CallContext
from agent_tools.ports.running import Compute
from agent_tools.tool import EXTERNAL, EXTERNAL_IDEMPOTENT, PURE, Arguments, Pause, Result, tool
from egress.proxies.clients import outward_client
from egress.proxies.proxies import DIRECTLY
from tool_runner.settings import SelftestSettings


async def act(line: str, headers: dict[str, str] | None = None) -> str:
    """Leave one line at the target of the settings, and return where. One write, so lines never mix.

    Raises `Rejected(kind="blocked")` where no target is set, `Transient(kind="upstream")` where it fails.
    """
    settings = load_settings(SelftestSettings).settings
    if settings.selftest_url is not None:
        try:
            async with outward_client(DIRECTLY, 10) as client:
                answer = await client.post(settings.selftest_url, content=line.encode(), headers=headers)
                answer.raise_for_status()
        except httpx.HTTPError as error:
            raise Transient(f"{settings.selftest_url}: {error}", kind="upstream") from error
        return settings.selftest_url
    if settings.selftest_file is not None:
        target = os.open(settings.selftest_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(target, f"{line}\n".encode())
            os.fsync(target)
        finally:
            os.close(target)
        return str(settings.selftest_file)
    raise Rejected("set FOLDLINE_SELFTEST_FILE or FOLDLINE_SELFTEST_URL", kind="blocked")


class SelftestQuestion(Arguments):
    """For how long."""

    expires_in_ms: Annotated[int, Field(ge=0, description="Milliseconds until nobody may answer any more.")]


@tool("selftest_ask", family="selftest", effect=PURE, pauses=True)
async def selftest_ask(args: SelftestQuestion, clock: Clock) -> Pause:
    """Ask the user whether they are there, and expire if nobody answers in time."""
    show = {"kind": "ask_user", "question": "Are you there?", "options": None}
    return Pause(show, expires_at=clock.now() + timedelta(milliseconds=args.expires_in_ms))


class LargeResult(Arguments):
    """How large."""

    bytes: Annotated[int, Field(ge=0, le=50_000_000, description="How long the text of the result is.")]


class Filler(Result):
    """Digits, so that a place in the text can be told."""

    text: str


@tool("selftest_big", family="selftest", effect=PURE)
async def selftest_big(args: LargeResult) -> Filler:
    """Return a text of so many ASCII characters."""
    return Filler(text=("0123456789" * (args.bytes // 10 + 1))[: args.bytes])


_SLICE_MS = 10
_BLOCK = bytes(64 * 1024)


class Burn(Arguments):
    """How much to compute."""

    ms: Annotated[int, Field(ge=0, le=60_000, description="Milliseconds of processor time to use.")]


class BurnResult(Result):
    """How often 64 KiB were hashed, and the last hash."""

    rounds: int
    digest: str


@tool("selftest_burn", family="selftest", effect=PURE, timeout_s=120)
async def selftest_burn(args: Burn, compute: Compute) -> BurnResult:
    """Hash for a given processor time, however long that takes when the processor is shared."""
    digest, rounds, spent_ms = b"", 0, 0.0
    while spent_ms < args.ms:
        digest, done, took_ms = await compute.run(
            partial(_hash_for, min(args.ms - spent_ms, _SLICE_MS), digest)
        )
        rounds, spent_ms = rounds + done, spent_ms + took_ms
    return BurnResult(rounds=rounds, digest=digest.hex())


def _hash_for(milliseconds: float, digest: bytes) -> tuple[bytes, int, float]:
    """Hash on this thread. The last hash, the rounds, and the milliseconds of processor time they took."""
    began, rounds, used = time.thread_time(), 0, 0.0
    while used < milliseconds:
        digest = hashlib.sha256(digest + _BLOCK).digest()
        rounds += 1
        used = (time.thread_time() - began) * 1000
    return digest, rounds, used


class Fail(Arguments):
    """How to fail."""

    how: Annotated[
        Literal["rejected", "transient", "permanent", "bug"],
        Field(description="Which of the three failures to raise; a bug is anything else."),
    ]
    kind: Annotated[str | None, Field(description="The failure's kind; its class's own if left out.")] = None
    message: Annotated[str, Field(description="The failure's words.")] = "asked to fail"
    retry_after_ms: Annotated[
        int | None,
        Field(ge=0, description="When a transient one is tried again."),
    ] = None


class NeverReturned(Result):
    """There is no result."""


@tool("selftest_fail", family="selftest", effect=PURE)
async def selftest_fail(args: Fail) -> NeverReturned:
    """Fail as told."""
    match args.how:
        case "rejected":
            raise Rejected(args.message, kind=args.kind or "rejected")
        case "transient":
            retry_after = None if args.retry_after_ms is None else args.retry_after_ms / 1000
            raise Transient(args.message, kind=args.kind or "unavailable", retry_after=retry_after)
        case "permanent":
            raise Permanent(args.message, kind=args.kind or "permanent")
        case "bug":
            raise RuntimeError(args.message)


class Sleep(Arguments):
    """How long."""

    ms: Annotated[int, Field(ge=0, description="Milliseconds to sleep.")]


class SleepResult(Result):
    """At which attempt it came to its end."""

    attempt: int


@tool("selftest_sleep", family="selftest", effect=PURE, timeout_s=10)
async def selftest_sleep(args: Sleep, call: CallContext) -> SleepResult:
    """Do nothing for a while; stopped after 10 seconds."""
    await asyncio.sleep(args.ms / 1000)
    return SleepResult(attempt=call.attempt)


class SelftestAct(Arguments):
    """How to act."""

    note: Annotated[str, Field(max_length=200, pattern=r"^[^\r\n]*$", description="A last word.")] = ""
    before_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait before it acts.")] = 0
    after_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait after it acted.")] = 0


class SelftestActResult(Result):
    """Where it acted."""

    target: str


@tool("selftest_external", family="selftest", effect=EXTERNAL, timeout_s=20)
async def selftest_external(args: SelftestAct, call: CallContext) -> SelftestActResult:
    """Act once on the outside world: leave a line "session call attempt pid note" where tests count."""
    await asyncio.sleep(args.before_ms / 1000)
    target = await act(f"{call.session_id} {call.call_id} {call.attempt} {os.getpid()} {args.note}".rstrip())
    await asyncio.sleep(args.after_ms / 1000)
    return SelftestActResult(target=target)


class ActWithKey(Arguments):
    """How to act."""

    before_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait before it acts.")] = 0
    after_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait after it acted.")] = 0


class ActedWithKey(Result):
    """Where it acted, and with which key."""

    target: str
    key: str


@tool("selftest_external_idempotent", family="selftest", effect=EXTERNAL_IDEMPOTENT, timeout_s=20)
async def selftest_external_idempotent(args: ActWithKey, call: CallContext) -> ActedWithKey:
    """Act on a target that takes an idempotency key: leave a line "key attempt", the key also as a header."""
    await asyncio.sleep(args.before_ms / 1000)
    key = call.idempotency_key
    target = await act(f"{key} {call.attempt}", {"Idempotency-Key": key})
    await asyncio.sleep(args.after_ms / 1000)
    return ActedWithKey(target=target, key=key)
