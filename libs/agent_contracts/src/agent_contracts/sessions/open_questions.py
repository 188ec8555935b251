"""Asking a person: which message is taken for an answer, and what an answer looks like. Coded once, here."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from agent_contracts.files import SentFile
from agent_contracts.json_value import Json
from agent_contracts.sessions.rendering import USER_INPUT

ASK_USER = "ask_user"
"""The tool by which a model asks, and the `kind` of what a question shows, whatever tool asks it; the call is
open until somebody answers."""
ANSWERED_BY_WORDS = frozenset({ASK_USER, USER_INPUT})
"""The kinds of what is shown that a person may answer by a plain message: a question, and a form that asks
for values, of which the model then reads the person's words."""


class OpenCall(Protocol):
    """What has to be known of a tool call without an ending."""

    @property
    def shows(self) -> str | None:
        """The `kind` of what it put before a person; None where it put nothing there."""
        ...

    @property
    def status(self) -> str:
        """Where the call stands."""
        ...


C = TypeVar("C", bound=OpenCall)


def kind_of(show: Mapping[str, Json] | None) -> str | None:
    """The kind of what a call shows."""
    kind = show.get("kind") if show is not None else None
    return kind if isinstance(kind, str) else None


def question_answered_by_message(session_status: str, open_calls: Sequence[C]) -> C | None:
    """The question that a plain message answers: the only thing that the session waits for. None: no one."""
    if session_status != "waiting_for_input":
        return None
    match open_calls:
        case [call] if call.shows in ANSWERED_BY_WORDS and call.status == "pending":
            return call
        case _:
            return None


def answer_to_question(
    text: str, options: Sequence[Json] = (), files: Sequence[SentFile] = ()
) -> dict[str, Json]:
    """What the model reads as the result of its question, out of the person's words and the files that came
    with them."""
    answer: dict[str, Json] = {"answer": text, "from_options": text in options}
    if files:
        answer["files"] = [
            {"file_id": one.file_id, "path": one.path, "media_type": one.media_type, "size": one.size}
            for one in files
        ]
    return answer
