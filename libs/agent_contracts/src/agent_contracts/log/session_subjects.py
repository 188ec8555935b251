"""What a session's subject says: whose it is, and who wrote there."""

import re
from functools import lru_cache

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.session_key import SessionKey

_DECISION = ".ev."

_CLAIM = ".claim."

_PARTITION = re.compile(r"[0-9]{1,9}")


class SessionSubject(msgspec.Struct, frozen=True):
    """The parts of a `ses.…` subject; `rest` is what follows the session id, such as `in.user_message`."""

    key: SessionKey
    partition: int
    rest: str


@lru_cache(maxsize=4096)
def parse_session_subject(subject: str) -> SessionSubject:
    """Split a `ses.…` subject; `Permanent` if it is none."""
    parts = subject.split(".", 4)
    if len(parts) != 5 or parts[0] != "ses" or not _PARTITION.fullmatch(parts[2]):
        raise Permanent(f"not a session subject: {subject!r}", kind="bad_subject")
    return SessionSubject(SessionKey(AgentId(parts[1]), SessionId(parts[3])), int(parts[2]), parts[4])


def is_decision(subject: str) -> bool:
    """Whether the engine wrote there: a decision, even where the event's type is also a runner's result."""
    return _DECISION in subject


def is_claim(subject: str) -> bool:
    """Whether a runner claimed a call there."""
    return _CLAIM in subject
