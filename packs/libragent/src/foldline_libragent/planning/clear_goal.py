"""`clear_goal`: no goal any more."""

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class ClearGoal(Arguments):
    """Nothing to say."""


@tool("clear_goal", family="planning", effect=RECORDED)
async def clear_goal(args: ClearGoal, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Clear the goal of this session, as when it is reached. It stays among the earlier goals."""
    return await changed(texts, call, lambda plan: plan.without_goal())
