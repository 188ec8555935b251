"""A run whose model says nothing has failed, and says why."""

import msgspec

from agent_contracts.session_events.inputs import UserMessage
from agent_contracts.session_events.results import ModelFailure, Thinking
from foldline_testing.session_domain.story import Story, answers, fails
from scheduler.domain.decide import RunEnd, ended

WORDS = "The model gave an empty answer (openai/x). Nothing is lost: Retry asks it again."


def test_a_run_whose_model_gives_only_empty_answers_has_failed_and_says_why() -> None:
    story = Story()
    story.given(UserMessage("water the plants")).settle()
    story.given(fails(story, ModelFailure.EMPTY_ANSWER, message=WORDS, retryable=False)).settle()
    assert ended(story.state) == RunEnd("failed", WORDS)


def test_what_a_run_reports_holds_no_thinking() -> None:
    story = Story()
    story.given(UserMessage("water the plants")).settle()
    thought = answers(story, "Done.")
    story.given(msgspec.structs.replace(thought, thinking=Thinking("CANARY"))).settle()
    assert ended(story.state) == RunEnd("succeeded")
    assert story.state.last_text == "Done."
