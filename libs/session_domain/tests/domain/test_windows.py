"""What a session learns of its model's window, and how texts are counted and cut."""

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.session_events.results import (
    FailedTry,
    ModelCallCompleted,
    ModelFailure,
    Overflow,
    Usage,
)
from agent_contracts.tool_spec import Effect, RunsOn
from session_domain.domain.messages import CallStatus, SessionMessage, SessionToolCall
from session_domain.domain.rules.cutting import planned
from session_domain.domain.rules.tokens import tokens_in
from session_domain.domain.window import KnownWindow, answered, refused


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 200, 260),
        ("人工智能正在改变世界的每一个角落" * 20, 320, 420),
        ("人工知能は世界のあらゆる場所を変えている" * 20, 380, 520),
        ("인공지능이 세상을 바꾸고 있습니다 " * 20, 280, 420),
        ("Съешь же ещё этих мягких французских булок " * 20, 350, 560),
        ("😀🎉🚀" * 20, 120, 180),
        ("สวัสดีครับ" * 20, 160, 260),
        ("", 0, 0),
    ],
    ids=["english", "chinese", "japanese", "korean", "russian", "emoji", "thai", "empty"],
)
def test_tokens_are_counted_by_script(text: str, least: int, most: int) -> None:
    assert least <= tokens_in(text) <= most
    assert tokens_in(text) == tokens_in(text.encode())


def test_what_a_server_says_of_its_window_counts() -> None:
    known = refused(KnownWindow(), "m", Overflow(5_000, 5_000, needed=9_000, window=8_192))
    assert known == KnownWindow("m", 8_192, told=True, percent=180)
    assert known.real(1_000) == 1_800


def test_a_refusal_below_a_known_window_shows_that_the_count_was_too_low() -> None:
    known = refused(KnownWindow("m", 8_192, told=True), "m", Overflow(4_000, 4_000))
    assert known.real(4_000) > 8_192
    again = refused(known, "m", Overflow(3_000, 3_000))
    assert again.real(3_000) > 8_192


def test_without_any_figure_the_window_is_smaller_with_each_refusal_but_holds_what_was_taken() -> None:
    known = answered(KnownWindow(), answer(usage=Usage(3_000, 100)))
    assert known.tokens is None
    known = refused(known, "m", Overflow(20_000, 20_000))
    assert known.tokens == 10_000
    known = refused(known, "m", Overflow(5_000, 5_000))
    assert known.tokens == 3_100
    assert answered(known, answer(usage=Usage(4_000, 0))).tokens == 4_000


def test_a_count_that_was_corrected_too_far_is_corrected_by_what_the_model_takes() -> None:
    known = KnownWindow("m", 8_192, told=True, percent=1_300)
    assert answered(known, answer(usage=Usage(900, 10), counted=600)).percent == 150
    unreported = answer(usage=Usage(900, 10, counted=True), counted=4_096)
    assert answered(known, unreported).percent == 200


def test_nothing_is_known_of_another_model() -> None:
    assert answered(KnownWindow("other", 500, told=True, percent=300), answer()).percent == 100


def test_the_largest_text_is_cut_first_and_no_more_than_needed() -> None:
    messages = [said(1, "a" * 40_000), result(2, "b" * 200_000), said(3, "c" * 40_000)]
    [cut] = planned(messages, 30_000, 60_000)
    assert (cut.long.sequence, cut.long.call_id) == (2, "c-2")
    assert cut.head + cut.tail == pytest.approx(30_000, rel=0.01)
    assert cut.long.path == "results/look-2-0.json"


def test_where_that_is_not_enough_little_is_left_of_each() -> None:
    messages = [said(number, "多" * 5_000) for number in range(1, 5)]
    cuts = planned(messages, 24_000 - 3_000, 4_000)
    assert len(cuts) == 4
    assert sum(cut.won for cut in cuts) >= 24_000 - 3_000
    assert not planned(messages, 1_000, 400_000, deep=False)


def answer(**more: object) -> ModelCallCompleted:
    """A model's answer."""
    return msgspec.structs.replace(ModelCallCompleted(CallId("c"), "", Usage(1, 1), "m"), **more)


def test_a_model_that_stood_in_changes_nothing_of_what_is_known_of_the_one_that_is_asked_first() -> None:
    known = KnownWindow("first", 100_000, told=True, percent=120)
    gone = FailedTry("first", "s", ModelFailure.OVERLOADED, "busy")
    stood_in = answer(model="second", context_window=8_000, tried=(gone,))
    assert answered(known, stood_in) == known
    assert answered(known, msgspec.structs.replace(stood_in, tried=())).tokens == 8_000, "it was chosen"
    other_key = msgspec.structs.replace(stood_in, model="first", tried=(gone,))
    assert answered(known, other_key).tokens == 8_000


def said(sequence: int, text: str) -> SessionMessage:
    """A message of the user."""
    return SessionMessage(sequence, "user", text)


def result(sequence: int, text: str) -> SessionMessage:
    """An answer with a call that has a result."""
    call_id = CallId(f"c-{sequence}")
    call = SessionToolCall(call_id, "look", {}, RunsOn.TOOLS, Effect.PURE, CallStatus.COMPLETED, result=text)
    return SessionMessage(sequence, "assistant", "", tool_calls=(call,))
