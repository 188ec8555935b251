"""A task for a coding agent that runs in the workspace, and leave for what it asks leave for."""

import asyncio
from typing import TYPE_CHECKING

import msgspec

from agent_contracts.entities.delegates import Delegate
from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.policies import Verdict, shown_of
from agent_contracts.tool_spec import CoreTool, Effect, RunsOn
from agent_domain.policies.asked import Asked
from agent_tools.commands import LONGEST_S, Command, CommandRun
from agent_tools.context import CallContext
from agent_tools.ports import CallPolicy, Commands

if TYPE_CHECKING:
    from foldline_protoagent.acp_client import Wish

WORKSPACE = RunsOn.WORKSPACE
TIMEOUT_S = LONGEST_S + 60
"""Of the tools: a task may take `LONGEST_S`, and files are read and written before and after."""
RUNS_COMMANDS = CoreTool("run_command", "workspace")
_SILENT_S = 300.0
"""So long the agent may write nothing."""
_LOOK_S = 30.0
_TOLD = 2_000
_MOST_TOLD = 20
_READS = ("read", "search", "think")
_WRITES = {"edit": "file_write_text", "move": "file_rename", "delete": "file_delete"}


async def done_by(
    delegate: Delegate, task: str, call: CallContext, commands: Commands, policy: CallPolicy
) -> str:
    """What the agent says of the task once it is done, which files changed, and what it was refused.

    It runs in the workspace, as any command, and is ended with the call. `Permanent(kind="upstream")` for one
    that ends early, is silent for too long or answers something else than ACP says; `Rejected` with
    `approval_needed` where a person has to allow first what it wants to do: the call waits for that then.
    """
    # Heavy, and few sessions hand anything to a coding agent.
    from foldline_protoagent.acp_client import LONGEST_ANSWER, Failed, Lies, do_task

    started = await commands.run(
        Command(language="shell", text=f"pwd -P; exec {delegate.command}", background=True)
    )
    leave = _Leave(call, policy, caged=started.weaker is None)
    line = _Line(delegate, started, commands)
    try:
        async with asyncio.timeout(LONGEST_S):
            did = await do_task(line, await line.receive(), task, leave.may)
    except Lies as lie:
        raise _failed(delegate, f"doesn't keep to ACP: {lie}") from lie
    except Failed as failure:
        raise _failed(delegate, f"says: {failure}") from failure
    except TimeoutError as late:
        raise _failed(delegate, f"was not done after {LONGEST_S:g} seconds, and was ended") from late
    finally:
        over = await asyncio.shield(commands.stop(started.command_id))
    said = did.text.strip()
    if len(said) > LONGEST_ANSWER:
        said = f"{said[:LONGEST_ANSWER]}\n…[truncated]"
    if did.stop_reason != "end_turn":
        said = f"{said}\n\n[It stopped before the end: {did.stop_reason}]".strip()
    told = [said or "(It is done, and says nothing.)", *leave.refused[:_MOST_TOLD], *_changed(over)]
    return "\n".join(told)


class _Line:
    """Lines to and from the agent's process."""

    def __init__(self, delegate: Delegate, started: CommandRun, commands: Commands) -> None:
        self._delegate = delegate
        self._commands = commands
        self._id = started.command_id
        self._ending = started.ending
        self._waiting = [one for one in started.stdout.split("\n") if one]
        self._problem = started.stderr

    async def send(self, line: str) -> None:
        """See `Line`."""
        await self._exchange(line, 0)

    async def receive(self) -> str:
        """See `Line`."""
        silent = 0.0
        await asyncio.sleep(0)  # of many that wait already, others come between
        while not self._waiting:
            if self._ending != "running":
                raise await self._over()
            if silent >= _SILENT_S:
                raise _failed(self._delegate, f"said nothing for {_SILENT_S:g} seconds, and was ended")
            await self._exchange(None, _LOOK_S)
            silent += _LOOK_S
        return self._waiting.pop(0)

    async def _exchange(self, line: str | None, wait_s: float) -> None:
        try:
            came = await self._commands.exchange(self._id, line, wait_s)
        except Rejected as refused:
            if refused.kind == ErrorKind.CONFLICT:
                raise await self._over() from refused
            if refused.kind == ErrorKind.TOO_LARGE:
                raise _failed(self._delegate, f"doesn't keep to ACP: {refused.message}") from refused
            raise
        self._waiting += [one for one in came.lines if one.strip()]
        self._ending = came.ending

    async def _over(self) -> Permanent:
        run = await self._commands.look(self._id)
        wrote = " ".join(f"{self._problem} {run.stderr}".split())[-_TOLD:]
        how = f"exited with {run.exit_code}" if run.ending == "exited" else f"was ended ({run.ending})"
        return _failed(self._delegate, f"{how} before it was done. It wrote: {wrote or 'nothing'}")


class _Leave:
    """What the agent may do, by the policy: a yes of ours is never more than the policy's."""

    def __init__(self, call: CallContext, policy: CallPolicy, *, caged: bool) -> None:
        """`caged`: what it does to files is done to the session's alone, and can be undone."""
        self._call = call
        self._policy = policy
        self._caged = caged
        self.refused: list[str] = []

    async def may(self, wish: "Wish") -> bool:
        """Whether. `Rejected(kind="approval_needed")` where a person is to be asked first."""
        asked = _asked(self._call, wish, caged=self._caged)
        judged = await self._policy.judged(asked)
        if judged.verdict is Verdict.ALLOW:
            return True
        what = _in_words(wish)
        if judged.verdict is Verdict.DENY:
            self.refused.append(f"[Refused by the policy ({judged.rule}): {what}]")
            return False
        told = msgspec.structs.replace(judged, rule=f"It asks leave for “{what}”: {judged.rule}")
        self._call.wanted.needs({**shown_of(self._call.tool, told), "run": True})
        raise Rejected(f"{what} needs a person's yes ({judged.rule})", kind=ErrorKind.APPROVAL_NEEDED)


def _asked(call: CallContext, wish: "Wish", *, caged: bool) -> Asked:
    """What it comes to for the policy: as what the core tool of that kind does, in the name of the call."""
    if caged and wish.kind in _READS:
        return Asked(call.tool, call.family, Effect.PURE, alias_of=CoreTool("file_read_text", "files"))
    if caged and wish.kind in _WRITES:
        return Asked(call.tool, call.family, Effect.RECORDED, alias_of=CoreTool(_WRITES[wish.kind], "files"))
    command = _command(wish) if wish.kind == "execute" else _in_words(wish)
    return Asked(call.tool, call.family, Effect.EXTERNAL, command=command, alias_of=RUNS_COMMANDS)


def _command(wish: "Wish") -> str:
    given = wish.given.get("command") if isinstance(wish.given, dict) else None
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        given = " ".join(given)
    return given if isinstance(given, str) and given.strip() else wish.title or "(it does not say what)"


def _in_words(wish: "Wish") -> str:
    what = _command(wish) if wish.kind == "execute" else wish.title
    return f"{wish.kind}: {' '.join(what.split())[:_TOLD] or '(it does not say what)'}"


def _changed(over: CommandRun) -> list[str]:
    if not over.changed:
        return []
    names = [f"{one.path} ({one.change})" for one in over.changed[:_MOST_TOLD]]
    more = len(over.changed) - len(names)
    return [f"[Files: {', '.join(names)}{f' and {more} more' if more > 0 else ''}]"]


def _failed(delegate: Delegate, how: str) -> Permanent:
    return Permanent(f"Error: the coding agent {delegate.name} {how}", kind=ErrorKind.UPSTREAM)
