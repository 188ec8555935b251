"""What the tools of one scheduled task are called with, and what they return."""

from typing import Annotated

from pydantic import Field

from agent_tools.tool import Arguments, Result


class WhichTask(Arguments):
    """Which one."""

    id: Annotated[str, Field(min_length=1, max_length=64, description="Its id, t_….")]


class Switched(Result):
    """Whether it runs at its times now."""

    id: str
    enabled: bool
