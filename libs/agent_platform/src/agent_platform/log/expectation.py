"""What an append expects to come after, as NATS' headers, and the id that a record has by that."""

from collections.abc import Mapping

from agent_contracts.ids import SessionId
from agent_contracts.log.session_key import SessionKey
from agent_platform.log.port import Expect

_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
_DIGITS = 18


def headers_of(subject: str, expect: Expect | None) -> Mapping[str, str]:
    """Headers are stored with the message, so what the server takes for granted is left out."""
    if expect is None:
        return {}
    expected = {_EXPECTED: str(expect.last_sequence)}
    return expected if expect.subject == subject else {**expected, _EXPECTED_SUBJECT: expect.subject}


def id_by_expectation(headers: Mapping[str, str]) -> str | None:
    """The id of a record that has no other, and was expected to come next in a session.

    Only one record can: a second one is refused.
    """
    session_id, last = _session_expected(headers), expected_last(headers)
    return None if session_id is None or last is None else _id_after(session_id, last)


def expected_last(headers: Mapping[str, str]) -> int | None:
    """The last sequence of a whole session after which the record was expected to come."""
    last = headers.get(_EXPECTED, "")
    known = last.isdecimal() and len(last) <= _DIGITS and _session_expected(headers) is not None
    return int(last) if known else None


def id_after(session: SessionKey, last_sequence: int) -> str:
    """The same, for who is about to append it."""
    return _id_after(session.session_id, last_sequence)


def _session_expected(headers: Mapping[str, str]) -> SessionId | None:
    tokens = headers.get(_EXPECTED_SUBJECT, "").split(".")
    of_one = len(tokens) == 5 and tokens[0] == "ses" and tokens[3] != "*" and tokens[4] == ">"
    return SessionId(tokens[3]) if of_one else None


def _id_after(session_id: SessionId, last_sequence: int) -> str:
    return f"c.{session_id}.{last_sequence}"
