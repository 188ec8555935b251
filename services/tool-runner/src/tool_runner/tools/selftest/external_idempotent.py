"""`selftest_external_idempotent`: acts with a key by which its target knows a repeat."""

import asyncio
from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Result, tool
from tool_runner.tools.selftest.acting import act


class ActWithKey(Arguments):
    """How to act."""

    before_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait before it acts.")] = 0
    after_ms: Annotated[int, Field(ge=0, description="Milliseconds to wait after it acted.")] = 0


class ActedWithKey(Result):
    """Where it acted, and with which key."""

    target: str
    key: str


@tool("selftest_external_idempotent", family="selftest", effect=Effect.EXTERNAL_IDEMPOTENT, timeout_s=20)
async def selftest_external_idempotent(args: ActWithKey, ctx: ToolContext) -> ActedWithKey:
    """Act on a target that takes an idempotency key: leave a line "key attempt", the key also as a header."""
    await asyncio.sleep(args.before_ms / 1000)
    key = ctx.idempotency_key
    target = await act(f"{key} {ctx.attempt}", {"Idempotency-Key": key})
    await asyncio.sleep(args.after_ms / 1000)
    return ActedWithKey(target=target, key=key)
