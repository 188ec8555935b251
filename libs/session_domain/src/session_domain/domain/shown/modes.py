"""What of an agent a sub-session is shown that was given less than all of it. Pure."""

import msgspec

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT, SMALL_PROMPT
from agent_contracts.prompt_modes import PromptMode
from session_domain.domain.shown.profile import Profile

TIMES = "times"
"""Those beside the messages, shown or not like a part of the prompt."""
_ALONE = ("prompt", "prompt's origin")
_TOO_MUCH = frozenset(
    {"tools", "renamed", "mcp servers", "functions", "libraries", "components", "secrets", "skills"}
)
"""Parts of the prompt that a small model isn't shown: lists of what it seldom gets to use."""


def visible_in(profile: Profile, mode: PromptMode | None) -> Profile:
    """The profile as far as the mode goes; the very same in `full`, and for a session without a mode. Few
    tools are sent whole: a model without a prompt couldn't know of others."""
    if mode in (None, "full"):
        return profile
    few = msgspec.structs.replace(profile, sends_all=True)
    return msgspec.structs.replace(few, notes="", skills=(), components=(), texts=())


def for_small_model(profile: Profile) -> Profile:
    """The profile with a short prompt, unless its agent has one of its own, and few tools."""
    prompt = SMALL_PROMPT if profile.prompt == DEFAULT_PROMPT else profile.prompt
    return msgspec.structs.replace(profile, prompt=prompt, for_small_model=True)


def is_shown(part: str, mode: PromptMode | None, *, small: bool = False) -> bool:
    """Whether a part of the system prompt is shown in this mode, or to a small model."""
    if small and part in _TOO_MUCH:
        return False
    match mode:
        case "none":
            return False
        case "base_only":
            return part in _ALONE
        case _:
            return True
