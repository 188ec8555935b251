"""What is joined from messages that were encoded before is what would be built from nothing."""

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from agent_contracts.json_value import Json
from foldline_testing.session_domain.living import IN_ANY_ORDER, Life
from foldline_testing.session_domain.shown import ZONE, timed_messages
from foldline_testing.session_domain.story import SESSION, answers, says, story
from session_domain.domain.messages import SessionMessage
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import SHAPES, Looks
from session_domain.domain.shown.showing import Clock, asked_besides, rendered_message, shown_now
from session_domain.domain.state import SessionState
from session_domain.model_requests import rendering
from session_domain.model_requests.encoded_array import LARGE, EncodedArray, encoded
from session_domain.model_requests.rendering import Renderings, choice_of
from session_domain.model_requests.request import ModelRequest, RequestParts, build_request

LOOK: dict[str, Json] = {"type": "function", "function": {"name": "look", "parameters": {"n": [1.0, None]}}}
SHOWN = RequestParts(
    (PromptPart("prompt", "Be “brief”."), PromptPart("notes", "None.\u2028")), (LOOK,), "UTC", SHAPES
)


def check_against_one_from_nothing(renderings: Renderings, session: SessionState) -> None:
    """Its bytes, its size, and which messages are said to be shown."""
    choice, now = renderings.now(session, ZONE), shown_now(session)
    joined = build_request(choice, SHOWN, "openai/m")
    anew = build_request(choice_of(session, now, asked_besides(session), SHAPES, ZONE), SHOWN, "openai/m")
    sent = msgspec.json.encode(joined.as_sent())
    assert sent == msgspec.json.encode(anew.as_sent())
    assert encoded(joined.messages).joined() == msgspec.json.encode(
        [joined.messages[0], *timed_messages(session)]
    )
    assert joined.size == anew.size == len(sent)
    assert list(choice.chosen) == now


class FollowedLife(Life):
    """A session that model callers are asked for as it lives: one has much room, one little, one is asked for
    its past too."""

    def __init__(self) -> None:
        super().__init__()
        self.roomy, self.narrow, self.asked_late = Renderings(), Renderings(4_000), Renderings()

    @invariant()
    def what_is_joined_is_what_would_be_built_from_nothing(self) -> None:
        for renderings in (self.roomy, self.narrow):
            check_against_one_from_nothing(renderings, self.story.state)

    @rule(data=st.data())
    def somebody_is_asked_late(self, data: st.DataObject) -> None:
        at = data.draw(st.sampled_from([recorded.sequence for recorded in self.story.recorded]))
        check_against_one_from_nothing(self.asked_late, self.story.at(at))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("large", [LARGE, 300])
def test_whatever_comes_the_joined_request_is_the_one_built_from_nothing(
    monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    monkeypatch.setattr(rendering, "LARGE", large)
    run_state_machine_as_test(FollowedLife, settings=settings(IN_ANY_ORDER, max_examples=30))


def test_a_message_is_rendered_once_however_many_calls_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[int] = []

    def counting(message: SessionMessage, look: Looks, clock: Clock) -> list[dict[str, Json]]:
        rendered.append(message.sequence)
        return rendered_message(message, look, clock)

    monkeypatch.setattr(rendering, "rendered_message", counting)
    told, renderings = story(), Renderings()
    for number in range(50):
        told.given(says(f"question {number}"))
        renderings.now(told.state, ZONE)
        told.given(answers(told, f"answer {number}"))
    told.given(says("and?"))
    renderings.now(told.state, ZONE)
    assert rendered == [message.sequence for message in told.state.history]
    renderings.forget(SESSION)
    renderings.now(told.state, ZONE)
    assert len(rendered) == 2 * len(told.state.history)


def test_an_array_is_read_as_what_it_was_made_of() -> None:
    elements: list[dict[str, Json]] = [{"a": 1}, {"b": [True, None, "ä"]}]
    array = encoded(elements)
    assert (array == elements, list(array), len(array), array[1:]) == (True, elements, 2, elements[1:])
    assert (array.joined(), array.size) == (msgspec.json.encode(elements), len(array.joined()))
    assert encoded(array) is array
    assert (EncodedArray([]).joined(), EncodedArray([]).size, bool(EncodedArray([]))) == (b"[]", 2, False)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("fields", [{}, {"stream": True, "n": [1]}])
@pytest.mark.parametrize("large", [(), (0,), (1,), (0, 1, 4)])
def test_an_array_is_sent_within_an_object(
    count: int, fields: dict[str, Json], large: tuple[int, ...]
) -> None:
    elements: list[dict[str, Json]] = [
        {"n": "x" * (LARGE if number in large else 1)} for number in range(count)
    ]
    array = encoded(elements)
    sent = array.sent_in("messages", fields)
    assert b"".join(sent) == msgspec.json.encode({"messages": elements} | fields)
    assert {id(part) for part in array.parts if len(part) >= LARGE} <= {id(piece) for piece in sent}


def test_a_call_copies_what_is_new_however_long_the_session_is() -> None:
    """Counted in bytes that are not the very same object as in the call before."""
    told, renderings = story(), Renderings()
    text = "word " * 200
    copied: list[int] = []
    known: set[int] = set()
    pieces: list[bytes] = []
    most = 0
    for number in range(1_000):
        told.given(says(f"{number} {text}"))
        choice = renderings.now(told.state, ZONE)
        before, pieces = pieces, EncodedArray(choice.parts).sent_in("messages", {})  # `before` keeps its ids
        copied.append(sum(len(piece) for piece in pieces if id(piece) not in known))
        most = max(most, len(pieces))
        known = {id(piece) for piece in pieces}
        del before
        told.given(answers(told, f"{number} {text}"))
    assert most < 16
    assert sum(copied[:100]) / 100 < 100_000
    assert sum(copied[800:]) / 200 < 100_000


def test_a_request_of_plain_messages_has_the_same_size() -> None:
    request = ModelRequest("m", [{"role": "user", "content": "ä"}], [LOOK])
    assert request.size == len(msgspec.json.encode(request.as_sent()))
