"""`create_function`: the agent makes a function."""

from agent_contracts.kinds.function import FUNCTION
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.code.check import CodeCheck
from tool_runner.code.examples import Examples
from tool_runner.definitions.arguments import Versioned
from tool_runner.definitions.built_in import BuiltIn
from tool_runner.definitions.callables import CreateCallable, create_callable


@tool("create_function", family="functions", effect=RECORDED)
async def create_function(
    args: CreateCallable,
    definitions: AgentDefinitions,
    built_in: BuiltIn,
    check: CodeCheck,
    examples: Examples,
) -> Versioned:
    """Make a function: code that your pages call, and your tools by `functions.call(name, args)`.

    It is written like a tool, but you can't call it yourself. Schema and code are checked first; nothing is
    stored if either is wrong."""
    return await create_callable(FUNCTION, args, definitions, built_in, check, examples)
