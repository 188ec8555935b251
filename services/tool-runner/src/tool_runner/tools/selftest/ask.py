"""`selftest_ask`: a question that stays open for a given time only."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Pause, tool


class Ask(Arguments):
    """For how long."""

    expires_in_ms: Annotated[int, Field(ge=0, description="Milliseconds until nobody may answer any more.")]


@tool("selftest_ask", family="selftest", effect=Effect.PURE, pauses=True)
async def selftest_ask(args: Ask, ctx: ToolContext) -> Pause:
    """Ask the user whether they are there, and expire if nobody answers in time."""
    show = {"kind": "ask_user", "question": "Are you there?", "options": None}
    return Pause(show, expires_at=ctx.clock.now() + timedelta(milliseconds=args.expires_in_ms))
