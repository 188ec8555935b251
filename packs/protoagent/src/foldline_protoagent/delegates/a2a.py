"""A2A (0.3, JSON-RPC): a message to another agent, and its task until it ends or waits."""

import asyncio
from typing import Any, Protocol

from agent_contracts.entities.delegates import Delegate
from agent_contracts.errors import ErrorKind, Permanent
from agent_contracts.json_value import Json

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
