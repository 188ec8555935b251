"""`get_current_state`: the plan."""

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, plan_now


class GetCurrentState(Arguments):
    """Nothing to say."""


@tool("get_current_state", family="planning", effect=PURE)
async def get_current_state(args: GetCurrentState, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Read the plan of this session: goal, earlier goals, to-dos, memos."""
    return await plan_now(texts, call)
