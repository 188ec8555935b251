"""What the API takes to rewind an agent."""

from typing import Annotated

from pydantic import Field

from gateway.http.wire.request import Number, Request
from gateway.http.wire.selection import RewindSelection


class PreviewAgentRewind(Request):
    """The event after which the agent was as it is to be."""

    to: Number


class RewindAgent(PreviewAgentRewind):
    """The event, and what goes back: everything, or only what is `chosen`."""

    chosen: Annotated[list[RewindSelection], Field(min_length=1, max_length=40)] | None = None
