"""`selftest_big`: a result as large as asked for."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import PURE, Arguments, Result, tool


class Big(Arguments):
    """How large."""

    bytes: Annotated[int, Field(ge=0, le=50_000_000, description="How long the text of the result is.")]


class Filler(Result):
    """Digits, so that a place in the text can be told."""

    text: str


@tool("selftest_big", family="selftest", effect=PURE)
async def selftest_big(args: Big) -> Filler:
    """Return a text of so many ASCII characters."""
    return Filler(text=("0123456789" * (args.bytes // 10 + 1))[: args.bytes])
