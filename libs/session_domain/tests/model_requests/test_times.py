"""A model is told the time where a turn begins, so that what it was sent before stays as it was."""

from agent_contracts.session_events.inputs import TimerDue
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.shown import timed_messages
from foldline_testing.session_domain.story import Story, answers, done, fails, says, story, wants
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import SHAPES
from session_domain.domain.state import SessionState
from session_domain.domain.timers import timers
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.rendering import Renderings
from session_domain.model_requests.request import RequestParts, build_request

SHOWN = RequestParts((PromptPart("prompt", "Be brief."),), (), "Asia/Kathmandu", SHAPES)


def sent(renderings: Renderings, session: SessionState) -> bytes:
    """The bytes of the messages, without the end of the list."""
    request = build_request(renderings.now(session, SHOWN.timezone), SHOWN, "openai/m")
    return encoded(request.messages).joined()[:-1]


def said(told: Story, zone: str | None = "UTC") -> list[str]:
    """What stands in the messages of a person, or of Foldline."""
    return [str(one["content"]) for one in timed_messages(told.state, zone) if one["role"] == "user"]


def test_each_request_goes_on_where_the_one_before_it_ended() -> None:
    told, renderings, before = story(), Renderings(), b""
    for number in range(20):
        told.after(420).given(says(f"question {number}"))
        for call in range(2):
            request = sent(renderings, told.state)
            assert request.startswith(before)
            before = request
            if call == 0:
                asked = wants(told, "look")
                told.given(answers(told, "", [asked]), done(asked.call_id, {"seen": number}))
        told.given(answers(told, f"answer {number}"))


def test_the_time_is_the_turns_start_in_the_agents_zone() -> None:
    told = story()
    told.now = "2026-03-04T23:30:00.000Z"
    told.given(says("hello"))
    asked = wants(told, "look")
    told.given(answers(told, "", [asked])).after(7200).given(done(asked.call_id, 1))
    assert said(told, "Asia/Kathmandu") == ["[Foldline] It is 2026-03-05 05:15 (Asia/Kathmandu).\n\nhello"]
    assert said(told, None) == ["hello"], "some sub-sessions are told no time"


def test_what_comes_in_the_middle_of_a_turn_has_no_time_of_its_own() -> None:
    told = story().given(says("one"))
    asked = wants(told, "look")
    told.given(answers(told, "", [asked]), says("two"), done(asked.call_id, 1))
    assert [one.startswith("[Foldline] It is ") for one in said(told)] == [True, False]


def test_a_turn_that_is_tried_again_is_told_when_it_began_again() -> None:
    told = story().given(says("one"))
    told.given(fails(told))
    [timer] = timers(told.state)
    told.after(86_400).given(TimerDue(timer.id, timer.purpose, timer.call_id))
    assert said(told) == ["[Foldline] It is 2026-02-01 12:34 (UTC).\n\none"]


def test_where_the_model_spoke_last_the_time_comes_after_that() -> None:
    told = story().given(says("one"))
    asked = wants(told, "look")
    told.given(answers(told, "", [asked]), done(asked.call_id, 1))
    told.given(fails(told))
    before = timed_messages(told.state)
    [timer] = timers(told.state)
    told.after(60).given(TimerDue(timer.id, timer.purpose, timer.call_id))
    assert timed_messages(told.state) == [
        *before,
        {"role": "user", "content": "[Foldline] It is 2026-01-31 12:35 (UTC)."},
    ]


def test_of_hidden_messages_the_last_time_stays() -> None:
    told, renderings = story().given(says("one")), Renderings()
    begin = wants(told, "begin_task", runs_on=RunsOn.ENGINE, arguments={"title": "t"})
    told.given(answers(told, "", [begin]))
    told.given(answers(told, "inside"))
    told.after(600).given(says("two"))
    sent(renderings, told.state)
    end = wants(told, "end_task", runs_on=RunsOn.ENGINE, arguments={"summary": "s"})
    told.given(answers(told, "", [end]))
    assert said(told)[1:] == [
        "[Foldline] It is 2026-01-31 12:44 (UTC).\n\n[Foldline] Summary of what came before:\n\nt: s"
    ]
    assert sent(renderings, told.state) == sent(Renderings(), told.state)
