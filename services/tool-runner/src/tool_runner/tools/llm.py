"""other models"""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.pictures import SEEN_TYPES
from agent_contracts.questions.generation import Generate, Intelligence
from agent_domain.files.file import FileRef
from agent_domain.files.rules import is_file_id
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.models import Models
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.agent.file_arguments import at_argument

_TIMEOUT_S = 600


class AskLlm(Arguments):
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
        tuple[str, ...], Field(max_length=16, description="Pictures to look at: file ids or paths.")
    ] = ()


class LlmUsage(Result):
    """What it took."""

    input_tokens: int
    output_tokens: int


class LlmReply(Result):
    """What the model said."""

    text: str
    usage: LlmUsage


class SaidInJson(LlmReply):
    """What the model said, and the same as the JSON value that it is."""

    parsed: Json


@tool("llm_generate", family="llm", effect=PURE, timeout_s=_TIMEOUT_S)
async def llm_generate(
    args: AskLlm, call: CallContext, models: Models, files: AgentFiles
) -> LlmReply | SaidInJson:
    """Ask a language model one question: to sort, extract, sum up, translate or judge a piece of text.

    It sees only what you send: no conversation, no tools. For work in several steps with tools, start a
    sub-session instead. Its tokens count toward this session's limit.
    """
    asked = Generate(
        agent_id=call.agent_id,
        session_id=call.session,
        call_id=call.call_id,
        prompt=args.prompt,
        system=args.system,
        intelligence=args.intelligence,
        max_tokens=args.max_tokens,
        temperature=args.temperature,
        schema=args.response_schema,
        images=tuple([await _picture(which, n, files) for n, which in enumerate(args.images)]),
    )
    answer = await models.ask(asked)
    usage = LlmUsage(input_tokens=answer.usage.input, output_tokens=answer.usage.output)
    if args.response_schema is None:
        return LlmReply(text=answer.text, usage=usage)
    return SaidInJson(text=answer.text, usage=usage, parsed=answer.parsed)


async def _picture(which: str, number: int, files: AgentFiles) -> str:
    """The blob of a picture. `Rejected`, with the argument, for a file that doesn't exist or isn't one."""
    argument = f"/images/{number}"
    with at_argument(argument):
        file = await files.find(FileRef(which) if is_file_id(which) else FileRef(path=which))
    if file.media_type not in SEEN_TYPES:
        message = f"{file.path} is {file.media_type}, not a picture that can be shown"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path=argument)
    return file.blob
