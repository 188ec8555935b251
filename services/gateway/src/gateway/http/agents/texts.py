"""An agent's prompt and its learned notes: read, write, edit, versions, revert."""

from typing import Annotated

from fastapi import APIRouter, Query

from agent_contracts.api.state import AgentText, EditText, WriteText
from agent_contracts.api.versions import Revert, Target, Versions
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.agent_texts import AgentText as Which
from agent_domain.text_edits import TextEdit
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using, VersionPath
from gateway.http.wire.resource import resource


def texts(path: str, which: Which, name: str) -> APIRouter:
    """The routes of one text, below `/agents/{agent_id}/<path>`."""
    router = resource("agents", f"/agents/{{agent_id}}/{path}")

    @router.get("", operation_id=f"get{name}")
    async def read(operations: Using, agent_id: AgentPath, at: AsOf = None) -> AgentText:
        """The text now, or as it was after event `at`. Version 0: nobody has written it yet."""
        return await operations.texts.read(agent_id, which, at)

    @router.put("", operation_id=f"put{name}")
    async def write(
        operations: Using, agent_id: AgentPath, body: WriteText, key: KeyHeader = None
    ) -> AgentText:
        """Write the whole text. What it says already makes no version."""
        return await operations.texts.write(agent_id, which, body.text, body.version, asked(key, body))

    @router.patch("", operation_id=f"edit{name}")
    async def edit(
        operations: Using, agent_id: AgentPath, body: EditText, key: KeyHeader = None
    ) -> AgentText:
        """Change a part of the text. Nothing changes if what the edit looks for isn't there."""
        return await operations.texts.edit(agent_id, which, _edit(body), body.version, asked(key, body))

    @router.get("/versions", operation_id=f"list{name}Versions")
    async def list_versions(
        operations: Using,
        agent_id: AgentPath,
        before: Older = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Versions:
        """Who changed the text and when, newest first."""
        return await operations.texts.versions(agent_id, which, before, limit)

    @router.get("/versions/{version}", operation_id=f"get{name}Version")
    async def read_version(operations: Using, agent_id: AgentPath, version: VersionPath) -> AgentText:
        """The text at one version."""
        return await operations.texts.version(agent_id, which, Target(version=version))

    @router.post("/revert", operation_id=f"revert{name}")
    async def revert(
        operations: Using, agent_id: AgentPath, body: Revert, key: KeyHeader = None
    ) -> AgentText:
        """Make an earlier version's text the newest version. Nothing is taken out of the history."""
        return await operations.texts.revert(agent_id, which, body.target, asked(key, body))

    return router


def _edit(body: EditText) -> TextEdit:
    return TextEdit(body.operation, body.content, body.find, body.replace, body.replace_all)


prompt = texts("prompt", SYSTEM_PROMPT, "Prompt")
notes = texts("notes", LEARNED_NOTES, "Notes")
