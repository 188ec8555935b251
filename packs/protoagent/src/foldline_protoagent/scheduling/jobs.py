"""The agent's scheduled tasks as jobs: known by the id that they were given, else by their own."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_tools.core_tools import core_result
from agent_tools.ports.running import OtherTools


class Job(msgspec.Struct, frozen=True):
    """One of them. A `name` of one word is the job id that it was given."""

    id: str
    name: str
    task: str
    at: str | None
    cron: str | None
    timezone: str
    next_run: str | None

    @property
    def job_id(self) -> str:
        """By what it is cancelled."""
        return self.id if " " in self.name else self.name

    @property
    def schedule(self) -> str:
        """When it runs, as it was asked for."""
        return self.cron or self.at or ""


async def all_jobs(tools: OtherTools) -> Sequence[Job]:
    """Those of this agent, paused ones too."""
    found: Any = await core_result(tools, "list_scheduled_tasks", {"include_disabled": True})
    return msgspec.convert(found["tasks"], list[Job])


def job_of(jobs: Sequence[Job], job_id: str) -> Job | None:
    """The one of this id."""
    return next((job for job in jobs if job_id in (job.id, job.job_id)), None)
