"""What an agent made for itself, as a person sees it: read, write, versions, revert, switch, delete."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query

from agent_contracts.definitions import COMPONENT, FUNCTION, LIBRARY, SKILL, TOOL, D, DefinitionKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import same_json
from agent_contracts.user_questions import CheckDefinition
from agent_domain.definitions import to_json
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey, Write
from gateway.deps import AgentPath, AsOf, Deps, Older, Using, VersionPath
from gateway.http.agent_requests import (
    Revert,
    Switch,
    WriteComponent,
    WriteDefinition,
    WriteLibrary,
    WriteSkill,
    WriteTool,
)
from gateway.http.problems import Kind, ProblemError
from gateway.operations.agents.edits import Target, expecting
from gateway.operations.agents.views import Definition, DefinitionName, DefinitionNames, Deleted, Versions
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import KeyHeader, asked


def definitions(
    path: str,
    kind: DefinitionKind[D],
    takes: type[WriteDefinition],
    names: tuple[str, str],
    *,
    switchable: bool,
) -> APIRouter:
    """The routes of one kind, below `/agents/{agent_id}/<path>`. `names`: of one and of many."""
    one, many = names
    router = APIRouter(prefix=f"/agents/{{agent_id}}/{path}", tags=["agents"])

    async def key_of(deps: Deps, agent_id: AgentId, name: str) -> EntityKey:
        await deps.agents.require(agent_id)
        return EntityKey(agent_id, kind.kind, name)

    def absent(name: str) -> ProblemError:
        return ProblemError(Kind.NOT_FOUND, f"there is no {kind.noun} named {name[:100]!r}")

    def shown(found: Entity | None, name: str) -> Definition:
        if found is None:
            raise absent(name)
        return Definition(name=found.key.name, definition=found.value, **written(found))

    @router.get("", operation_id=f"list{many}")
    async def list_all(deps: Using, agent_id: AgentPath, at: AsOf = None) -> DefinitionNames:
        """Their names and descriptions, disabled ones too."""
        await deps.agents.require(agent_id)
        found = await deps.edits.entities.list(agent_id, kind.kind, up_to=at)
        return DefinitionNames(definitions=[_named(entity, kind) for entity in found])

    @router.get("/{name}", operation_id=f"get{one}")
    async def read(deps: Using, agent_id: AgentPath, name: str, at: AsOf = None) -> Definition:
        """All of one, now or as it was after event `at`."""
        key, entities = await key_of(deps, agent_id, name), deps.edits.entities
        return shown(await (entities.current(key) if at is None else entities.as_of(key, at)), name)

    @router.put("/{name}", operation_id=f"put{one}")
    async def put(
        deps: Using,
        agent_id: AgentPath,
        name: str,
        body: takes,  # type: ignore[valid-type]  # each kind's own, which FastAPI reads here
        idempotency: KeyHeader = None,
    ) -> Definition:
        """Make it, or make it what is given; a disabled one stays so. What it is already makes no version.

        It must fulfil what the agent's own tools demand. Otherwise nothing is stored, and the problem has the
        `path` of what is wrong, and `line` and `column` in code that doesn't parse.
        """
        given: WriteDefinition = body
        key, request = await key_of(deps, agent_id, name), asked(idempotency, given)
        checked = await deps.runners.check(CheckDefinition(agent_id, kind.kind, name, given.definition))
        made = to_json(msgspec.convert(checked, kind.shape))

        def decide(before: Entity | None) -> Change:
            expecting(given.version, before)
            kept = {"enabled": before.value.get("enabled", True)} if switchable and before is not None else {}
            value = {**made, **kept}
            return None if before is not None and same_json(before.value, value) else Write(value)

        writer = deps.edits.writer(request, key.subject, "write")
        return shown((await deps.edits.change(key, writer, request, decide)).after, name)

    @router.delete("/{name}", operation_id=f"delete{one}")
    async def delete(deps: Using, agent_id: AgentPath, name: str, idempotency: KeyHeader = None) -> Deleted:
        """Delete it; its versions stay readable, and it can be reverted to one."""
        key, request = await key_of(deps, agent_id, name), asked(idempotency)
        writer = deps.edits.writer(request, key.subject, "delete")
        changed = await deps.edits.change(key, writer, request, lambda before: Delete())
        return Deleted(deleted=changed.before is not None, sequence=changed.sequence)

    @router.get("/{name}/versions", operation_id=f"list{one}Versions")
    async def list_versions(
        deps: Using,
        agent_id: AgentPath,
        name: str,
        before: Older = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Versions:
        """Who changed it and when, newest first, deletions included."""
        return versions(await deps.edits.page(await key_of(deps, agent_id, name), before, limit))

    @router.get("/{name}/versions/{version}", operation_id=f"get{one}Version")
    async def read_version(deps: Using, agent_id: AgentPath, name: str, version: VersionPath) -> Definition:
        """It at one version; after a deletion the newest one of this number."""
        return shown(await deps.edits.find(await key_of(deps, agent_id, name), Target(version=version)), name)

    @router.post("/{name}/revert", operation_id=f"revert{one}")
    async def revert(
        deps: Using, agent_id: AgentPath, name: str, body: Revert, idempotency: KeyHeader = None
    ) -> Definition:
        """Make an earlier version the newest, also of one that was deleted."""
        key, target = await key_of(deps, agent_id, name), Target(body.version, body.sequence)
        return shown((await deps.edits.revert(key, asked(idempotency, body), target)).after, name)

    if switchable:

        @router.put("/{name}/enabled", operation_id=f"switch{one}")
        async def switch(
            deps: Using, agent_id: AgentPath, name: str, body: Switch, idempotency: KeyHeader = None
        ) -> Definition:
            """Enable or disable it."""
            key, request = await key_of(deps, agent_id, name), asked(idempotency, body)

            def decide(before: Entity | None) -> Change:
                if before is None:
                    raise absent(name)
                found = msgspec.convert(before.value, kind.shape)
                made = to_json(msgspec.structs.replace(found, enabled=body.enabled))
                return None if same_json(made, before.value) else Write(made)

            writer = deps.edits.writer(request, key.subject, "switch")
            return shown((await deps.edits.change(key, writer, request, decide)).after, name)

    return router


def _named(entity: Entity, kind: DefinitionKind[D]) -> DefinitionName:
    value: Any = msgspec.convert(entity.value, kind.shape)
    return DefinitionName(
        name=entity.key.name,
        description=value.description,
        enabled=getattr(value, "enabled", True),
        tags=list(getattr(value, "tags", ())),
        **written(entity),
    )


tools = definitions("tools", TOOL, WriteTool, ("Tool", "Tools"), switchable=True)
functions = definitions("functions", FUNCTION, WriteTool, ("Function", "Functions"), switchable=True)
libraries = definitions("libraries", LIBRARY, WriteLibrary, ("Library", "Libraries"), switchable=False)
components = definitions(
    "components", COMPONENT, WriteComponent, ("Component", "Components"), switchable=False
)
skills = definitions("skills", SKILL, WriteSkill, ("Skill", "Skills"), switchable=True)
