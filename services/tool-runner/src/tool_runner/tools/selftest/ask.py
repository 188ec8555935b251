"""`selftest_ask`: a question that stays open for a given time only."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from agent_platform.process.clock import Clock
from agent_tools.tool import PURE, Arguments, Pause, tool


class Ask(Arguments):
    """For how long."""

    expires_in_ms: Annotated[int, Field(ge=0, description="Milliseconds until nobody may answer any more.")]


@tool("selftest_ask", family="selftest", effect=PURE, pauses=True)
async def selftest_ask(args: Ask, clock: Clock) -> Pause:
    """Ask the user whether they are there, and expire if nobody answers in time."""
    show = {"kind": "ask_user", "question": "Are you there?", "options": None}
    return Pause(show, expires_at=clock.now() + timedelta(milliseconds=args.expires_in_ms))
