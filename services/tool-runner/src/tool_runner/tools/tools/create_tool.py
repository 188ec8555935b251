"""`create_tool`: the agent makes a tool."""

from agent_contracts.kinds.tool import TOOL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.definitions.arguments import Versioned
from tool_runner.definitions.built_in import BuiltIn
from tool_runner.definitions.callables import CreateCallable, create_callable


@tool("create_tool", family="tools", effect=RECORDED, always_sent=True)
async def create_tool(
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
    examples: Examples,
) -> Versioned:
    """Make a tool of your own for all your sessions, from your next step on."""
    return await create_callable(TOOL, args, definitions, built_in, check, examples)
