"""What an agent has, and a person lists and removes: secrets, reminders, logins on sites."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway, V
from foldline.cli.listing import listed
from foldline.cli.naming import agent_id
from foldline.cli.output import done, needed

T = TypeVar("T", bound=msgspec.Struct)


class ThingCommand(NamedTuple):
    """One kind: what people call one, its part of the gateway's addresses, the command, how one is removed
    there, and which member of the answer says whether it was."""

    noun: str
    path: str
    command: str
    removed: str
    member: str


class ThingClient:
    """Only this agent."""

    def __init__(self, door: Gateway, agent: str, kind: ThingCommand) -> None:
        self._door = door
        self._kind = kind
        self.agent_id = agent_id(door, agent)
        self.path = f"/agents/{self.agent_id}/{kind.path}"

    def read(self, view: type[V], **params: object) -> V:
        """What there is."""
        return self._door.read(self.path, view, **params)

    def list(
        self,
        found: Sequence[T],
        columns: Sequence[str],
        row: Callable[[T], Sequence[str]],
        as_json: bool,
        how: str = "",
    ) -> None:
        """Print what there is; `how` says how there comes to be one."""
        listed(found, columns, row, none=f"No {self._kind.noun}s.{how}", as_json=as_json)

    def named(self, name: str | None, action: str) -> str:
        """The argument that names one."""
        kind = self._kind
        return needed(name, f"Name the {kind.noun}", f"{kind.command} {action} {kind.noun.upper()}")

    def remove(self, name: str, as_json: bool) -> None:
        """Remove one; `Rejected` where there is none of that name."""
        kind = self._kind
        told = self._door.delete(f"{self.path}/{quote(name, safe='')}")
        if not told[kind.member]:
            raise Rejected(
                f"{self.agent_id} has no {kind.noun} named {name}. Try: foldline {kind.command}",
                kind="not_found",
            )
        done(told, f"{name} is {kind.removed}", as_json)
