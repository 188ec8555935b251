"""What the API takes about scheduled tasks. They are checked by the rules of the agent's own tools."""

from agent_contracts.entities.schedules import Misfire, Overlap
from agent_domain.schedules.rules import ScheduleDraft
from gateway.http.wire.request import Current, Request


class NewSchedule(Request):
    """A task and exactly one of `at` (ISO 8601; without an offset, in `timezone`) and `cron` (five fields, or
    an alias such as `@daily`).

    Without a `timezone` it is the agent's; without a `model` or `token_limit`, those of any new session.
    """

    name: str
    task: str
    at: str | None = None
    cron: str | None = None
    timezone: str | None = None
    model: str | None = None
    token_limit: int | None = None
    misfire: Misfire = "run_once"
    overlap: Overlap = "skip"

    @property
    def draft(self) -> ScheduleDraft:
        """What is asked for."""
        return ScheduleDraft(**self.model_dump(exclude={"version"}))


class WriteSchedule(NewSchedule):
    """The whole task from now on; a paused one stays so."""

    version: Current = None


class WhenRequest(Request):
    """When a task would run: as in a task. Without a `timezone` it is the agent's."""

    at: str | None = None
    cron: str | None = None
    timezone: str | None = None
