"""`add_todo`: one more to do."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class AddTodo(Arguments):
    """What to do."""

    name: Annotated[str, Field(min_length=1, max_length=2_000)]


@tool("add_todo", family="planning", effect=RECORDED)
async def add_todo(args: AddTodo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Add a to-do to the plan of this session. Its id is in the result."""
    return await changed(texts, call, lambda plan: plan.with_todo(args.name))
