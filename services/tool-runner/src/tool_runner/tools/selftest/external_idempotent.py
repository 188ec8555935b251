"""`selftest_external_idempotent`: acts with a key by which its target knows a repeat."""

import asyncio
from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.tool import EXTERNAL_IDEMPOTENT, Arguments, Result, tool
from tool_runner.tools.selftest.acting import act


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
