"""What an agent made for itself, as a person sees it: read, write, versions, revert, switch, delete."""

from typing import Annotated

from fastapi import APIRouter, Depends

from agent_contracts.api.definitions import (
    Definition,
    DefinitionName,
    Switch,
    WriteComponent,
    WriteDefinition,
    WriteLibrary,
    WritePlaybook,
    WriteSkill,
    WriteTool,
)
from agent_contracts.api.wire import Page
from agent_contracts.entities.definitions import D
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_contracts.kinds.skill import SKILL
from agent_contracts.kinds.tool import TOOL
from gateway.http.things import named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, NamePath, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.definitions import DefinitionKey


def definitions(
    path: str, kind: ThingKind[D], takes: type[WriteDefinition], names: tuple[str, str]
) -> APIRouter:
    """The routes of one kind, below `/agents/{agent_id}/<path>`. `names`: of one and of many."""
    one, many = names
    router = resource("agents", f"/agents/{{agent_id}}/{path}")

    async def place(agent_id: AgentPath, name: NamePath) -> DefinitionKey:
        return DefinitionKey(agent_id, kind, name)

    which = ("/{name}", Annotated[DefinitionKey, Depends(place)])
    things(router, lambda operations: operations.definitions, Definition, which, named(one))

    @router.get("", operation_id=f"list{many}")
    async def list_all(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Page[DefinitionName]:
        """Their names and descriptions, disabled ones too."""
        return await operations.definitions.list(agent_id, kind, at)

    @router.put("/{name}", operation_id=f"put{one}")
    async def put(
        operations: Using,
        agent_id: AgentPath,
        name: NamePath,
        body: takes,  # type: ignore[valid-type]  # each kind's own, which FastAPI reads here
        idempotency: KeyHeader = None,
    ) -> Definition:
        """Make it, or make it what is given; a disabled one stays so. What it is already makes no
        version.

        It must fulfil what the agent's own tools demand. Otherwise nothing is stored, and the problem has
        the `path` of what is wrong, and `line` and `column` in code that doesn't parse.
        """
        given: WriteDefinition = body
        request = asked(idempotency, given)
        return await operations.definitions.put(
            DefinitionKey(agent_id, kind, name), given.definition, given.version, request
        )

    if kind.is_switchable:

        @router.patch("/{name}", operation_id=f"switch{one}")
        async def switch(
            operations: Using,
            agent_id: AgentPath,
            name: NamePath,
            body: Switch,
            idempotency: KeyHeader = None,
        ) -> Definition:
            """Enable or disable it."""
            return await operations.definitions.switch(
                DefinitionKey(agent_id, kind, name), body.enabled, asked(idempotency, body)
            )

    return router


tools = definitions("tools", TOOL, WriteTool, ("Tool", "Tools"))
functions = definitions("functions", FUNCTION, WriteTool, ("Function", "Functions"))
libraries = definitions("libraries", LIBRARY, WriteLibrary, ("Library", "Libraries"))
components = definitions("components", COMPONENT, WriteComponent, ("Component", "Components"))
playbooks = definitions("playbooks", PLAYBOOK, WritePlaybook, ("Playbook", "Playbooks"))
skills = definitions("skills", SKILL, WriteSkill, ("Skill", "Skills"))
