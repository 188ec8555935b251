"""What the API takes to restore an agent."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.restores import Chosen
from gateway.http.wire.request import Number, Request

_Name = Annotated[str, Field(max_length=1_000)]


class RestoreTo(Request):
    """The event after which the agent was as it is to be."""

    to: Number


class RestorePart(Request):
    """Of one kind (or the `database`), everything that changed since; with `names`, only these things."""

    kind: Annotated[str, Field(max_length=40)]
    names: Annotated[list[_Name], Field(min_length=1, max_length=2_000)] | None = None

    @property
    def chosen(self) -> Chosen:
        """What is meant."""
        return Chosen(self.kind, None if self.names is None else tuple(self.names))


class Restore(RestoreTo):
    """The event, and what goes back: everything, or `parts` of it."""

    parts: Annotated[list[RestorePart], Field(min_length=1, max_length=40)] | None = None
