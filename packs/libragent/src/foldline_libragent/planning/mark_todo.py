"""`mark_todo`: done, or not."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class MarkTodo(Arguments):
    """Which one."""

    id: Annotated[int, Field(ge=1)]
    completed: bool = True
    summary: Annotated[str | None, Field(max_length=2_000, description="What came of it.")] = None


@tool("mark_todo", family="planning", effect=RECORDED)
async def mark_todo(args: MarkTodo, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Mark a to-do as done, with what came of it, or as not done."""
    return await changed(
        texts, call, lambda plan: plan.with_mark(args.id, args.completed, args.summary or "")
    )
