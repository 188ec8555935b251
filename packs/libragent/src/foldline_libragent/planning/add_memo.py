"""`add_memo`: something to keep in view."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class AddMemo(Arguments):
    """What."""

    memo: Annotated[str, Field(min_length=1, max_length=2_000)]


@tool("add_memo", family="planning", effect=RECORDED)
async def add_memo(args: AddMemo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Note an observation that must stay in view for the rest of this session."""
    return await changed(texts, call, lambda plan: plan.with_memo(args.memo))
