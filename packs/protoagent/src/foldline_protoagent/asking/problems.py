"""How a form is refused."""

from agent_contracts.errors import ErrorKind, Rejected


def wrong(path: str, why: str) -> Rejected:
    """The refusal of what stands at `path` (a JSON Pointer into the arguments)."""
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=path)
