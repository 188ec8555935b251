"""A server that asks a person in the middle of its calls, by the newer protocol and the older: for a form,
for an address to be opened, again and again, for nothing, or for what it may not have."""

import asyncio
from typing import Annotated, Any

from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    Tool,
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
    async def ask_together(ctx: Context) -> str | InputRequiredResult:
        """Ask for a name, for another, and for an address to be opened, at once."""
        one, other = _form("Your name?"), _form("Your dog's?")
        paid = ElicitRequest(params=ElicitRequestURLParams(message="Pay for it.", url=ADDRESS))
        if not _modern(ctx):
            session = ctx.request_context.session
            answers: Any = await asyncio.gather(
                session.elicit_form("Your name?", one.params.requested_schema, ctx.request_id),
                session.elicit_form("Your dog's?", other.params.requested_schema, ctx.request_id),
                session.elicit_url("Pay for it.", ADDRESS, "e1", ctx.request_id),
            )
        elif not ctx.input_responses:
            return _wanted({"own": one, "dog": other, "pay": paid})
        else:
            answers = [ctx.input_responses[key] for key in ("own", "dog", "pay")]
        said = [f"{answer.action} {(answer.content or {}).get('n')}" for answer in answers]
        done.append(", ".join(said))
        return done[-1]

    @server.tool()
    async def sample(
        ctx: Context, said: str = "hi", times: int = 1, max_tokens: int = 10, form: bool = False
    ) -> str | InputRequiredResult:
        """Have a model of the client's asked so many times at once, and a person something with it."""
        params = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(text=said))],
            max_tokens=max_tokens,
            system_prompt="Be short.",
            include_context="allServers",
        )
        if not _modern(ctx):
            given = [await _sampled(ctx, params) for _ in range(times)]
            done.append(" ".join(_text(one) for one in given))
            return done[-1]
        if not ctx.input_responses:
            requests: dict[str, Any] = {f"s{n}": CreateMessageRequest(params=params) for n in range(times)}
            return _wanted({**requests, **({"q": _form("Sure?")} if form else {})})
        answers = ctx.input_responses
        done.append(" ".join(_text(answers[f"s{n}"]) for n in range(times)))
        return done[-1]

    @server.tool()
    async def sample_with_tools(ctx: Context) -> str | InputRequiredResult:
        """Have a model asked that may call tools."""
        params = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(text="hi"))],
            max_tokens=10,
            tools=[Tool(name="rm", input_schema={"type": "object"})],
        )
        if _modern(ctx):
            return _wanted({"s": CreateMessageRequest(params=params)})
        try:
            await _sampled(ctx, params)
        except MCPError as error:
            return f"{error.code}: {error.message}"
        return "sampled"

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
        await asyncio.sleep(seconds)  # sleeps: work
        done.append("plain")
        return "plain"

    return server, done


def _modern(ctx: Any) -> bool:
    return ctx.request_context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def _sampled(ctx: Context, params: CreateMessageRequestParams) -> CreateMessageResult:
    return await ctx.request_context.session.send_request(
        CreateMessageRequest(params=params),
        CreateMessageResult,
        metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
    )


def _text(answer: Any) -> str:
    assert isinstance(answer.content, TextContent)
    return f"{answer.model} said {answer.content.text} ({answer.stop_reason})"


def _form(message: str) -> Any:
    schema = {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _wanted(requests: dict[str, Any], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=requests, request_state=state)


if __name__ == "__main__":
    asker()[0].run("stdio")
