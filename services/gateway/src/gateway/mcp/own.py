"""The agent's own tools that a person exposed as prompts or as resources."""

from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
import msgspec
from mcp.shared.uri_template import UriTemplate

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.json_value import Json
from gateway.mcp.client import McpClient
from gateway.mcp.contents import messages_of, resource_of
from gateway.operations.agents.exposed_tools import ExposedTool
from gateway.operations.idempotency import asked
from gateway.operations.operations import Operations


class OwnOffers:
    """Those that a client whose token has the right `tools` may use."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client

    async def prompts(self) -> list[ExposedTool]:
        """Those that are offered as prompts, by name."""
        return [one for one in await self._offered() if one.is_prompt]

    async def resources(self) -> list[tuple[ExposedTool, UriTemplate]]:
        """Those that are offered as resources, by name, and where."""
        return [(one, UriTemplate.parse(one.address)) for one in await self._offered() if one.address]

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult | None:
        """What it says with these arguments; None where no such prompt is offered."""
        found = next((one for one in await self.prompts() if one.name == name), None)
        if found is None:
            return None
        messages = messages_of(await self._run(found, arguments))
        return types.GetPromptResult(description=found.made.value.description, messages=messages)

    async def read(self, uri: str) -> types.ReadResourceResult | None:
        """What is at an address; None where nothing is offered there."""
        for offer, template in await self.resources():
            matched = template.match(uri)
            if matched is not None:
                given = {name: one for name, one in matched.items() if isinstance(one, str)}
                contents = resource_of(uri, await self._run(offer, given))
                return types.ReadResourceResult(contents=contents, ttl_ms=0, cache_scope="private")
        return None

    async def _offered(self) -> Sequence[ExposedTool]:
        if ProgramRight.TOOLS not in self._client.rights:
            return ()
        return await self._operations.exposed.offered(self._client.agent_id)

    async def _run(self, offer: ExposedTool, given: Mapping[str, str]) -> Json:
        arguments = _typed(offer, given)
        exposed, client = self._operations.exposed, self._client
        return await exposed.run(client.agent_id, client.name, offer.name, arguments, asked())


def prompt_of(offer: ExposedTool) -> types.Prompt:
    """As clients are told of it: its arguments are those of the tool."""
    required = offer.made.value.parameter_schema.get("required")
    return types.Prompt(
        name=offer.name,
        description=offer.made.value.description,
        arguments=[
            types.PromptArgument(
                name=name,
                description=str(one["description"])[:1_000] if "description" in one else None,
                required=isinstance(required, list) and name in required,
            )
            for name, one in properties_of(offer).items()
        ],
    )


def properties_of(offer: ExposedTool) -> dict[str, dict[str, Any]]:
    """The arguments of the tool, and what their schemas say."""
    found = offer.made.value.parameter_schema.get("properties")
    properties = found if isinstance(found, dict) else {}
    return {name: one for name, one in properties.items() if isinstance(one, dict)}


def _typed(offer: ExposedTool, given: Mapping[str, str]) -> dict[str, Json]:
    """The arguments, which came as texts: what is to be something else is read as JSON, if it can be."""
    properties = properties_of(offer)
    return {name: _read(one, properties.get(name, {}).get("type", "string")) for name, one in given.items()}


def _read(text: str, kind: object) -> Json:
    if kind == "string":
        return text
    try:
        value: Json = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value
