"""Which message is taken for an answer."""

from dataclasses import dataclass

import pytest

from agent_contracts.sessions.open_questions import answer_to_question, question_answered_by_message


@dataclass(frozen=True)
class Call:
    shows: str | None = "ask_user"
    status: str = "pending"


QUESTION = Call()


@pytest.mark.parametrize("kind", ["ask_user", "user_input"])
def test_a_message_answers_the_one_question_that_a_session_waits_for(kind: str) -> None:
    asked = Call(kind)
    assert question_answered_by_message("waiting_for_input", [asked]) is asked


@pytest.mark.parametrize(
    ("status", "calls"),
    [
        ("running", [QUESTION]),
        ("waiting_for_input", []),
        ("waiting_for_input", [QUESTION, QUESTION]),
        ("waiting_for_input", [QUESTION, Call("wait_for_sessions")]),
        ("waiting_for_input", [Call("approval")]),
        ("waiting_for_input", [Call("render_blocks")]),
        ("waiting_for_input", [Call(None)]),
        ("waiting_for_input", [Call(status="requested")]),
    ],
)
def test_it_answers_nothing_else(status: str, calls: list[Call]) -> None:
    assert question_answered_by_message(status, calls) is None


def test_an_answer_says_whether_it_was_a_choice() -> None:
    assert answer_to_question("Oslo", ["Oslo", "Rome"]) == {"answer": "Oslo", "from_options": True}
    assert answer_to_question("Paris", ["Oslo"]) == {"answer": "Paris", "from_options": False}
    assert answer_to_question("Paris") == {"answer": "Paris", "from_options": False}
