"""How a runner builds the ports that its tools ask for: by providers, which ask for ports themselves."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from agent_tools.broken_tools import BrokenTools
from agent_tools.signatures import Asked, ports_of, signature_of

Provider = Callable[..., Any]
"""A function that builds a port: its return type says which, its parameters are ports to build it from."""


class _Recipe(msgspec.Struct, frozen=True):
    build: Provider
    asks: Asked


class Providers:
    """One provider for each port. Their signatures are read here, not at each call."""

    def __init__(self, given: Iterable[type], providers: Iterable[Provider]) -> None:
        """`given` are the ports that each call brings. Raises BrokenTools for a provider that doesn't say
        what it builds, for two of one port, and for one that asks for what nobody provides, or for itself."""
        self._given = frozenset(given)
        self._recipes: dict[type, _Recipe] = {}
        for port, recipe in map(_read, providers):
            if self.offers(port):
                raise BrokenTools(f"the port {port.__name__} has two providers")
            self._recipes[port] = recipe
        self._check()

    def offers(self, port: type) -> bool:
        """Whether a tool may ask for it."""
        return port in self._recipes or port in self._given

    def but(self, *providers: Provider) -> "Providers":
        """The same with other providers for some ports. Raises BrokenTools."""
        other = Providers(self._given, ())
        other._recipes = self._recipes | dict(map(_read, providers))
        other._check()
        return other

    def _check(self) -> None:
        for port, recipe in self._recipes.items():
            for _, asked in recipe.asks:
                if not self.offers(asked):
                    raise BrokenTools(f"the port {port.__name__} is built from {asked.__name__}, {_NOBODY}")
            self._refuse_circle(port, ())

    def build(self, port: type, built: dict[type, Any]) -> Any:
        """The port, from those that are `built` already, and kept with them. LookupError if nobody provides
        it."""
        found = built.get(port)
        if found is None:
            recipe = self._recipes.get(port)
            if recipe is None:
                raise LookupError(f"a tool asks for the port {port.__name__}, {_NOBODY}")
            found = built[port] = recipe.build(**self.build_all(recipe.asks, built))
        return found

    def build_all(self, asks: Asked, built: dict[type, Any]) -> Mapping[str, Any]:
        """What is asked for, by the parameters' names."""
        return {name: self.build(port, built) for name, port in asks}

    def _refuse_circle(self, port: type, above: tuple[type, ...]) -> None:
        if port in above:
            circle = " → ".join(one.__name__ for one in (*above, port))
            raise BrokenTools(f"a port is built from itself: {circle}")
        if port in self._recipes:
            for _, asked in self._recipes[port].asks:
                self._refuse_circle(asked, (*above, port))


_NOBODY = "which this runner doesn't provide"


def _read(provider: Provider) -> tuple[type, _Recipe]:
    try:
        signature = signature_of(provider)
        ((_, port),) = ports_of(provider, (("return", signature.returns),))
        return port, _Recipe(provider, ports_of(provider, signature.parameters))
    except TypeError as error:
        raise BrokenTools(f"not a provider of a port: {error}") from error
