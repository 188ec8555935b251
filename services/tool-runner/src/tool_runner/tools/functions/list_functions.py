"""`list_functions`: what there is."""

from agent_contracts.kinds.function import FUNCTION
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Result, tool
from tool_runner.definitions.arguments import ListedSwitchable, WithDisabled
from tool_runner.definitions.operations import listed


class Functions(Result):
    """By name."""

    functions: list[ListedSwitchable]


@tool("list_functions", family="functions", effect=PURE)
async def list_functions(args: WithDisabled, definitions: AgentDefinitions) -> Functions:
    """List your functions; those that are disabled only if you ask for them."""
    return Functions(
        functions=await listed(FUNCTION, ListedSwitchable, definitions, disabled=args.include_disabled)
    )
