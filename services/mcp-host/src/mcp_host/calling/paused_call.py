"""What is kept of a call while it pauses, and of which tool it is a call."""

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from agent_contracts.errors import ErrorKind, Permanent
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Resume
from agent_contracts.sessions.rendering import MCP_TASK
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.context import CallContext
from agent_tools.tool import Pause
from mcp_host.calling import tasks
from mcp_host.calling.questions import ServerQuestion
from mcp_host.calling.tasks import CreatedTask, FoundTask, WatchedTask


class PausedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a call stood when it paused: what was `asked`, how many times in all, and how it goes on. `held`:
    it is open still; `again`: it is sent anew; `task`: the server works on it; else it is sent with the
    answers, those that models `gave` among them, and the server's own `state`. It had models asked `sampled`
    times."""

    how: Literal["held", "again", "answered", "task"]
    asked: tuple[ServerQuestion, ...] = ()
    times: int = 0
    state: str | None = None
    task: WatchedTask | None = None
    gave: dict[str, dict[str, Json]] = {}
    sampled: int = 0


class NamedTool(msgspec.Struct, frozen=True):
    """What is called: of a server, by its name there and the name that models know."""

    server: str
    name: str
    offered: str


def kept_by(context: CallContext) -> PausedCall | None:
    """How the call stood when it paused, if it had."""
    resumed = context.resumed
    return None if resumed is None else msgspec.convert(resumed.state, PausedCall)


def later(  # noqa: PLR0913 — all that is shown, and kept
    tool: NamedTool,
    round_: int,
    task: WatchedTask,
    clock: Clock,
    times: int,
    now: CreatedTask | FoundTask | None,
    said: str = "",
) -> Pause:
    """The task is looked after again after a while. `Permanent` once that has been done for long enough."""
    if clock.now() >= datetime.fromisoformat(task.until):
        message = "the server's task was not done in its time; what became of it isn't known"
        raise Permanent(message, kind=ErrorKind.OUTCOME_UNKNOWN)
    at = clock.now() + timedelta(seconds=tasks.pause_s(now, task.looks))
    show: dict[str, Json] = {
        "kind": MCP_TASK,
        "title": f"The MCP server {tool.server} works on it{f': {said}' if said else ''}",
        "server": tool.server,
        "tool": tool.offered,
        "round": round_ + 1,
    }
    kept: Json = msgspec.to_builtins(PausedCall("task", times=times, task=task))
    return Pause(show, None, Resume(round_ + 1, kept, rfc3339(at), looks=True))
