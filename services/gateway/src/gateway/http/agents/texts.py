"""An agent's prompt and its learned notes: read, write, edit, versions, revert."""

from typing import Annotated

from fastapi import APIRouter, Depends

from agent_contracts.api.state import AgentText, EditText, WriteText
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, AgentTextSpec
from agent_domain.text_edits import TextEdit
from gateway.http.things import ONE_OF_AGENT, named, things
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.texts import OneText


def texts(path: str, which: AgentTextSpec, name: str) -> APIRouter:
    """The routes of one text, below `/agents/{agent_id}/<path>`."""
    router = resource("agents", f"/agents/{{agent_id}}/{path}")

    async def place(agent_id: AgentPath) -> OneText:
        return OneText(agent_id, which)

    things(
        router,
        lambda operations: operations.texts,
        AgentText,
        ("", Annotated[OneText, Depends(place)]),
        named(name, (*ONE_OF_AGENT, "version")),
        {"read": "The text now, or as it was after event `at`. Version 0: nobody has written it yet."},
    )

    @router.put("", operation_id=f"put{name}")
    async def write(
        operations: Using, agent_id: AgentPath, body: WriteText, key: KeyHeader = None
    ) -> AgentText:
        """Write the whole text. What it says already makes no version."""
        return await operations.texts.write(
            OneText(agent_id, which), body.text, body.version, asked(key, body)
        )

    @router.patch("", operation_id=f"edit{name}")
    async def edit(
        operations: Using, agent_id: AgentPath, body: EditText, key: KeyHeader = None
    ) -> AgentText:
        """Change a part of the text. Nothing changes if what the edit looks for isn't there."""
        return await operations.texts.edit(
            OneText(agent_id, which), _edit(body), body.version, asked(key, body)
        )

    return router


def _edit(body: EditText) -> TextEdit:
    return TextEdit(body.operation, body.content, body.find, body.replace, body.replace_all)


prompt = texts("prompt", SYSTEM_PROMPT, "Prompt")
notes = texts("notes", LEARNED_NOTES, "Notes")
