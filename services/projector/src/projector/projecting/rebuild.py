"""Building a projection anew from the log: to replace the live tables, or to check them."""

import time

import msgspec
import structlog

from agent_contracts.errors import Rejected
from agent_platform.log.port import Log
from projector.projecting.compare import TableComparison
from projector.projecting.projection import Projection
from projector.projecting.scratch import scratch

log = structlog.get_logger()


class RebuildReport(msgspec.Struct, frozen=True):
    """What was found: the sequence the new tables reached, how long it took, and how the tables compared.

    `compared` is None where the live tables were of another version, or missing.
    """

    sequence: int
    seconds: float
    compared: list[TableComparison] | None

    @property
    def differing(self) -> int:
        """How many live rows were not what the log says."""
        return sum(comparison.differing for comparison in self.compared or [])


async def rebuild(projection: Projection, dsn: str, events: Log) -> RebuildReport:
    """Build the tables anew from the whole log, compare, and put them in the live ones' place.

    Readers see the old tables up to one moment and the new ones after it; a live projector goes on
    meanwhile and afterwards. Raises `Rejected` if another rebuild or check is running.
    """
    began = time.monotonic()
    async with scratch(projection, dsn, events, f"{projection.schema}_next") as new:
        compared = await new.compare_with_live()
        await new.replace_live()
        report = RebuildReport(new.position, time.monotonic() - began, compared)
    log.info("projection.rebuilt", **_told(projection, report))
    return report


async def check(projection: Projection, dsn: str, events: Log) -> RebuildReport:
    """Build the tables anew beside the live ones, compare the two at one sequence, and drop the new ones.

    Raises `Rejected` if there is nothing to compare with, or another rebuild or check is running.
    """
    began = time.monotonic()
    async with scratch(projection, dsn, events, f"{projection.schema}_check") as new:
        compared = await new.compare_with_live()
        if compared is None:
            raise Rejected("there are no tables of this version over this log: nothing to compare")
        report = RebuildReport(new.position, time.monotonic() - began, compared)
    log.info("projection.checked", **_told(projection, report))
    return report


def _told(projection: Projection, report: RebuildReport) -> dict[str, object]:
    return {
        "projection": projection.name,
        "sequence": report.sequence,
        "seconds": round(report.seconds, 3),
        "differing": report.differing if report.compared is not None else None,
    }
