"""The tools of a runner, together with the ports that they ask for."""

from typing import Any

from agent_tools.context import CallContext
from agent_tools.ports.running import OtherTools
from agent_tools.providers import Provider, Providers
from agent_tools.registry import Registry
from agent_tools.tool import Pause, Result, Tool

GIVEN: tuple[type, ...] = (CallContext, OtherTools)
"""The ports that every call brings, whatever the runner."""


class Toolbox:
    """Finds tools by name, and opens them for calls."""

    def __init__(self, registry: Registry, providers: Providers) -> None:
        """Raises BrokenTools where a tool that every agent has asks for a port that nobody provides."""

        def problem(tool: Tool) -> str | None:
            lacking = next(((name, port) for name, port in tool.asks if not providers.offers(port)), None)
            if lacking is None:
                return None
            name, port = lacking
            return (
                f"the tool {tool.spec.name!r} ({tool.module}) asks by {name!r} for the port "
                f"{port.__name__}, which this runner doesn't provide"
            )

        self.registry = registry.where(problem)
        self._providers = providers

    @classmethod
    def of(cls, registry: Registry, *providers: Provider) -> "Toolbox":
        """The registry's tools with the ports that these build. Raises BrokenTools."""
        return cls(registry, Providers(GIVEN, providers))

    def find(self, name: str) -> Tool | None:
        """The tool of this id, or None."""
        return self.registry.get(name)

    def but(self, *providers: Provider) -> "Toolbox":
        """The same tools, which get some ports from other providers."""
        return Toolbox(self.registry, self._providers.but(*providers))

    def opened(self, context: CallContext) -> "OpenToolbox":
        """For one call."""
        return OpenToolbox(self, self._providers, context)


class OpenToolbox:
    """Runs tools within one call. A port is built when the first of them asks for it, once."""

    def __init__(self, toolbox: Toolbox, providers: Providers, context: CallContext) -> None:
        self.context = context
        self._toolbox = toolbox
        self._providers = providers
        self._built: dict[type, Any] = {CallContext: context, OtherTools: self}

    def find(self, name: str) -> Tool | None:
        """See `OtherTools`."""
        return self._toolbox.find(name)

    def port(self, port: type) -> Any:
        """A port of this call; None where the runner offers no such port."""
        return self._providers.build(port, self._built) if self._providers.offers(port) else None

    async def run(self, tool: Tool, args: Any) -> Result | Pause:
        """See `OtherTools`."""
        try:
            return await tool.run(args, **self._providers.build_all(tool.asks, self._built))
        finally:
            if tool.spec.source is not None:
                self.context.outside.bring_some(tool.spec.source, tool.spec.name)
