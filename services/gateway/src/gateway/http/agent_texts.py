"""An agent's prompt and its learned notes: read, write, edit, versions, revert."""

from typing import Annotated

from fastapi import APIRouter, Query

from agent_contracts.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, AgentText
from agent_contracts.ids import AgentId
from agent_domain.text_edits import Operation, TextEdit, edited
from agent_domain.text_entities import TextVersion, changing, read_text, text_version
from agent_platform.entities.entity import Entity, EntityKey
from gateway.deps import AgentPath, AsOf, Deps, Older, Using, VersionPath
from gateway.http.agent_requests import EditText, Revert, WriteText
from gateway.operations.agents import views as views
from gateway.operations.agents.edits import Target, expecting
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import KeyHeader, asked


def texts(path: str, which: AgentText, name: str) -> APIRouter:
    """The routes of one text, below `/agents/{agent_id}/<path>`."""
    router = APIRouter(prefix=f"/agents/{{agent_id}}/{path}", tags=["agents"])

    async def key_of(deps: Deps, agent_id: AgentId) -> EntityKey:
        await deps.agents.require(agent_id)
        return EntityKey(agent_id, which.kind, which.name)

    def shown(found: Entity | None) -> views.AgentText:
        return views.AgentText(text=text_version(found, which.initial).text, **written(found))

    async def change(
        deps: Deps, agent_id: AgentId, body: WriteText | EditText, key: str | None, edit: TextEdit
    ) -> views.AgentText:
        entity, request = await key_of(deps, agent_id), asked(key, body)

        def make(found: TextVersion) -> str:
            expecting(body.version, found.entity)
            return edited(found.text, edit)

        writer = deps.edits.writer(request, entity.subject, "write")
        changed = await deps.edits.change(entity, writer, request, changing(which.initial, make))
        return shown(changed.after)

    @router.get("", operation_id=f"get{name}")
    async def read(deps: Using, agent_id: AgentPath, at: AsOf = None) -> views.AgentText:
        """The text now, or as it was after event `at`. Version 0: nobody has written it yet."""
        key = await key_of(deps, agent_id)
        return shown((await read_text(deps.edits.entities, key, which.initial, up_to=at)).entity)

    @router.put("", operation_id=f"put{name}")
    async def write(
        deps: Using, agent_id: AgentPath, body: WriteText, key: KeyHeader = None
    ) -> views.AgentText:
        """Write the whole text. What it says already makes no version."""
        return await change(deps, agent_id, body, key, TextEdit(Operation.REPLACE, body.text))

    @router.patch("", operation_id=f"edit{name}")
    async def edit(
        deps: Using, agent_id: AgentPath, body: EditText, key: KeyHeader = None
    ) -> views.AgentText:
        """Change a part of the text. Nothing changes if what the edit looks for isn't there."""
        wanted = TextEdit(body.operation, body.content, body.find, body.replace, body.replace_all)
        return await change(deps, agent_id, body, key, wanted)

    @router.get("/versions", operation_id=f"list{name}Versions")
    async def list_versions(
        deps: Using,
        agent_id: AgentPath,
        before: Older = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> views.Versions:
        """Who changed the text and when, newest first."""
        return versions(await deps.edits.page(await key_of(deps, agent_id), before, limit))

    @router.get("/versions/{version}", operation_id=f"get{name}Version")
    async def read_version(deps: Using, agent_id: AgentPath, version: VersionPath) -> views.AgentText:
        """The text at one version."""
        return shown(await deps.edits.find(await key_of(deps, agent_id), Target(version=version)))

    @router.post("/revert", operation_id=f"revert{name}")
    async def revert(
        deps: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None
    ) -> views.AgentText:
        """Make an earlier version's text the newest version. Nothing is taken out of the history."""
        target = Target(body.version, body.sequence)
        changed = await deps.edits.revert(await key_of(deps, agent_id), asked(key, body), target)
        return shown(changed.after)

    return router


prompt = texts("prompt", SYSTEM_PROMPT, "Prompt")
notes = texts("notes", LEARNED_NOTES, "Notes")
