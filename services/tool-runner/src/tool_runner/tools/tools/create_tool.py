"""`create_tool`: the agent makes a tool."""

from agent_contracts.definitions import TOOL
from agent_tools.ports import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.code.check import CodeCheck
from tool_runner.definitions.arguments import Versioned
from tool_runner.definitions.built_in import BuiltIn
from tool_runner.definitions.callables import CreateCallable, create_callable


@tool("create_tool", family="tools", effect=RECORDED)
async def create_tool(
    args: CreateCallable, definitions: AgentDefinitions, built_in: BuiltIn, check: CodeCheck
) -> Versioned:
    """Make a tool of your own. You and all your sessions can call it from your next step on.

    The code is JavaScript for a sandbox: it gets `args`, checked against the schema, may `await`, and returns
    its result. Schema and code are checked first; nothing is stored if either is wrong."""
    return await create_callable(TOOL, args, definitions, built_in, check)
