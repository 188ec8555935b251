"""Build the messages of a conversation and ask a script what it says to them, without a server."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from demo_model.conversation import read
from demo_model.loading import from_data
from demo_model.script import Script
from demo_model.scripted_answer import ScriptedAnswer, answer

NOON = datetime(2030, 1, 2, 12, 0, tzinfo=UTC)
"""What the clock says."""


def user(text: str) -> dict[str, Any]:
    """A user message."""
    return {"role": "user", "content": text}


def assistant(text: str = "", *calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    """An assistant message; each call is (id, name, arguments)."""
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for call_id, name, arguments in calls
        ],
    }


def result(call_id: str, value: Any) -> dict[str, Any]:
    """A tool message with a JSON result."""
    return {"role": "tool", "tool_call_id": call_id, "content": json.dumps(value)}


def offering(*names: str) -> list[dict[str, Any]]:
    """The `tools` of a request that offers tools of these names."""
    return [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names
    ]


def says(
    script: Script | dict[str, Any],
    messages: Sequence[dict[str, Any]],
    tools: Sequence[str] = (),
    **body: Any,
) -> ScriptedAnswer:
    """What the script answers, at noon."""
    read_script = script if isinstance(script, Script) else from_data(script)
    request = {"model": "demo", "messages": list(messages), "tools": offering(*tools), **body}
    return answer(read_script, read(request), lambda: NOON)


def made_calls(said: ScriptedAnswer) -> list[tuple[str, Any]]:
    """Names and arguments of the tool calls in an answer."""
    return [(call.name, json.loads(call.arguments)) for call in said.calls]
