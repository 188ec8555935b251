"""What the model says in the benchmarks: at once, in one piece, about a kilobyte."""

KILOBYTE = ("plan read write test build check merge value error index cache queue event state retry " * 12)[
    :1000
]
TOOL = {"name": "selftest_big", "arguments": {"bytes": 1000}}
"""What the model calls in each step."""


def steps(number: int) -> str:
    """The message that asks for so many steps: each a model call and a call of a tool that says 1 KB."""
    return f"steps {number}."
