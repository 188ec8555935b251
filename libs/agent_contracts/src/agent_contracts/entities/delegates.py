"""Delegates: other agents and models that an agent may hand work to. Only people say which there are."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SECRET_NAME
from agent_contracts.json_value import Json

DELEGATES_KIND, DELEGATES_NAME = EntityKind.SETTING, "delegates"
"""Where they are kept: one entity, whose value is `{"delegates": [...]}`, in their order."""
MOST_DELEGATES = 50
DELEGATE_TO = "protoagent.delegate_to"
"""The tool by which work is handed to them; of the pack protoAgent."""

DelegateType = Literal["a2a", "openai", "acp"]
"""An agent that speaks A2A, an endpoint of chat completions, or a coding agent that speaks ACP and runs in
the session's workspace."""

_Line = Annotated[str, msgspec.Meta(max_length=2_000)]
_Url = Annotated[str, msgspec.Meta(max_length=2_000, pattern=r"^(https?://[^\s]+)?$")]


_ELSEWHERE = ("url", "secret", "model", "system_prompt")


class Delegate(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Another agent or model that this agent can hand tasks to."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
    """What the agent calls it: 1 to 64 letters, digits, `_`, `.` or `-`."""
    type: DelegateType
    """The protocol that it speaks."""
    url: _Url = ""
    """Its address; empty for `acp`."""
    description: _Line = ""
    """What it is good for: models read it to choose."""
    secret: Annotated[str, msgspec.Meta(pattern=SECRET_NAME)] | None = None
    """Name of the agent's secret to send as a bearer token; null: none."""
    model: _Line = ""
    """The model to ask for; only for `openai`."""
    system_prompt: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    """The system prompt of its conversations; only for `openai`."""
    command: Annotated[str, msgspec.Meta(max_length=2_000, pattern=r"^[^\x00\n]*$")] = ""
    """The command line that starts it in the workspace; only for `acp`. No secret is sent to it."""

    @property
    def flaw(self) -> tuple[str, str] | None:
        """Which field doesn't go with its type, and in words why; None where all is well."""
        if self.type == "acp":
            if not self.command.strip():
                return "command", "needs a command: the line that starts it in the workspace"
            there = next((name for name in _ELSEWHERE if getattr(self, name)), None)
            why = f"has a {there}, which one that runs in the workspace can't use"
            return (there, why) if there else None
        if not self.url:
            return "url", "needs a URL"
        if self.command:
            return "command", "has a command, which only one of the type acp is started by"
        if self.type == "openai" and not self.model:
            return "model", "needs a model: its endpoint may have several"
        return None


def delegates_in(value: Json) -> tuple[Delegate, ...]:
    """Those in an entity's value; what isn't one is left out."""
    listed = value.get("delegates") if isinstance(value, dict) else None
    found: dict[str, Delegate] = {}
    for one in listed if isinstance(listed, list) else ():
        try:
            delegate = msgspec.convert(one, Delegate)
        except msgspec.ValidationError:
            continue
        if delegate.flaw is None:
            found.setdefault(delegate.name, delegate)
    return tuple(found.values())[:MOST_DELEGATES]
