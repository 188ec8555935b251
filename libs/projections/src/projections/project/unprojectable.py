"""Events whose rows can't be made."""

from agent_contracts.errors import Permanent


class Unprojectable(Permanent):
    """An event whose rows can't be made: it is recorded with this message as its problem, and passed over."""

    def __init__(self, message: str, *, kind: str = "unprojectable") -> None:
        super().__init__(message, kind=kind)
