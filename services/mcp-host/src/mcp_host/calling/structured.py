"""Whether what a server gave is what it declared. Pure."""

from collections.abc import Iterator
from typing import Any

from mcp_types import CallToolResult

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_tools.json_schemas import JsonSchema
from mcp_host.definitions.sifting import found_in

_LONGEST = 300
_RAN = "the call was made all the same"


def notes_on(answer: CallToolResult, schema: dict[str, Any] | None) -> Iterator[str]:
    """What to know of an answer that isn't as the tool's `outputSchema` or the protocol has it: the call
    may have acted, so its result stands."""
    yield from found_in(answer).notes
    if schema is None or answer.is_error:
        return
    if "structured_content" not in answer.model_fields_set:
        yield f"the server declares structured data for this tool and sent none; {_RAN}"
        return
    problem = _problem(schema, answer.structured_content)
    if problem is not None:
        yield f"the structured data is not as the server declares it ({problem[:_LONGEST]}); {_RAN}"


def _problem(schema: dict[str, Any], value: Json) -> str | None:
    try:
        return JsonSchema.of(schema, "/outputSchema").problem(value)
    except Rejected as refused:
        return f"its declaration can't be used: {refused.message}"
