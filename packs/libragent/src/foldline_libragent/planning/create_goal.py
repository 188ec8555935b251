"""`create_goal`: what this session is for."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.planning.keeping import PlanNow, changed


class CreateGoal(Arguments):
    """The goal."""

    goal: Annotated[str, Field(min_length=1, max_length=4_000, description="In one sentence.")]


@tool("create_goal", family="planning", effect=RECORDED)
async def create_goal(args: CreateGoal, texts: AgentTexts, call: CallContext) -> PlanNow:
    """Set the goal of this session. It stays in view; the one before becomes an earlier goal."""
    return await changed(texts, call, lambda plan: plan.with_goal(args.goal))
