"""Lines to and from a coding agent's process in the workspace."""

import asyncio

from agent_contracts.entities.delegates import Delegate
from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.tool_spec import CoreTool
from agent_tools.commands import CommandRun
from agent_tools.ports.outside import Commands

RUNS_COMMANDS = CoreTool("run_command", "workspace")
"""What a coding agent counts as, to the policy."""
SILENT_S = 300.0
"""So long the agent may write nothing."""
LOOK_S = 30.0
LONGEST_ANSWER = 50_000
"""Characters of what the agent says that are kept."""
_TOLD = 2_000


class AgentLine:
    """See `acp.client.AcpConnection`. `Permanent(kind="upstream")` where it ended, or is silent too long."""

    def __init__(self, delegate: Delegate, run: CommandRun, commands: Commands) -> None:
        """`run` is what it wrote so far, in both ways."""
        self._delegate = delegate
        self._commands = commands
        self._id = run.command_id
        self._ending = run.ending
        self._came = [one for one in run.stdout.split("\n") if one]
        self._wrote = run.stderr

    async def send(self, line: str) -> None:
        """See `AcpConnection`."""
        await self._exchange(line, 0)

    async def receive(self) -> str:
        """See `AcpConnection`."""
        silent = 0.0
        await asyncio.sleep(0)  # of many that wait already, others come between
        while not self._came:
            if self._ending != "running":
                raise await self._over()
            if silent >= SILENT_S:
                raise failed(self._delegate, f"said nothing for {SILENT_S:g} seconds, and was ended")
            await self._exchange(None, LOOK_S)
            silent += LOOK_S
        return self._came.pop(0)

    def rest(self) -> list[str]:
        """See `AcpConnection`."""
        came, self._came = self._came, []
        return came

    async def _exchange(self, line: str | None, wait_s: float) -> None:
        try:
            exchanged = await self._commands.exchange(self._id, line, wait_s)
        except Rejected as refused:
            if refused.kind == ErrorKind.CONFLICT:
                raise await self._over() from refused
            if refused.kind == ErrorKind.TOO_LARGE:
                raise failed(self._delegate, f"doesn't keep to ACP: {refused.message}") from refused
            raise
        self._came += [one for one in exchanged.lines if one.strip()]
        self._ending = exchanged.ending

    async def _over(self) -> Permanent:
        run = await self._commands.look(self._id)
        wrote = " ".join(f"{self._wrote} {run.stderr}".split())[-_TOLD:]
        how = f"exited with {run.exit_code}" if run.ending == "exited" else f"was ended ({run.ending})"
        return failed(self._delegate, f"{how} before it was done. It wrote: {wrote or 'nothing'}")


def failed(delegate: Delegate, how: str) -> Permanent:
    """That it didn't do its task, and why."""
    return Permanent(f"Error: the coding agent {delegate.name} {how}", kind=ErrorKind.UPSTREAM)
