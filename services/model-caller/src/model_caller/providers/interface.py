"""What Foldline knows of an interface to models, whose provider is in the file that declares it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from agent_contracts.session_events.results import Usage
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.adapting.requests import PROGRESS
from model_caller.providers.port import Provider

Server = tuple[str, dict[str, str]]
"""The address of an API, and the headers of each request to it."""
ThinkingBy = Literal["effort", "budget"]
"""The option by which a request says how much the model is to think."""


class InterfaceProvider(Provider, Protocol):
    """A provider with connections of its own."""

    async def close(self) -> None:
        """Close them."""
        ...


class Embedder(Protocol):
    """Gives vectors of texts."""

    async def embed(self, target: ModelTarget, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """A vector for each text, in their order, all of one size, and what it cost. `ModelFault` where there
        are none."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


class ModelList(msgspec.Struct, frozen=True):
    """Where a server lists its models: at `path` below the address, or, if it has nothing there, at `or_at`.
    `member` of the answer is the list."""

    server: Callable[[ModelTarget, Mapping[str, str]], Server]
    path: str
    member: str
    or_at: str = ""


class ModelInterface(msgspec.Struct, frozen=True, kw_only=True):
    """One interface. What isn't said is as with OpenAI's."""

    provider: Callable[[ModelCallLimits], InterfaceProvider]
    """Makes the provider that asks over it."""
    embedder: Callable[[ModelCallLimits], Embedder] | None = None
    """Makes what asks its servers for embeddings; None: they give none."""
    models: ModelList | None = None
    """Where its servers list their models; None: they have no list."""
    sends: frozenset[str] = frozenset({"stream_options", PROGRESS})
    """The optional fields that a request may have beside its options. One that a server refuses is left
    out."""
    thinking: tuple[ThinkingBy, ...] = ("effort",)
    """How a request says how much to think: by the first of these that is chosen."""
    has_thoughts: bool = False
    """Whether a message has a place of its own for what the model thought; otherwise that is a field."""
