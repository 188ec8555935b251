"""`edit_system_prompt`: the agent changes what it is told."""

from agent_contracts.entities.agent_texts import SYSTEM_PROMPT
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.edit_arguments import EditText


class EditSystemPrompt(EditText):
    """Which edit."""


class EditedPrompt(Result):
    """The version that the prompt has now; an edit that changed nothing leaves it."""

    version: int


@tool("edit_system_prompt", family="identity", effect=RECORDED, lasting=Lasting.CALL)
async def edit_system_prompt(args: EditSystemPrompt, texts: AgentTexts) -> EditedPrompt:
    """Change your own system prompt: how you behave, in this and in all other sessions.

    It counts from your next step on. Every version is kept, and the user can go back to any. Facts that you
    learn belong into the learned notes instead.
    """
    return EditedPrompt(version=await texts.edit(SYSTEM_PROMPT, args.edit))
