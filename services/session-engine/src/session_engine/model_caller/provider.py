"""The port to models."""

from collections.abc import AsyncGenerator
from typing import Protocol

from session_engine.model_caller.answer import Ending, Piece
from session_engine.model_caller.request import ModelRequest
from session_engine.model_caller.target import Target


class Provider(Protocol):
    """Asks a model once."""

    async def warm_up(self) -> None:
        """Do now what the first answer would otherwise have to wait for. Cheap when it is done."""
        ...

    def stream(self, request: ModelRequest, target: Target) -> AsyncGenerator[Piece | Ending, None]:
        """The answer's pieces as they come, and last of all its `Ending`.

        Raises `ModelFault` for whatever goes wrong. Ending the iteration early breaks the connection off.
        """
        ...
