"""What the scripted model says in the benchmarks: at once, in one piece, about a kilobyte."""

from typing import Any

KILOBYTE = ("plan read write test build check merge value error index cache queue event state retry " * 12)[
    :1000
]
STEPS = (1, 20, 100)


def steps(number: int) -> str:
    """The message that asks for so many steps: each a model call and a call of a tool that says 1 KB."""
    return f"steps {number}."


def script() -> dict[str, Any]:
    """The script, as data."""
    big = {"name": "selftest_big", "arguments": {"bytes": 1000}}
    rules: list[dict[str, Any]] = [
        _rule(steps(number), [{"text": KILOBYTE, "tool_calls": [big]}] * number) for number in STEPS
    ]
    rules.append({"when": "always", "reply": {"text": "done"}})
    return {"name": "bench", "pace": {"chunks": 1}, "rules": rules}


def _rule(message: str, turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": message, "when": {"user_contains": message}, "turns": turns}
