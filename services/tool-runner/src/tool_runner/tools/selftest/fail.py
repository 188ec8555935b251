"""`selftest_fail`: fails in every way a tool can."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_tools.tool import PURE, Arguments, Result, tool


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
