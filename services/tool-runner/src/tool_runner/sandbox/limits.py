"""How much a run may use. Each limit that is hit has a failure kind of its own."""

import msgspec

MIB = 1024 * 1024

LARGEST_MEMORY = 128 * MIB
"""What the guest was built with as its maximum: a larger `RunLimits.memory` gives no more."""


class RunLimits(msgspec.Struct, frozen=True):
    """Limits of one run. Times are in seconds, sizes in bytes of UTF-8, counts are of things at a time.

    `memory` is all that the guest has; seven eighths of it are the JavaScript heap. `pending_bytes` are the
    arguments of all pending host calls, of which the host is asked so many `calls_at_once`. `quotas` are host
    calls by name, per run.
    """

    wall_s: float = 30.0
    cpu_s: float = 30.0
    memory: int = LARGEST_MEMORY
    result: int = 4 * MIB
    logs: int = 256 * 1024
    pending_calls: int = 1000
    pending_bytes: int = 16 * MIB
    calls_at_once: int = 64
    argument: int = 4 * MIB
    timer_s: float = 30.0
    quotas: dict[str, int] = msgspec.field(default_factory=lambda: {"llm.generate": 50, "mcp.callTool": 50})

    @property
    def heap(self) -> int:
        """Bytes of JavaScript heap."""
        return min(self.memory, LARGEST_MEMORY) // 8 * 7
