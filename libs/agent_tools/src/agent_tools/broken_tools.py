"""The failure of a runner that can't start with its tools."""

from agent_contracts.errors import Rejected


class BrokenTools(Rejected):
    """The tools can't be used together: the message says which and why. A runner doesn't start with them."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="broken_tools")
