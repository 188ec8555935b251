"""A server that asks a person in the middle of its calls, by the newer protocol and the older: for a form,
for an address to be opened, again and again, for nothing, or for what it may not have."""

import asyncio
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field

ADDRESS = "https://pay.example.org/one?for=trip"


class Trip(BaseModel):
    """What is asked for."""

    city: str = Field(title="City", min_length=2)
    nights: int = Field(ge=1, le=30)
    pets: bool = False


def where() -> Elicit[Trip]:
    """Ask for it."""
    return Elicit("Where to?\u200b And how long?", Trip)


KNOWN = RequestStateSecurity(keys=[b"k" * 32])
"""By which the server knows its own state, also after it was started anew."""


def asker(security: RequestStateSecurity = KNOWN) -> tuple[MCPServer, list[str]]:
    """The server, and what it did."""
    server = MCPServer("asker", version="1", request_state_security=security)
    done: list[str] = []

    @server.tool()
    async def book(purpose: str, trip: Annotated[Trip, Resolve(where)]) -> str:
        """Book a trip."""
        done.append(f"{purpose}: {trip.city} {trip.nights} {trip.pets}")
        return done[-1]

    @server.tool()
    async def ask(ctx: Context, times: int = 1) -> str | InputRequiredResult:
        """Ask so many times."""
        if _modern(ctx):
            asked = int(ctx.request_state or 0) + (1 if ctx.input_responses else 0)
            if asked < times:
                return _wanted({f"q{asked}": _form(f"Number {asked}?")}, state=str(asked))
        else:
            for number in range(times):
                answer = await ctx.request_context.session.elicit_form(
                    f"Number {number}?", _form("").params.requested_schema
                )
                if answer.action != "accept":
                    return f"{answer.action} {number}"
        done.append(f"asked {times}")
        return done[-1]

    @server.tool()
    async def visit(ctx: Context, url: str = ADDRESS) -> str | InputRequiredResult:
        """Have an address opened."""
        if not _modern(ctx):
            told = await ctx.elicit_url("Pay for it.", url, "e1")
            return str(told.action)
        if not ctx.input_responses:
            params = ElicitRequestURLParams(message="Pay for it.", url=url)
            return _wanted({"pay": ElicitRequest(params=params)}, state="unpaid")
        answer = ctx.input_responses["pay"]
        assert isinstance(answer, ElicitResult)
        return answer.action

    @server.tool()
    async def sample(ctx: Context) -> str | InputRequiredResult:
        """Ask a model of the client's."""
        messages = [SamplingMessage(role="user", content=TextContent(text="hi"))]
        if not _modern(ctx):
            await ctx.request_context.session.create_message(messages, max_tokens=10)
            return "sampled"
        params = CreateMessageRequestParams(messages=messages, max_tokens=10)
        return _wanted({"s": CreateMessageRequest(params=params)})

    @server.tool()
    async def later(ctx: Context) -> str | InputRequiredResult:
        """Want more time, twice."""
        waited = int(ctx.request_state or 0)
        if _modern(ctx) and waited < 2:
            return InputRequiredResult(request_state=str(waited + 1))
        return f"waited {waited}"

    @server.tool()
    async def plain(seconds: float = 0) -> str:
        """Ask nothing."""
        await asyncio.sleep(seconds)
        done.append("plain")
        return "plain"

    return server, done


def _modern(ctx: Any) -> bool:
    return ctx.request_context.protocol_version in MODERN_PROTOCOL_VERSIONS


def _form(message: str) -> Any:
    schema = {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _wanted(requests: dict[str, Any], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=requests, request_state=state)


if __name__ == "__main__":
    asker()[0].run("stdio")
