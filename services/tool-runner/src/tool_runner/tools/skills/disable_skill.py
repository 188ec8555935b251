"""`disable_skill`."""

from agent_contracts.kinds.skill import SKILL
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.definitions.arguments import Named, Switched
from tool_runner.definitions.operations import switch


@tool("disable_skill", family="skills", effect=RECORDED, lasting=Lasting.CALL)
async def disable_skill(args: Named, definitions: AgentDefinitions) -> Switched:
    """Show a skill of yours no longer, without deleting it."""
    return await switch(SKILL, args, False, definitions)
