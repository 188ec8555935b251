"""What a person's answer ends a call with that needs a yes. Coded once: for the fold, and for the rows."""

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.policies import ApprovalAnswer

_NOW_ALLOWED = (
    "The user has now allowed what this call wanted to send. The call itself ended before: make it again "
    "if it is still needed."
)


def answer_to(answer: ApprovalAnswer, *, was_run: bool) -> ToolError | None:
    """The call's ending: refused, or allowed too late for the run that it had. None: it runs now."""
    if answer.decision == "refuse":
        return ToolError(ErrorKind.REFUSED, _refused(answer.reason))
    return ToolError(ErrorKind.APPROVAL_NEEDED, _NOW_ALLOWED, retryable=True) if was_run else None


def _refused(reason: str | None) -> str:
    said = f": {reason.strip()}" if reason and reason.strip() else " and gave no reason"
    return (
        f"The user refused this call{said}. Do not try it again in another way unless the user asks for it."
    )
