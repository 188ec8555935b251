"""`clear_todos`: fewer to do."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class ClearTodos(Arguments):
    """Which ones."""

    ids: Annotated[
        list[Annotated[int, Field(ge=1)]] | None, Field(min_length=1, max_length=200, description="Else all.")
    ] = None


@tool("clear_todos", family="planning", effect=RECORDED)
async def clear_todos(args: ClearTodos, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Remove to-dos from the plan, done or not."""
    return await changed(
        texts, call, lambda plan: plan.without_todos(None if args.ids is None else tuple(args.ids))
    )
