"""One question to a delegate, by the protocol that it speaks."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_contracts.entities.delegates import Delegate
from agent_contracts.entities.secrets import placeholder
from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_contracts.outside import source
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentEgress
from egress.fetching import FetchRequest
from foldline_protoagent.delegates.a2a import ask_agent

LONGEST_ANSWER = 50_000
"""Characters of an answer that are kept."""
_ENDPOINT_S = 240.0
_SAID = 300


async def answer_of(delegate: Delegate, query: str, call: CallContext, egress: AgentEgress) -> str:
    """What the delegate answers, or asks back.

    `Rejected(kind="not_available")` without its secret, `upstream` for one that fails, takes too long or
    answers something else than its protocol says.
    """
    call.outside.bring(source("peer", delegate.name))
    post = _Posting(delegate, egress)
    if delegate.type == "a2a":
        answer = await ask_agent(delegate, query, call.idempotency_key, post)
    else:
        answer = await _ask_endpoint(delegate, query, post)
    if len(answer) > LONGEST_ANSWER:
        return f"{answer[:LONGEST_ANSWER]}\n…[truncated]"
    return answer


def require_delegate(delegates: Sequence[Delegate], name: str) -> Delegate:
    """The one of this name. `Rejected(kind="not_found")`, which says which there are."""
    found = next((one for one in delegates if one.name == name), None)
    if found is None:
        known = ", ".join(one.name for one in delegates) or "(none)"
        raise Rejected(
            f"Error: unknown delegate {name[:80]!r}. Available: {known}.",
            kind=ErrorKind.NOT_FOUND,
            path="/target",
        )
    return found


class _Posting:
    """Posts JSON to one delegate, with its secret."""

    def __init__(self, delegate: Delegate, egress: AgentEgress) -> None:
        self._delegate = delegate
        self._egress = egress

    async def __call__(self, url: str, body: Json, timeout_s: float) -> Any:
        """The JSON object that it answers."""
        delegate = self._delegate
        authorization = (
            (("Authorization", f"Bearer {placeholder(delegate.secret)}"),) if delegate.secret else ()
        )
        headers = (("Content-Type", "application/json"), ("Accept", "application/json"), *authorization)
        request = FetchRequest(url, "POST", headers, msgspec.json.encode(body), timeout_s=timeout_s)
        try:
            answer = await self._egress.fetch(request)
        except Rejected as refused:
            if refused.kind != ErrorKind.NOT_FOUND:
                raise
            raise Rejected(
                f"Error: the delegate {delegate.name} needs the secret {delegate.secret}, which this agent "
                "doesn't have: a person adds it",
                kind=ErrorKind.NOT_AVAILABLE,
            ) from refused
        if not answer.ok:
            said = " ".join(answer.body.decode("utf-8", "replace").split())[:_SAID]
            raise Permanent(
                f"Error: the delegate {delegate.name} answered {answer.status}: {said or 'nothing'}",
                kind=ErrorKind.UPSTREAM,
            )
        try:
            return msgspec.json.decode(answer.body, type=dict[str, Any])
        except msgspec.MsgspecError as error:
            raise Permanent(
                f"Error: the delegate {delegate.name} answered something that is not a JSON object",
                kind=ErrorKind.UPSTREAM,
            ) from error


async def _ask_endpoint(delegate: Delegate, query: str, post: _Posting) -> str:
    system: list[Json] = (
        [{"role": "system", "content": delegate.system_prompt}] if delegate.system_prompt else []
    )
    body: dict[str, Json] = {
        "model": delegate.model,
        "messages": [*system, {"role": "user", "content": query}],
    }
    answer = await post(f"{delegate.url.rstrip('/')}/chat/completions", body, _ENDPOINT_S)
    match answer:
        case {"choices": [{"message": {"content": str(text)}}, *_]} if text.strip():
            return text
    raise Permanent(
        f"Error: the delegate {delegate.name} answered without a message", kind=ErrorKind.UPSTREAM
    )
