"""All lists of what was done, as the files of this folder declare them."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from agent_contracts import lists
from agent_contracts.lists.kind import AnyListKind

_OTHERS = ("kind", "registry")


def _declared(name: str) -> AnyListKind:
    found: AnyListKind = getattr(import_module(f"agent_contracts.lists.{name}"), name.upper())
    assert found.name == name, f"the list {found.name} must be in the file of its name, not in {name}"
    return found


LISTS: Mapping[str, AnyListKind] = {
    module.name: _declared(module.name)
    for module in sorted(iter_modules(lists.__path__), key=lambda module: module.name)
    if module.name not in _OTHERS
}
"""Every list's declaration, by its name: that of `commands` is `COMMANDS` in `lists/commands.py`."""
