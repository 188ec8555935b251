"""The port to models."""

from collections.abc import AsyncGenerator
from typing import Protocol

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.choosing.target import ModelTarget
from session_domain.model_requests.request import ModelRequest


class Provider(Protocol):
    """Asks a model once."""

    async def warm_up(self, target: ModelTarget) -> None:
        """Do now what the first answer of this target would otherwise wait for. Cheap when it is done."""
        ...

    async def window(self, target: ModelTarget) -> int | None:
        """How many tokens the model takes, as its server says; None: it doesn't, or can't be asked now."""
        ...

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """The tokens of a request and of what was answered so far.

        By the provider's figures, as far as it came to tell them; the rest is counted.
        """
        ...

    def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """The answer's pieces as they come, and last of all its `AnswerEnding`.

        Raises `ModelFault` for whatever goes wrong. Ending the iteration early breaks the connection off.
        """
        ...
