"""`add_motto`: one more to live by."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentState
from agent_tools.tool import RECORDED, Arguments, Result, tool
from sample_pack.mottos.key import KEY


class AddMotto(Arguments):
    """Which one."""

    motto: Annotated[str, Field(min_length=1, description="The motto.")]


class Mottos(Result):
    """All of them, and the call that added the last."""

    mottos: list[str]
    added_by: str


@tool("add_motto", family="mottos", effect=RECORDED)
async def add_motto(args: AddMotto, call: CallContext, state: AgentState) -> Mottos:
    """Add a motto to those that are kept."""
    known = await state.get(KEY)
    mottos = [*(known if isinstance(known, list) else []), args.motto]
    await state.set(KEY, mottos)
    return Mottos(mottos=[str(motto) for motto in mottos], added_by=call.call_id)
