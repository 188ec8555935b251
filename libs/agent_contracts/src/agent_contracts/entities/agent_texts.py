"""The texts that an agent works by: under which names they are stored, and what they say at first."""

from importlib import resources

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json

DEFAULT_AGENT = AgentId("default")
"""The agent that is always there; whose session it is if nobody says."""


def _packaged(name: str) -> str:
    return resources.files("agent_contracts").joinpath(name).read_text(encoding="utf-8").strip()


DEFAULT_PROMPT = _packaged("default_prompt.md")
"""What a new agent is told, and one without a prompt of its own."""

SMALL_PROMPT = _packaged("small_prompt.md")
"""What a small model is told instead."""


class AgentTextSpec(msgspec.Struct, frozen=True):
    """A text of an agent: the kind and name of its entity, and what it says while there is none."""

    kind: EntityKind
    name: str
    initial: str = ""


SYSTEM_PROMPT = AgentTextSpec(EntityKind.PROMPT, "prompt", DEFAULT_PROMPT)
"""What the agent is told before anything else."""

LEARNED_NOTES = AgentTextSpec(EntityKind.NOTES, "notes")
"""What the agent has written down about its work, for all of its sessions."""


def notepad_of(session_id: SessionId) -> AgentTextSpec:
    """What one session has written down for itself."""
    return AgentTextSpec(EntityKind.NOTEPAD, session_id)


def plan_of(session_id: SessionId) -> AgentTextSpec:
    """What one session is about to do: its goal, its to-dos and what it must not forget."""
    return AgentTextSpec(EntityKind.PLAN, session_id)


def text_of(value: Json) -> str | None:
    """The text in an entity's value: the value itself, or its member `text`; None if it has neither."""
    match value:
        case str():
            return value
        case {"text": str(text)}:
            return text
        case _:
            return None
