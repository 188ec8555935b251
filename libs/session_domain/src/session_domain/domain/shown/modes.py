"""What of an agent a sub-session is shown that was given less than all of it. Pure."""

import msgspec

from agent_contracts.prompt_modes import PromptMode
from session_domain.domain.shown.profile import Profile

TIMES = "times"
"""Those beside the messages, shown or not like a part of the prompt."""
_ALONE = ("prompt", "prompt's origin")


def visible_in(profile: Profile, mode: PromptMode | None) -> Profile:
    """The profile as far as the mode goes; the very same in `full`, and for a session without a mode. Few
    tools are sent whole: a model without a prompt couldn't know of others."""
    if mode in (None, "full"):
        return profile
    few = msgspec.structs.replace(profile, sends_all=True)
    return msgspec.structs.replace(few, notes="", skills=(), components=(), texts=())


def is_shown(part: str, mode: PromptMode | None) -> bool:
    """Whether a part of the system prompt is shown in this mode."""
    match mode:
        case "none":
            return False
        case "base_only":
            return part in _ALONE
        case _:
            return True
