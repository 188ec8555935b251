"""A kind of notification channel. Each other file in this folder declares one, and so may others by an entry
point of the group `foldline.channels`."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from agent_contracts.form_inputs import FormInput, inputs_of

LONGEST_ADDRESS = 2000
LONGEST_CREDENTIAL = 500
ADDRESS = msgspec.Meta(max_length=LONGEST_ADDRESS)
CREDENTIAL = msgspec.Meta(max_length=LONGEST_CREDENTIAL)


class ChannelTarget(
    msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True
):
    """Where a channel leads. Never shown whole: most of it is as good as a password."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    @property
    def kind(self) -> str:
        """The name of its kind: `webhook`."""
        return str(self.__struct_config__.tag)


T = TypeVar("T", bound=ChannelTarget)


class ChannelKind(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One kind."""

    shape: type[T]
    """Where such a channel leads; its members are `declared`, and its tag names the kind."""
    title: str
    """Its heading in forms."""
    noun: str
    """Its name in lists."""
    leads_to: tuple[str, ...]
    """Lists show the first of these members that isn't empty; of an address they show only the host."""
    by_hand: bool = True
    """Whether people fill in its members; the others are made by a browser."""
    check: Callable[[T], None] | None = None
    """Raises `MemberFlaw` for what the members' declarations can't say."""
    made: str = ""
    """The member that is made where it is left out. It is shown once, and stays when the channel is set
    again. Empty: none."""
    make: Callable[[bytes], str] | None = None
    """Makes it from 32 random bytes."""
    sender: str = ""
    """What sends, as `module:NAME`: it takes `SenderParts` and gives a `Sender` (`notifier/sending/port.py`).
    Empty: `sender` in the file of the same name in `notifier/sending/`."""

    @property
    def name(self) -> str:
        """The kind's name in requests, rows and files."""
        return str(self.shape.__struct_config__.tag)

    @property
    def inputs(self) -> list[FormInput]:
        """The inputs of its form. People fill them in, or a browser does."""
        return inputs_of(self.shape)


AnyChannelKind = ChannelKind[Any]
