"""A request is kept back only where it is clearly longer than the window: the own count is a rough one."""

import pytest

from foldline_testing.model_caller.calling import SESSION
from model_caller.calls.fitting import surely_too_long, window_of
from session_domain.domain.state import SessionState
from session_domain.domain.window import KnownWindow
from session_domain.model_requests.request import ModelRequest

REQUEST = ModelRequest("m", [{"role": "user", "content": "word " * 20_000}], [])


@pytest.mark.parametrize("percent", [100, 150, 60])
def test_the_count_has_to_be_off_by_more_than_it_can_be(percent: int) -> None:
    takes = KnownWindow(percent=percent).real(REQUEST.tokens)
    just = round(takes / 1.15)
    for tokens, too_long in ((takes, False), (just + 5, False), (just - 5, True), (takes // 2, True)):
        window = KnownWindow("m", tokens=tokens, percent=percent)
        assert surely_too_long(REQUEST, window) is too_long, (tokens, takes)


def test_a_window_that_nobody_knows_takes_anything() -> None:
    assert not surely_too_long(REQUEST, KnownWindow("m"))


def test_what_a_person_said_counts_before_what_was_learned_and_only_of_this_model() -> None:
    session = SessionState(SESSION, window=KnownWindow("m", tokens=8_192, percent=120))
    assert window_of(session, "m", None) == KnownWindow("m", tokens=8_192, percent=120)
    assert window_of(session, "m", 4_096) == KnownWindow("m", tokens=4_096, told=True, percent=120)
    assert window_of(session, "other", 4_096) == KnownWindow("other", tokens=4_096, told=True)
    assert window_of(session, "other", None) == KnownWindow("other")
