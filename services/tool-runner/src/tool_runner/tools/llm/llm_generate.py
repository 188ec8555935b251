"""`llm_generate`: one question to a model, without tools or a conversation."""

from typing import Annotated

from pydantic import Field

from agent_contracts.generation import Generate, Intelligence
from agent_contracts.json_value import Json
from agent_tools.context import CallContext
from agent_tools.ports import Models
from agent_tools.tool import PURE, Arguments, Result, tool

_TIMEOUT_S = 600


class Ask(Arguments):
    """What to ask."""

    prompt: Annotated[str, Field(min_length=1, description="What to ask.")]
    system: Annotated[str, Field(description="Instructions that come before the prompt.")] = ""
    intelligence: Annotated[
        Intelligence,
        Field(description="low: cheap and fast, for sorting, extracting, summing up. high: the most able."),
    ] = Intelligence.LOW
    response_schema: Annotated[
        dict[str, Json] | None,
        Field(
            alias="schema", description="A JSON Schema; the answer is then JSON that fits it, in `parsed`."
        ),
    ] = None
    max_tokens: Annotated[int, Field(ge=1, le=100_000, description="The longest answer, in tokens.")] = 4096
    temperature: Annotated[float, Field(ge=0, le=2, description="0 for always the likeliest words.")] = 0.0
    images: Annotated[
        tuple[str, ...], Field(max_length=16, description="Pictures to look at: SHA-256 of stored files.")
    ] = ()


class Spent(Result):
    """What it took."""

    input_tokens: int
    output_tokens: int


class Said(Result):
    """What the model said."""

    text: str
    usage: Spent


class SaidInJson(Said):
    """What the model said, and the same as the JSON value that it is."""

    parsed: Json


@tool("llm_generate", family="llm", effect=PURE, timeout_s=_TIMEOUT_S)
async def llm_generate(args: Ask, call: CallContext, models: Models) -> Said | SaidInJson:
    """Ask a language model one question: to sort, extract, sum up, translate or judge a piece of text.

    It sees only what you send: no conversation, no tools. For work in several steps with tools, start a
    sub-session instead. Its tokens count toward this session's limit.
    """
    asked = Generate(
        session_id=call.session,
        call_id=call.call_id,
        prompt=args.prompt,
        system=args.system,
        intelligence=args.intelligence,
        max_tokens=args.max_tokens,
        temperature=args.temperature,
        schema=args.response_schema,
        images=args.images,
    )
    answer = await models.ask(asked)
    usage = Spent(input_tokens=answer.usage.input, output_tokens=answer.usage.output)
    if args.response_schema is None:
        return Said(text=answer.text, usage=usage)
    return SaidInJson(text=answer.text, usage=usage, parsed=answer.parsed)
