"""The ports of the platform, which every runner offers: the same for each call."""

from agent_platform.log.blobs.port import Blobs
from agent_platform.process.clock import Clock
from agent_tools.providers import Provider


def platform_ports(clock: Clock, blobs: Blobs) -> tuple[Provider, ...]:
    """Which time it is, and where large values are kept."""

    def the_clock() -> Clock:
        return clock

    def the_blobs() -> Blobs:
        return blobs

    return the_clock, the_blobs
