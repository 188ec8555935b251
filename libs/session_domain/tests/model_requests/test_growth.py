"""A late step is as much work as an early one. What is counted is calls, of Python and of C, not time."""

import sys
from collections.abc import Callable
from statistics import median
from types import FrameType
from typing import Any

from foldline_testing.session_domain.story import answers, done, says, story, wants
from session_domain.domain.messages import SessionMessage
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import SHAPES
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.rendering import Renderings
from session_domain.model_requests.request import RequestParts, build_request
from session_domain.snapshot_pieces import SnapshotInPieces, in_pieces

SHOWN = RequestParts((PromptPart("prompt", "Be brief."),), (), "UTC", SHAPES)
_TEXT = "word " * 200


def calls_in(work: Callable[[], None]) -> int:
    """How many functions are called."""
    count = 0

    def counting(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_late_step_calls_no_more_functions_than_an_early_one() -> None:
    """Folding and deciding a step, joining and cutting its request, and now and then the snapshot."""
    told, renderings = story(token_limit=10**9), Renderings()
    kept: SnapshotInPieces | None = None
    history: tuple[SessionMessage, ...] = ()
    told.given(says("go on"))

    def step() -> None:
        asked = wants(told, "look")
        told.given(answers(told, _TEXT, [asked]))
        told.given(done(asked.call_id, {"found": _TEXT, "step": f"{told.state.position:06}"}))
        request = build_request(renderings.now(told.state, SHOWN.timezone), SHOWN, "openai/m")
        assert request.size > 1_000
        encoded(request.messages).sent_in("messages", {"stream": True})

    def save() -> None:
        nonlocal kept, history
        kept = in_pieces(told.state, "e", kept.pieces if kept else (), history)
        history = tuple(told.state.history[: sum(piece.count for piece in kept.pieces)])

    steps, saves = list[int](), list[int]()
    for number in range(1_000):
        steps.append(calls_in(step))
        if number % 50 == 49:
            saves.append(calls_in(save))
    assert max(steps[900:]) < 1.2 * max(steps[10:110]), (steps[10], steps[-1])
    assert sum(steps[900:]) < 1.2 * sum(steps[10:110])
    assert median(saves[10:]) < 1.2 * median(saves[:10]), saves  # small pieces become a large one once
