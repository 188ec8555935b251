"""What an agent keeps of its own."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agent_contracts.entities.agent_texts import AgentTextSpec
from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.entities.notebook import NoteTab
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import ThingKind
from agent_domain.text_edits import TextEdit
from agent_domain.text_entities import TextVersion


class AgentState(Protocol):
    """The agent's key-value state."""

    async def get(self, key: str) -> Json:
        """The value under a key; None also where there is none."""
        ...

    async def set(self, key: str, value: Json) -> None:
        """Put a value under a key."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        ...

    async def keys(self, prefix: str = "") -> list[str]:
        """Every key that begins so and has a value (null included), sorted by code point."""
        ...


class AgentNotebook(Protocol):
    """The tabs of notes that people share with the agent.

    `Rejected`: `not_found` for a tab that there isn't, `blocked` for one that people don't let the agent
    write, `too_large` for more than a tab holds.
    """

    async def tabs(self) -> Sequence[NoteTab]:
        """All, in people's order, also those that the agent may not read."""
        ...

    async def change(self, name: str, change: Callable[[str], str]) -> NoteTab:
        """Give a tab the content that `change` makes of it; a new version."""
        ...

    async def take_back(self, name: str, steps: int) -> NoteTab:
        """Give a tab the content that it had before its last so many changes; a new version. `Rejected` with
        `rejected` where it has not been changed so often."""
        ...


class AgentTexts(Protocol):
    """The agent's texts: its prompt, its notes, a session's notepad."""

    async def read(self, which: AgentTextSpec) -> TextVersion:
        """The text and its version; version 0 is what it says before anybody wrote it."""
        ...

    async def edit(self, which: AgentTextSpec, edit: TextEdit) -> int:
        """Edit the text; its version afterwards, which stays if the text does. `Rejected` for an edit that
        can't be made."""
        ...


class AgentDefinitions(Protocol):
    """What the agent has made for itself, by kind and name."""

    async def create(self, kind: ThingKind[D], name: str, value: D) -> int:
        """Make one; its version, 1. `Rejected(kind="conflict")` if the name is taken."""
        ...

    async def update(self, kind: ThingKind[D], name: str, change: Callable[[D], D]) -> int:
        """Change one; its version then. `Rejected(kind="not_found")` if there is none."""
        ...

    async def delete(self, kind: ThingKind[D], name: str) -> bool:
        """Delete it; whether it was there."""
        ...

    async def read(self, kind: ThingKind[D], name: str, up_to: int | None = None) -> NamedDefinition[D]:
        """The definition now, or as of event `up_to`. `Rejected(kind="not_found")` if there is none."""
        ...

    async def list(self, kind: ThingKind[D]) -> Sequence[NamedDefinition[D]]:
        """All of a kind, by name."""
        ...
