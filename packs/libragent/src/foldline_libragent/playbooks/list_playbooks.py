"""`list_playbooks`: what there is, a page at a time."""

from typing import Annotated

from pydantic import Field

from agent_contracts.kinds.playbook import PLAYBOOK
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.playbooks.shapes import CAMEL, SHOWN


class ListPlaybooks(Arguments):
    """Which page."""

    model_config = CAMEL
    page: Annotated[int, Field(ge=1)] = 1
    page_size: Annotated[int, Field(ge=1, le=100)] = 10


class Listed(Result):
    """A playbook, without its steps."""

    id: str
    version: int
    goal: str
    steps: int


class Playbooks(Result):
    """A page of them, by id, of `total`."""

    model_config = SHOWN
    playbooks: list[Listed]
    page: int
    page_size: int
    total: int


@tool("list_playbooks", family="playbooks", effect=PURE)
async def list_playbooks(args: ListPlaybooks, definitions: AgentDefinitions) -> Playbooks:
    """List your playbooks by what they reach."""
    known = sorted(await definitions.list(PLAYBOOK), key=lambda one: one.name)
    begin = (args.page - 1) * args.page_size
    return Playbooks.model_validate(
        {
            "playbooks": [
                Listed(
                    id=one.name,
                    version=one.version,
                    goal=one.value.description,
                    steps=len(one.value.workflow),
                )
                for one in known[begin : begin + args.page_size]
            ],
            "page": args.page,
            "pageSize": args.page_size,
            "total": len(known),
        }
    )
