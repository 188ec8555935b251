"""What a coding agent may do, by the policy of the call that it works for."""

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.policies import Verdict, shown_of
from agent_contracts.tool_spec import CoreTool, Effect
from agent_domain.policies.policy_request import PolicyRequest
from agent_tools.context import CallContext
from agent_tools.ports.outside import CallPolicy
from foldline_protoagent.coding_agents.acp.messages import Wish
from foldline_protoagent.coding_agents.line import RUNS_COMMANDS

_LONGEST = 2_000
_READS = ("read", "search", "think")
_WRITES = {"edit": "file_write_text", "move": "file_rename", "delete": "file_delete"}


class AcpPermissions:
    """A yes of ours is never more than the policy's."""

    def __init__(
        self, call: CallContext, policy: CallPolicy, *, caged: bool, refused: tuple[str, ...]
    ) -> None:
        """`caged`: what it does to files is done to the session's alone, and can be undone. `refused` is what
        it was refused before."""
        self._call = call
        self._policy = policy
        self._caged = caged
        self.refused = list(refused)
        self.show: dict[str, Json] = {}
        """What a person is to be asked."""

    async def may(self, wish: Wish) -> bool | None:
        """Whether. None where a person is to be asked."""
        judged = await self._policy.judged(_asked(self._call, wish, caged=self._caged))
        if judged.verdict is Verdict.ALLOW:
            return True
        what = in_words(wish)
        if judged.verdict is Verdict.DENY:
            self.refused.append(f"[Refused by the policy ({judged.rule}): {what}]")
            return False
        told = msgspec.structs.replace(judged, rule=f"It asks leave for “{what}”: {judged.rule}")
        self.show = {**shown_of(self._call.tool, told), "run": True}
        return None


def _asked(call: CallContext, wish: Wish, *, caged: bool) -> PolicyRequest:
    """What it comes to for the policy: as what the core tool of that kind does, in the name of the call."""
    if caged and wish.kind in _READS:
        return PolicyRequest(
            call.tool, call.family, Effect.PURE, alias_of=CoreTool("file_read_text", "files")
        )
    if caged and wish.kind in _WRITES:
        return PolicyRequest(
            call.tool, call.family, Effect.RECORDED, alias_of=CoreTool(_WRITES[wish.kind], "files")
        )
    command = _command(wish) if wish.kind == "execute" else in_words(wish)
    return PolicyRequest(
        call.tool, call.family, Effect.EXTERNAL, command=command, alias_of=RUNS_COMMANDS, hands_over=True
    )


def _command(wish: Wish) -> str:
    given = wish.given.get("command") if isinstance(wish.given, dict) else None
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        given = " ".join(given)
    return given if isinstance(given, str) and given.strip() else wish.title or "(it does not say what)"


def in_words(wish: Wish) -> str:
    """What it wants, on one line."""
    what = _command(wish) if wish.kind == "execute" else wish.title
    return f"{wish.kind}: {' '.join(what.split())[:_LONGEST] or '(it does not say what)'}"
