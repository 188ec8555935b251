"""A call as it is sent to a server, and what can come back that is no result."""

from collections.abc import Mapping
from typing import Any

import msgspec
from mcp import Client, MCPError
from mcp_types import (
    URL_ELICITATION_REQUIRED,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitationRequiredErrorData,
    ElicitRequest,
    ElicitRequestParams,
    InputRequest,
)

from agent_contracts.errors import ErrorKind, Permanent
from agent_contracts.json_value import Json


class CallExtras(msgspec.Struct, frozen=True):
    """What is sent with a call, besides its arguments: what the server asked for, and its own state."""

    responses: Any = None
    state: str | None = None


class AddressNeeded(msgspec.Struct, frozen=True):
    """A server up to 2025-11-25 does nothing before a person was at an address."""

    asked: dict[str, ElicitRequestParams]


async def called(client: Client, *, tool: str, args: dict[str, Json], send: CallExtras) -> Any:
    """What the server answers: a result, or what it needs before."""
    try:
        return await client.session.call_tool(
            tool,
            args,
            input_responses=send.responses,
            request_state=send.state,
            allow_input_required=True,
            allow_claimed=True,
        )
    except MCPError as error:
        if error.code != URL_ELICITATION_REQUIRED:
            raise
        wanted = ElicitationRequiredErrorData.model_validate(error.data)
        return AddressNeeded({str(n): one for n, one in enumerate(wanted.elicitations)})


def apart(
    requests: Mapping[str, InputRequest], *, samples: bool
) -> tuple[dict[str, CreateMessageRequestParams], dict[str, ElicitRequestParams]]:
    """What models are asked, if the server `samples`, and what a person is. `Permanent` for what it may not
    ask."""
    to_models: dict[str, CreateMessageRequestParams] = {}
    to_person: dict[str, ElicitRequestParams] = {}
    for key, one in requests.items():
        match one:
            case ElicitRequest(params=asked):
                to_person[key] = asked
            case CreateMessageRequest(params=question) if samples:
                to_models[key] = question
            case _:
                raise unusable(f"it asks for something that it was not offered ({one.method})")
    return to_models, to_person


def unusable(why: str) -> Permanent:
    """The server wants something that it can't have."""
    return Permanent(f"the server can't be answered: {why}", kind=ErrorKind.UPSTREAM)
