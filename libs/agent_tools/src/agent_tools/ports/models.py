"""Models that a tool may ask."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.questions.generation import Generate
from agent_contracts.session_events.results import Usage


class ModelAnswer(msgspec.Struct, frozen=True):
    """What a `model` said; `parsed` is its JSON if a schema was given. `is_cut`: see `GenerationResult`."""

    text: str
    parsed: Json
    usage: Usage
    model: str = ""
    is_cut: bool = False


class Models(Protocol):
    """Questions to models, counted for the call."""

    async def ask(self, asked: Generate) -> ModelAnswer:
        """The answer; with a schema, JSON that fits it. `Rejected` where the question is at fault,
        `Permanent(kind="upstream")` where no model answered as it was asked to."""
        ...


class EmbeddingVectors(msgspec.Struct, frozen=True):
    """A vector for each text, and the model that gave them: those of different models don't compare."""

    model: str
    vectors: tuple[tuple[float, ...], ...]


class Embeddings(Protocol):
    """Vectors for texts, near to each other where these mean the same."""

    async def of(self, texts: Sequence[str]) -> EmbeddingVectors:
        """One vector for each text, at most 64. `Rejected(kind="not_available")` where no model is set up
        that gives any, `Transient(kind="upstream")` where its server is at fault."""
        ...
