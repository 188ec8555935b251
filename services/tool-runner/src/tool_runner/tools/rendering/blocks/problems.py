"""How blocks are refused."""

from agent_contracts.errors import ErrorKind, Rejected


def wrong(path: str, why: str) -> Rejected:
    """The refusal of what stands at `path` (a JSON Pointer into the arguments)."""
    return Rejected(f"{path}: {why}; nothing was shown", kind=ErrorKind.INVALID_ARGUMENTS, path=path)
