"""Room for what an agent keeps, with its buckets in memory."""

from agent_contracts.log.subjects import QUOTAS_BUCKET, SNAPSHOTS_BUCKET
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log
from agent_platform.log.quotas.room import Room
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog


def memory_room(events: Log, limit: int) -> Room:
    """Room on a log, which counts no snapshots."""
    snapshots, writing = (Bucket(MemoryLog(), name) for name in (SNAPSHOTS_BUCKET, QUOTAS_BUCKET))
    return Room(events, snapshots, writing, SystemClock(), limit)
