"""What the scripted model says in the benchmarks: at once, in one piece, about a kilobyte."""

from typing import Any

KILOBYTE = ("plan read write test build check merge value error index cache queue event state retry " * 12)[
    :1000
]
STEPS = (1, 20, 100)


def steps(number: int) -> str:
    """The message that asks for so many steps: each a model call and a call of a tool that says 1 KB."""
    return f"steps {number}."


def burns(milliseconds: int) -> str:
    """The message that asks for one call of a tool that computes for so long."""
    return f"burn {milliseconds}."


def script(burning: tuple[int, ...] = ()) -> dict[str, Any]:
    """The script, as data. `burning` are the times, in milliseconds, that messages may ask for."""
    big = {"name": "selftest_big", "arguments": {"bytes": 1000}}
    rules: list[dict[str, Any]] = [
        _rule(steps(number), [{"text": KILOBYTE, "tool_calls": [big]}] * number) for number in STEPS
    ]
    for milliseconds in burning:
        burn = {"name": "selftest_burn", "arguments": {"ms": milliseconds}}
        rules.append(_rule(burns(milliseconds), [{"text": "", "tool_calls": [burn]}]))
    rules.append({"when": "always", "reply": {"text": "done"}})
    return {"name": "bench", "pace": {"chunks": 1}, "rules": rules}


def _rule(message: str, turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": message, "when": {"user_contains": message}, "turns": turns}
