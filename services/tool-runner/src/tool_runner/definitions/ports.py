"""The ports to what definitions are checked against."""

from agent_tools.providers import Provider
from tool_runner.definitions.built_in import BuiltIn


def definition_ports(built_in: BuiltIn) -> tuple[Provider, ...]:
    """Each is the same for every call."""

    def the_built_in() -> BuiltIn:
        return built_in

    return (the_built_in,)
