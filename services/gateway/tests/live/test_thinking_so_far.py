"""What a model thinks while its answer streams is kept apart from it."""

from agent_contracts.ids import CallId, SessionId
from agent_contracts.questions.queries import Delta
from gateway.live.answers import LiveAnswers

SESSION, CALL = SessionId("s_1"), CallId("m1")


def test_text_that_turns_out_to_be_thinking_is_moved() -> None:
    answers = LiveAnswers()
    answers.add(Delta(SESSION, CALL, 1, 0, "Hm", thinking=""))
    answers.add(Delta(SESSION, CALL, 1, 1, "", thinking=", well.", was_thinking=True))
    answers.add(Delta(SESSION, CALL, 1, 2, "Paris."))
    answer = answers.of(SESSION)
    assert answer is not None
    assert (answer.text, answer.thinking) == ("Paris.", "Hm, well.")
