"""other agents and models that people named"""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Protocol

import msgspec
from pydantic import Field

from agent_contracts.entities.delegates import Delegate
from agent_contracts.entities.secrets import placeholder
from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_contracts.outside import source
from agent_contracts.tool_spec import StandsIn
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.outside import AgentDelegates, AgentEgress, CallPolicy, Commands
from agent_tools.text import TextResult
from agent_tools.tool import EXTERNAL, PURE, Arguments, Pause, tool
from egress.fetching import FetchRequest
from foldline_protoagent.coding_agents.coding import TIMEOUT_S, WORKSPACE, CodingRun
from foldline_protoagent.coding_agents.line import RUNS_COMMANDS

LONGEST_S = 240.0
"""How long a task is waited for."""
_REQUEST_S = 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 5.0
_SAID = 300

_AT_WORK = ("submitted", "working")
_ASKS = ("input-required", "auth-required")


class Post(Protocol):
    """How the other agent is reached."""

    async def __call__(self, url: str, body: Json, timeout_s: float) -> Any:
        """The JSON object that it answers to this one."""
        ...


async def ask_agent(delegate: Delegate, query: str, message_id: str, post: Post) -> str:
    """What the other agent answers, or asks back. `Permanent(kind="upstream")` where its task failed, isn't
    done in time, or isn't what the protocol says."""
    message: dict[str, Json] = {
        "kind": "message",
        "role": "user",
        "messageId": message_id,
        "parts": [{"kind": "text", "text": query}],
    }
    try:
        async with asyncio.timeout(LONGEST_S):
            result = await _called(delegate, "message/send", {"message": message}, post)
            pause = _FIRST_PAUSE_S
            while _state(result) in _AT_WORK:
                task_id = result.get("id")
                if not isinstance(task_id, str) or not task_id:
                    raise _lies(delegate, "a task without an id")
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
                result = await _called(delegate, "tasks/get", {"id": task_id}, post)
    except TimeoutError as error:
        raise Permanent(
            f"Error: the delegate {delegate.name} was not done after {LONGEST_S:g} seconds; it may still be "
            "at work. Don't ask it the same again right away",
            kind=ErrorKind.UPSTREAM,
        ) from error
    return _said(delegate, result)


async def _called(delegate: Delegate, method: str, params: dict[str, Json], post: Post) -> dict[str, Any]:
    answer = await post(
        delegate.url, {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}, _REQUEST_S
    )
    match answer:
        case {"error": {"message": str(message)}}:
            said = " ".join(message.split())[:_SAID]
            raise Permanent(f"Error: the delegate {delegate.name} says: {said}", kind=ErrorKind.UPSTREAM)
        case {"result": dict(result)}:
            return result
    raise _lies(delegate, "neither a result nor an error")


def _said(delegate: Delegate, result: dict[str, Any]) -> str:
    """The words of a message, or of a task that is over or waits."""
    if _is_message(result):
        text = _text(result)
        if text:
            return text
        raise _lies(delegate, "a message without a text")
    state, status = _state(result), result.get("status")
    words = _text(status.get("message")) if isinstance(status, dict) else ""
    if state in _ASKS:
        return (
            f"⏸ {delegate.name} asks back: {words or '(without words)'}\n"
            "It knows nothing of this conversation: ask it again with all that it needs, this included."
        )
    if state == "completed":
        artifacts = result.get("artifacts")
        made = [_text(one) for one in artifacts] if isinstance(artifacts, list) else []
        text = "\n\n".join(part for part in (*made, words) if part)
        if text:
            return text
        raise _lies(delegate, "a completed task without a text")
    if state in ("failed", "rejected", "canceled"):
        raise Permanent(
            f"Error: the task of the delegate {delegate.name} ended as {state}: {words or 'it says no more'}",
            kind=ErrorKind.UPSTREAM,
        )
    raise _lies(delegate, f"a task in the state {str(state)[:40]!r}")


def _is_message(result: dict[str, Any]) -> bool:
    return result.get("kind") == "message" or ("parts" in result and "status" not in result)


def _state(result: dict[str, Any]) -> Any:
    status = result.get("status")
    return status.get("state") if isinstance(status, dict) else None


def _text(holder: Any) -> str:
    """The texts of a message's, or an artifact's, parts."""
    parts = holder.get("parts") if isinstance(holder, dict) else None
    texts = [
        one["text"]
        for one in (parts if isinstance(parts, list) else [])
        if isinstance(one, dict) and isinstance(one.get("text"), str)
    ]
    return "\n".join(texts).strip()


def _lies(delegate: Delegate, what: str) -> Permanent:
    return Permanent(
        f"Error: the delegate {delegate.name} doesn't keep to A2A: it answered {what}",
        kind=ErrorKind.UPSTREAM,
    )


class CodeWith(Arguments):
    """Who, and what."""

    agent: Annotated[str, Field(min_length=1, max_length=64, description="The coding agent's name.")]
    task: Annotated[
        str,
        Field(min_length=1, max_length=50_000, description="All that it needs, besides the session's files."),
    ]


@tool(
    "code_with",
    family="delegates",
    effect=EXTERNAL,
    runs_on=WORKSPACE,
    timeout_s=TIMEOUT_S,
    source="peer",
    needs=("delegate:acp",),
    alias_of=RUNS_COMMANDS,
)
async def code_with(  # noqa: PLR0913 — its ports
    args: CodeWith,
    call: CallContext,
    delegates: AgentDelegates,
    commands: Commands,
    policy: CallPolicy,
    clock: Clock,
) -> TextResult | Pause:
    """Let a coding agent (ACP) that the user named work on this session's files, and wait until it is done.
    What it changed are the session's files afterwards."""
    coders = [one for one in await delegates.list() if one.type == "acp"]
    coder = next((one for one in coders if one.name == args.agent), None)
    coding = CodingRun(call, commands, policy, clock)
    if coder is None:
        await coding.give_up()
        known = ", ".join(one.name for one in coders) or "(none)"
        raise Rejected(
            f"Error: unknown coding agent {args.agent!r}. Available: {known}.",
            kind=ErrorKind.NOT_FOUND,
            path="/agent",
        )
    return await coding.done_by(coder, args.task)


class DelegateTo(Arguments):
    """Whom, and what."""

    target: Annotated[str, Field(min_length=1, max_length=64, description="The delegate's name.")]
    query: Annotated[
        str,
        Field(min_length=1, max_length=50_000, description="All that it needs: it sees nothing else."),
    ]
    background: Annotated[
        bool,
        Field(
            description="Don't wait: a sub-session asks it, and reports; wait_for_sessions has its answer."
        ),
    ] = False


class PeerList(Arguments):
    """Nothing."""


@tool("peer_list", family="delegates", effect=PURE, needs=("delegate",))
async def peer_list(args: PeerList, delegates: AgentDelegates) -> TextResult:
    """List the other agents (A2A) and models that the user named, and what each is for."""
    lines = [
        f"{one.name} ({one.type}){f' — {one.description}' if one.description else ''}"
        for one in await delegates.list()
    ]
    return TextResult(text="\n".join(lines) or "No peers.")


LONGEST_ANSWER = 50_000
"""Characters of an answer that are kept."""
_ENDPOINT_S = 240.0
_asking_SAID = 300


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
            said = " ".join(answer.body.decode("utf-8", "replace").split())[:_asking_SAID]
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


@tool("delegate_to", family="delegates", effect=EXTERNAL, timeout_s=300, source="peer", needs=("delegate",))
async def delegate_to(
    args: DelegateTo, call: CallContext, delegates: AgentDelegates, egress: AgentEgress
) -> TextResult:
    """Hand a question or a task to another agent or model that the user named, and wait for its answer.
    peer_list tells which agents there are; a name that there isn't is answered with all of them."""
    delegate = require_delegate(await delegates.list(), args.target)
    return TextResult(text=await answer_of(delegate, args.query, call, egress))


@tool(
    "delegate_to_coder",
    family="delegates",
    effect=EXTERNAL,
    runs_on=WORKSPACE,
    timeout_s=TIMEOUT_S,
    source="peer",
    needs=("delegate:acp",),
    alias_of=RUNS_COMMANDS,
    stands_in=StandsIn("delegate_to", "target", delegate="acp"),
)
async def delegate_to_coder(  # noqa: PLR0913 — its ports
    args: DelegateTo,
    call: CallContext,
    delegates: AgentDelegates,
    commands: Commands,
    policy: CallPolicy,
    clock: Clock,
) -> TextResult | Pause:
    """Hand a task to a coding agent that the user named, and wait until it is done."""
    coding = CodingRun(call, commands, policy, clock)
    try:
        coder = require_delegate([one for one in await delegates.list() if one.type == "acp"], args.target)
    except Rejected:
        await coding.give_up()
        raise
    return await coding.done_by(coder, args.query)


class PeerConsult(Arguments):
    """Whom, and what."""

    name: Annotated[str, Field(min_length=1, max_length=64, description="As peer_list says it.")]
    message: Annotated[str, Field(min_length=1, max_length=50_000, description="All that it needs.")]
    skill: Annotated[str, Field(max_length=200, description="Which of its skills is meant.")] = ""


@tool(
    "peer_consult", family="delegates", effect=EXTERNAL, timeout_s=300, source="peer", needs=("delegate:a2a",)
)
async def peer_consult(
    args: PeerConsult, call: CallContext, delegates: AgentDelegates, egress: AgentEgress
) -> TextResult:
    """Send a message to another agent (A2A) that the user named, and wait for its answer."""
    peers = [one for one in await delegates.list() if one.type == "a2a"]
    peer = next((one for one in peers if one.name == args.name), None)
    if peer is None:
        known = ", ".join(one.name for one in peers) or "(none)"
        raise Rejected(
            f"Error: unknown peer {args.name!r}. Available: {known}.", kind=ErrorKind.NOT_FOUND, path="/name"
        )
    message = f"[skill: {args.skill}]\n{args.message}" if args.skill.strip() else args.message
    return TextResult(text=await answer_of(peer, message, call, egress))
