"""Stories of turns that fail: what goes on by itself, by a person, by what is said next, and not at all."""

from collections.abc import Callable
from typing import Any

from foldline_testing.product.recorded.player import Player
from foldline_testing.product.recorded.story import Story, call, calls, when

_ATTEMPTS = 2
"""How often a model is asked before its call has failed: see `FOLDLINE_MODEL_RETRIES` of the recorder."""

_SPAWNED = "{{ results | selectattr('id', 'defined') | map(attribute='id') | list }}"


def _fails(words: str, times: int, **fault: Any) -> dict[str, Any]:
    """The model fails so many times to a message with these words, and answers then."""
    reply = {"text": f"After all: {words}.", "fault": {**fault, "times": times}}
    return {"when": {"user_contains": words}, "reply": reply}


def _failed(play: Player, session: str, model_calls: int) -> None:
    """Once that many model calls were made, the last of which failed."""
    play.until(session, lambda now: now["model_calls"] == model_calls and now["failed_turn"] is not None)
    play.settled(session)


def _model_fails(play: Player) -> None:
    session = play.begin("stumble once")
    play.settled(session)
    play.say(session, "be refused")
    _failed(play, session, 2)
    play.do(session, "retry")
    play.settled(session)
    play.say(session, "fall down")
    _failed(play, session, 5)
    play.do(session, "interrupt")
    play.settled(session)
    play.do(session, "retry")
    play.settled(session)
    play.say(session, "be refused again")
    _failed(play, session, 7)
    play.say(session, "never mind")
    play.settled(session)


def _helper_fails(play: Player) -> None:
    session = play.begin("send a helper into the wall")
    state = play.until(session, lambda now: len(now["children"]) == 1)
    child = play.keep(state["children"][0]["child_id"], "child-1")
    play.settled(child, "error")
    play.settled(session)


def _one_after_another(*words: str) -> Callable[[Player], None]:
    def play_it(play: Player) -> None:
        session = play.begin(words[0])
        play.settled(session)
        for more in words[1:]:
            play.say(session, more)
            play.settled(session)

    return play_it


def _settled(play: Player) -> None:
    session = play.begin("send the letter")
    state = play.settled(session)
    [lost] = [call for message in state["messages"] for call in message.get("tool_calls", ())]
    play.settle(session, lost["call_id"], happened=True, note="It lies on her desk.")
    play.settled(session)


_N: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "number"}}}
_PICKY = {"kind": "bad_request", "message": "Invalid schema for function 'picky': it is not to our taste."}

STORIES = (
    Story(
        "tool-quarantined",
        "The model's server refuses an own tool: the turn goes on without, and with it once it is edited.",
        (
            {
                "when": {"user_contains": "make a picky tool", "offered": ["picky"]},
                "reply": {"fault": _PICKY},
            },
            when(
                "make a picky tool",
                calls(
                    call(
                        "create_tool",
                        name="picky",
                        description="Picky.",
                        parameter_schema=_N,
                        code="return args.n",
                    )
                ),
                calls(call("picky", n=1)),
                {"text": "It is in quarantine."},
            ),
            when(
                "mend it",
                calls(call("update_tool", name="picky", description="Not picky any more.")),
                calls(call("picky", n=2)),
                {"text": "It works."},
            ),
        ),
        _one_after_another("make a picky tool", "mend it"),
    ),
    Story(
        "model-errors",
        "The model's server fails for a moment, for a turn, and for longer; the conversation goes on.",
        (
            _fails("stumble once", 1, kind="server_error"),
            _fails("be refused again", 1, kind="bad_request", message="nor can this"),
            _fails("be refused", 1, kind="bad_request", message="this can't be processed"),
            _fails("fall down", 2 * _ATTEMPTS, kind="server_error"),
        ),
        _model_fails,
    ),
    Story(
        "outcome-settled",
        "Nobody knows whether a call took effect; a person looks, says so, and the model goes on with that.",
        (
            when(
                "send the letter",
                calls(
                    call(
                        "selftest_fail",
                        how="permanent",
                        kind="outcome_unknown",
                        message="The line went dead; it may or may not have taken effect.",
                    )
                ),
                {"text": "I don't know whether it was sent. Can you look?"},
            ),
            when("I looked", {"text": "Good: then it needs no second one."}),
        ),
        _settled,
    ),
    Story(
        "helper-fails",
        "A sub-session's turn fails for good: its parent hears why, and goes on.",
        (
            {
                "when": {"user_contains": "run into the wall"},
                "reply": {"fault": {"kind": "bad_request", "message": "this can't be processed"}},
            },
            when(
                "a helper into the wall",
                calls(call("spawn_session", task="run into the wall")),
                calls(call("wait_for_sessions", ids=_SPAWNED)),
                {"text": "It hit the wall."},
            ),
        ),
        _helper_fails,
    ),
)
"""In the order in which they are recorded."""
