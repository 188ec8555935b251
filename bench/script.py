"""What the model says in the benchmarks: at once, in one piece, about a kilobyte."""

KILOBYTE = ("plan read write test build check merge value error index cache queue event state retry " * 12)[
    :1000
]
TOOL = "selftest_big"
"""What the model calls in each step."""


def arguments(step: int) -> dict[str, int]:
    """With what it calls it: a kilobyte, and never the same twice in a row, which would be a loop."""
    return {"bytes": 1000 + step % 2}


def steps(number: int) -> str:
    """The message that asks for so many steps: each a model call and a call of a tool that says 1 KB."""
    return f"steps {number}."
