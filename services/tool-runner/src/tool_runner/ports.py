"""The ports that all calls of this runner share."""

from agent_platform.blobs.port import Blobs
from agent_platform.process.clock import Clock
from agent_tools.ports import Compute
from agent_tools.providers import Provider
from tool_runner.definitions.built_in import BuiltIn


def shared_ports(clock: Clock, blobs: Blobs, compute: Compute, built_in: BuiltIn) -> tuple[Provider, ...]:
    """Each is the same for every call."""

    def the_clock() -> Clock:
        return clock

    def the_blobs() -> Blobs:
        return blobs

    def the_compute() -> Compute:
        return compute

    def the_built_in() -> BuiltIn:
        return built_in

    return the_clock, the_blobs, the_compute, the_built_in
