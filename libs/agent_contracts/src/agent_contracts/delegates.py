"""Delegates: other agents and models that an agent may hand work to. Only people say which there are."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.entities import EntityKind
from agent_contracts.json_value import Json
from agent_contracts.secrets import SECRET_NAME

DELEGATES_KIND, DELEGATES_NAME = EntityKind.SETTING, "delegates"
"""Where they are kept: one entity, whose value is `{"delegates": [...]}`, in their order."""
MOST_DELEGATES = 50

DelegateType = Literal["a2a", "openai"]
"""An agent that speaks A2A, or an endpoint of chat completions."""

_Line = Annotated[str, msgspec.Meta(max_length=2_000)]
_Url = Annotated[str, msgspec.Meta(max_length=2_000, pattern=r"^https?://[^\s]+$")]


class Delegate(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One of them. `secret` is the name of the secret that its `Authorization` header has (`Bearer`).
    `model` and `system_prompt` are for an `openai` one."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
    type: DelegateType
    url: _Url
    description: _Line = ""
    secret: Annotated[str, msgspec.Meta(pattern=SECRET_NAME)] | None = None
    model: _Line = ""
    system_prompt: Annotated[str, msgspec.Meta(max_length=20_000)] = ""


def delegates_in(value: Json) -> tuple[Delegate, ...]:
    """Those in an entity's value; what isn't one is left out."""
    listed = value.get("delegates") if isinstance(value, dict) else None
    found: dict[str, Delegate] = {}
    for one in listed if isinstance(listed, list) else ():
        try:
            delegate = msgspec.convert(one, Delegate)
        except msgspec.ValidationError:
            continue
        found.setdefault(delegate.name, delegate)
    return tuple(found.values())[:MOST_DELEGATES]
