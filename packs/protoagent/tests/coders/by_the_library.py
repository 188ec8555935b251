"""A coding agent that speaks ACP by the library."""

import asyncio
from typing import Any

import acp
from acp.schema import (
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    ToolCallUpdate,
)


class Coder:
    """An `acp.Agent`, as far as it is asked here."""

    def on_connect(self, client: Any) -> None:
        self.client = client

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        self.folder = cwd
        return NewSessionResponse(session_id="s-1")

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        words = f"{self.folder}: {prompt[0].text}. "
        await self.client.session_update(session_id, acp.update_agent_message_text(words))
        answer = await self.client.request_permission(
            session_id=session_id,
            tool_call=ToolCallUpdate(
                tool_call_id="t-1", kind="execute", title="Run the tests", raw_input={"command": "pytest"}
            ),
            options=[
                PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
                PermissionOption(option_id="no", name="No", kind="reject_once"),
            ],
        )
        said = f"{answer.outcome.outcome} {answer.outcome.option_id}"
        await self.client.session_update(session_id, acp.update_agent_message_text(said))
        return PromptResponse(stop_reason="end_turn")


coder: Any = Coder()  # what it leaves out of an agent is not asked for
asyncio.run(acp.run_agent(coder))
