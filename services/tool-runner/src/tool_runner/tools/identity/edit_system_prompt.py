"""`edit_system_prompt`: the agent changes what it is told."""

from agent_contracts.agent_texts import SYSTEM_PROMPT
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.edit_arguments import EditText
from tool_runner.tool import Result, tool


class EditSystemPrompt(EditText):
    """Which edit."""


class EditedPrompt(Result):
    """The version that the prompt has now; an edit that changed nothing leaves it."""

    version: int


@tool("edit_system_prompt", family="identity", effect=Effect.RECORDED)
async def edit_system_prompt(args: EditSystemPrompt, ctx: ToolContext) -> EditedPrompt:
    """Change your own system prompt: how you behave, in this and in all other sessions.

    It counts from your next step on. Every version is kept, and the user can go back to any. Facts that you
    learn belong into the learned notes instead.
    """
    return EditedPrompt(version=await ctx.texts.edit(SYSTEM_PROMPT, args.edit))
