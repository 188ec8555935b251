"""`clear_memo`: one less."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class ClearMemo(Arguments):
    """Which one."""

    id: Annotated[int, Field(ge=1)]


@tool("clear_memo", family="planning", effect=RECORDED)
async def clear_memo(args: ClearMemo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Remove a memo from the plan."""
    return await changed(texts, call, lambda plan: plan.without_memo(args.id))
