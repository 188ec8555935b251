"""`update_tool`: the agent changes a tool."""

from agent_contracts.kinds.tool import TOOL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.definitions.arguments import Versioned
from tool_runner.definitions.callables import UpdateCallable, update_callable


@tool("update_tool", family="tools", effect=RECORDED)
async def update_tool(
    args: UpdateCallable, definitions: AgentDefinitions, check: CodeCheck, examples: Examples
) -> Versioned:
    """Change a tool of yours: only what you give is changed. Every version is kept.

    Schema and code are checked and its examples run first; if any is wrong, the tool stays as it is.
    """
    return await update_callable(TOOL, args, definitions, check, examples)
