"""Which things a rewind takes back, as the API takes it."""

from typing import Annotated

from pydantic import Field

from agent_contracts.selection import Selection
from gateway.http.wire.request import Request

_Name = Annotated[str, Field(max_length=1_000)]


class RewindSelection(Request):
    """Things of one kind (or the `database`): all, or with `names` only these (files by their ids)."""

    kind: Annotated[str, Field(max_length=40)]
    names: Annotated[list[_Name], Field(min_length=1, max_length=2_000)] | None = None

    @property
    def selection(self) -> Selection:
        """What is meant."""
        return Selection(self.kind, None if self.names is None else tuple(self.names))
