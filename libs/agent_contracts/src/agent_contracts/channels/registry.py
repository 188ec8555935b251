"""All kinds of notification channels, as the files of this folder and other distributions declare them."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Union

import msgspec

from agent_contracts import channels
from agent_contracts.channels.kind import AnyChannelKind, ChannelKind, ChannelTarget
from agent_contracts.extensions import ExtensionFlaw, loaded

_OTHERS = ("kind", "registry")


def _declared(name: str) -> AnyChannelKind:
    found: AnyChannelKind = getattr(import_module(f"agent_contracts.channels.{name}"), name.upper())
    assert found.name == name, f"the tag of {found.shape.__name__} must be {name}, as its file is named"
    return found


_OURS: Mapping[str, AnyChannelKind] = {
    module.name: _declared(module.name)
    for module in sorted(iter_modules(channels.__path__), key=lambda module: module.name)
    if module.name not in _OTHERS
}


def check_channel(name: str, kind: AnyChannelKind) -> None:
    """Raises for a kind of another distribution that can't be offered."""
    if kind.name != name:
        raise ExtensionFlaw(f"the tag of {kind.shape.__name__} is {kind.name!r}, its entry point {name!r}")
    if name in _OURS:
        raise ExtensionFlaw(f"Foldline has a channel {name} itself")
    if not kind.sender:
        raise ExtensionFlaw("it names no `sender`")
    if not (isinstance(kind.shape, type) and issubclass(kind.shape, ChannelTarget) and kind.inputs):
        raise ExtensionFlaw("its shape is no ChannelTarget with members that are `declared`")
    msgspec.json.Decoder(kind.shape)


CHANNEL_KINDS: Mapping[str, AnyChannelKind] = {**_OURS, **loaded("channel", ChannelKind, check_channel)}
"""Every kind's declaration, by its name: that of `ntfy` is `NTFY` in `channels/ntfy.py`."""

if TYPE_CHECKING:
    AnyTarget = ChannelTarget
else:
    AnyTarget = Union[tuple(one.shape for one in CHANNEL_KINDS.values())]  # noqa: UP007 — made of what is there
