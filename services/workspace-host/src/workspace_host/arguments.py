"""What the tools that run something have in common."""

from typing import Annotated

from pydantic import Field

from agent_tools.commands import DEFAULT_TIMEOUT_S, LONGEST_S
from agent_tools.tool import Arguments
from workspace_host.commands.starting import LONGEST_TEXT

TIMEOUT_S = LONGEST_S + 60
"""Of the tools: a command may take `LONGEST_S`, and its files are read and written before and after."""
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class RunArguments(Arguments):
    """How it runs."""

    input: Annotated[str | None, Field(max_length=1_000_000, description="Its standard input.")] = None
    folder: Annotated[str, Field(max_length=512, description="Where it runs, relative to the workspace.")] = (
        ""
    )
    timeout_s: Annotated[
        float, Field(ge=1, le=LONGEST_S, description="After so many seconds it is ended.")
    ] = DEFAULT_TIMEOUT_S
    background: Annotated[
        bool, Field(description="Let it go on, up to an hour; `command_output` tells what it writes.")
    ] = False
