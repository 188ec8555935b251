"""`update_function`: the agent changes a function."""

from agent_contracts.kinds.function import FUNCTION
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.definitions.arguments import Versioned
from tool_runner.definitions.callables import UpdateCallable, update_callable


@tool("update_function", family="functions", effect=RECORDED)
async def update_function(
    args: UpdateCallable, definitions: AgentDefinitions, check: CodeCheck, examples: Examples
) -> Versioned:
    """Change a function of yours: only what you give is changed. Every version is kept.

    Schema and code are checked and its examples run first; if any is wrong, the function stays as it is.
    """
    return await update_callable(FUNCTION, args, definitions, check, examples)
