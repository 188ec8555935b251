"""A model call as text: every message as the model got it, the names of its tools, and what it said."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.markup import escape

from foldline.cli.output import clean, console

_RULE = 72
"""Characters of a heading's line."""


def print_model_call(shown: Mapping[str, Any]) -> None:
    """Print what `GET /sessions/{id}/model-calls/{n}` gave."""
    request = shown["request"]
    _print(f"[bold]Model call {shown['number']}[/] of {shown['session_id']}, {escape(request['model'])}")
    _print(f"[dim]{escape(_when(shown))}[/]")
    for message in request["messages"]:
        _heading(_role(message))
        for line in (*_texts(message.get("content")), *_calls(message.get("tool_calls") or ())):
            _print(escape(clean(line)))
    names = [tool["function"]["name"] for tool in request.get("tools") or ()]
    _heading(f"{len(names)} tools were sent; --json has their definitions")
    _print(escape(", ".join(names)))
    _heading("what it said")
    _print_outcome(shown)


def _print_outcome(shown: Mapping[str, Any]) -> None:
    answer, error = shown.get("answer"), shown.get("error")
    if answer is not None:
        if answer.get("text"):
            _print(escape(clean(answer["text"])))
        for call in answer.get("tool_calls") or ():
            _print(escape(clean(f"→ {call['tool']} {_compact(call['arguments'])}")))
    if error is not None:
        _print(f"[red]✗ {escape(clean(str(error.get('message', error))))}[/]")
    if answer is None and error is None:
        _print("Nothing yet: it is being asked.")


def _when(shown: Mapping[str, Any]) -> str:
    words = [f"asked by event {shown['requested_sequence']}"]
    if shown.get("result_sequence") is not None:
        words.append(f"answered by event {shown['result_sequence']}")
    answer = shown.get("answer") or {}
    if (usage := answer.get("usage")) is not None:
        cached = usage.get("cached_input", 0)
        words.append(
            f"{usage.get('input', 0):,} tokens in ({cached:,} cached), {usage.get('output', 0):,} out"
        )
    if answer.get("latency_ms") is not None:
        words.append(f"{answer['latency_ms'] / 1000:.1f} s")
    return ", ".join(words)


def _role(message: Mapping[str, Any]) -> str:
    role = str(message["role"])
    return f"{role}, the result of {message['tool_call_id']}" if message.get("tool_call_id") else role


def _texts(content: object) -> Iterator[str]:
    """A message's text, and what else it holds by name: pictures are long."""
    if isinstance(content, str):
        if content:
            yield content
    elif isinstance(content, list):
        for part in content:
            yield part["text"] if part.get("type") == "text" else f"[{part.get('type', 'part')}]"


def _calls(calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for call in calls:
        yield f"→ {call['function']['name']} {call['function']['arguments']} ({call['id']})"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _heading(words: str) -> None:
    _print(f"\n[bold cyan]── {escape(words)} {'─' * max(3, _RULE - len(words))}[/]")


def _print(line: str) -> None:
    console.print(line, highlight=False, soft_wrap=True)
