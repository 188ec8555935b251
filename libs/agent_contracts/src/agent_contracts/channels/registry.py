"""All kinds of notification channels, as the files of this folder declare them."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Union

from agent_contracts import channels
from agent_contracts.channels.kind import AnyChannelKind, ChannelTarget

_OTHERS = ("kind", "registry")


def _declared(name: str) -> AnyChannelKind:
    found: AnyChannelKind = getattr(import_module(f"agent_contracts.channels.{name}"), name.upper())
    assert found.name == name, f"the tag of {found.shape.__name__} must be {name}, as its file is named"
    return found


CHANNEL_KINDS: Mapping[str, AnyChannelKind] = {
    module.name: _declared(module.name)
    for module in sorted(iter_modules(channels.__path__), key=lambda module: module.name)
    if module.name not in _OTHERS
}
"""Every kind's declaration, by its name: that of `ntfy` is `NTFY` in `channels/ntfy.py`."""

if TYPE_CHECKING:
    AnyTarget = ChannelTarget
else:
    AnyTarget = Union[tuple(one.shape for one in CHANNEL_KINDS.values())]  # noqa: UP007 — made of what is there
