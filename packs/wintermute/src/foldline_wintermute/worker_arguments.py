"""The arguments of `spawn_sub_session`, which the engine answers."""

from typing import Annotated, Literal

from pydantic import Field

from agent_tools.tool import Arguments


class SpawnSubSession(Arguments):
    """A worker, and what it waits for."""

    objective: Annotated[str, Field(description="The whole task: it knows nothing else.")]
    context_blobs: Annotated[list[str], Field(default_factory=list, description="What it needs to know.")]
    system_prompt_mode: Annotated[
        Literal["minimal", "full", "base_only", "none"],
        Field(
            description="full: with all of your tools, notes and skills; else commands, files and the web."
        ),
    ] = "minimal"
    timeout: Annotated[int, Field(description="Seconds of running time.")] = 300
    depends_on: Annotated[
        list[str], Field(default_factory=list, description="Ids of sessions that must have finished.")
    ]
    depends_on_previous: Annotated[bool, Field(description="Wait for all that you spawned so far.")] = False
    not_before: Annotated[
        str | None, Field(description="Earliest start: ISO 8601 with its offset, 2026-03-29T08:30:00Z.")
    ] = None
