"""Where in the author's code an error was thrown, read from the guest's stack."""

import re

from tool_runner.sandbox.outcome import CodeError, FailureKind

_MOST_LINES = 30
_OURS = ("at apply (native)", "at compile (native)")
"""How the guest called the author's code."""


def code_error(told: dict[str, str], file: str) -> CodeError:
    """The guest's error as the author is told it. What the guest says is hostile: anything may be missing."""
    stack = "\n".join(line.rstrip() for line in told.get("stack", "").splitlines()[:_MOST_LINES])
    while (cut := stack.rpartition("\n")) and cut[2].strip() in _OURS:
        stack = cut[0]
    at = _place(stack, file)
    try:
        kind = FailureKind(told.get("kind", ""))
    except ValueError:
        kind = FailureKind.EXCEPTION
    return CodeError(
        kind=kind,
        name=told.get("name", "Error"),
        message=told.get("message", ""),
        stack=stack,
        file=at[0] if at else None,
        line=at[1] if at else None,
        column=at[2] if at else None,
        code=told.get("code"),
    )


def _place(stack: str, file: str) -> tuple[str, int, int] | None:
    """The first frame in the author's file; else the first in a library."""
    for name in (re.escape(file), r"lib:[^:\n]{1,200}"):
        if found := re.search(rf"(?:\(|at )({name}):(\d{{1,9}}):(\d{{1,9}})", stack):
            return found[1], int(found[2]), int(found[3])
    return None
