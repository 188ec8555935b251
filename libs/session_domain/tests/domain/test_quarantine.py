"""Own tools without which a model server took a request: in quarantine, once for each edition and model."""

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import ModelCallCompleted, RefusedTool
from foldline_testing.session_domain.story import ForkStory, Story, answers, says, story
from session_domain.domain.state import SessionState

FIRST = RefusedTool("sums", 1, 4, "bad schema")


def taken_without(told: Story, *refused: RefusedTool, model: str = "m") -> ModelCallCompleted:
    """The answer to a request that was taken once these were left out."""
    return msgspec.structs.replace(answers(told, "fine"), refused_tools=refused, model=model)


def quarantined(state: SessionState) -> list[tuple[str, int, str]]:
    return [(one.tool, one.version, one.model) for one in state.quarantined]


def test_each_tool_is_told_once_with_the_servers_words_and_nothing_waits_then() -> None:
    told = story().given(says())
    other = RefusedTool("other", 2, 5, "too deep")
    told.when(taken_without(told, FIRST, other)).then_kinds(
        ev.ToolQuarantined, ev.ToolQuarantined, ev.BecameIdle
    )
    event = told.recorded[-3].event
    assert isinstance(event, ev.ToolQuarantined)
    assert (event.tool, event.written_at, event.reason) == ("sums", 4, "bad schema")
    assert "bad schema" in event.message
    assert (quarantined(told.state), told.state.refused_tools) == ([("sums", 1, "m"), ("other", 2, "m")], ())


def test_a_later_edition_takes_the_place_of_the_earlier_one_for_the_same_model_alone() -> None:
    told = story().given(says())
    told.given(taken_without(told, FIRST), says("with another model"))
    told.given(taken_without(told, FIRST, model="n"), says("after an edit"))
    told.given(taken_without(told, RefusedTool("sums", 2, 9, "still bad")))
    assert quarantined(told.state) == [("sums", 1, "n"), ("sums", 2, "m")]


def test_a_fork_knows_it_and_going_back_does_not_forget_it() -> None:
    told = story().given(says())
    told.given(taken_without(told, FIRST))
    forked = ForkStory(told, told.state.last_sequence, SessionId("s_2"))
    assert quarantined(forked.state) == [("sums", 1, "m")]
