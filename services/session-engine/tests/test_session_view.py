"""A folded session, as people and programs are shown it."""

from foldline_testing.session_domain.story import answers, says, story, wants
from session_engine.answering.views import session_view


def test_a_call_says_what_the_model_wrote_where_that_was_taken_as_something_else() -> None:
    told = story().given(says("hello"))
    call = wants(told, "add", arguments={"count": 5}, as_sent={"count": "5"})
    view = session_view(told.given(answers(told, "", [call])).state)
    for calls in (view.messages[-1].tool_calls, view.open_calls):
        assert [(one.arguments, one.as_sent) for one in calls] == [({"count": 5}, {"count": "5"})]
