"""What a program offers while a person fills in an argument of a prompt, or of a resource's address."""

from collections.abc import Sequence

import mcp_types as types

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from gateway.mcp.client import McpClient
from gateway.mcp.own import OwnOffers, properties_of
from gateway.mcp.prompts import ClientPrompts
from gateway.mcp.refusals import Context, refusing
from gateway.mcp.resources import FILE_ADDRESS
from gateway.operations.agents.exposed_tools import ExposedTool
from gateway.operations.files.files import FileQuery
from gateway.operations.operations import Operations

MOST = 100
"""Values of one answer, by the protocol."""


class ArgumentCompletion:
    """For arguments of a fixed choice (`enum`), and for files and their versions."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client
        self._own = OwnOffers(operations, client)
        self._prompts = ClientPrompts(operations, client)

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Values that go on from what was typed; none where there are no values to choose from."""
        ref, argument = params.ref, params.argument
        filled = (params.context.arguments if params.context else None) or {}
        with refusing(context):
            if isinstance(ref, types.PromptReference):
                values = await self._of_prompt(ref.name, argument)
            else:
                values = await self._of_address(ref.uri, argument, filled)
        found = types.Completion(values=[*values[:MOST]], total=len(values), has_more=len(values) > MOST)
        return types.CompleteResult(completion=found)

    async def _of_prompt(self, name: str, argument: types.CompletionArgument) -> Sequence[str]:
        for offer in await self._own.prompts():
            if offer.name == name:
                return _chosen(offer, argument)
        await self._prompts.skill(name)  # raises where there is none
        return ()

    async def _of_address(
        self, uri: str, argument: types.CompletionArgument, filled: dict[str, str]
    ) -> Sequence[str]:
        if uri == FILE_ADDRESS and ProgramRight.READ in self._client.rights:
            if argument.name == "version":
                return await self._versions(filled.get("file_id", ""), argument.value)
            return await self._files(argument.value) if argument.name == "file_id" else ()
        for offer, template in await self._own.resources():
            if str(template) == uri:
                return _chosen(offer, argument)
        raise Rejected("No tool is offered at this resource template", kind="not_found")

    async def _files(self, typed: str) -> Sequence[str]:
        """The ids of those whose paths, or ids, begin so."""
        asking = FileQuery(prefix=typed, limit=MOST)
        by_path = [one.file_id for one in (await self._operations.files.list(self._agent, asking)).items]
        if by_path:
            return by_path
        first = await self._operations.files.list(self._agent, FileQuery(limit=MOST))
        return [one.file_id for one in first.items if one.file_id.startswith(typed)]

    async def _versions(self, file_id: str, typed: str) -> Sequence[str]:
        """Newest first."""
        found = await self._operations.contents.find(file_id)
        if found.agent_id != self._agent:
            raise Rejected("This agent has no such file", kind="not_found")
        return [one for one in map(str, range(found.file.version, 0, -1)) if one.startswith(typed)]

    @property
    def _agent(self) -> AgentId:
        return self._client.agent_id


def _chosen(offer: ExposedTool, argument: types.CompletionArgument) -> Sequence[str]:
    """Those of the argument's choices that begin as what was typed, in any case of letters."""
    choices = properties_of(offer).get(argument.name, {}).get("enum")
    typed = argument.value.casefold()
    known = [one for one in choices if isinstance(one, str)] if isinstance(choices, list) else []
    return [one for one in known if one.casefold().startswith(typed)]
