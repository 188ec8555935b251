"""Stories of plain conversation: messages, questions, interruptions, limits."""

from foldline_testing.product.recorded.player import Player
from foldline_testing.product.recorded.story import Story, call, calls, when


def _plain_chat(play: Player) -> None:
    session = play.begin("Hello there, this is the first message\nand its second line")
    play.settled(session)
    play.say(session, "And another one, with “quotes”, an emoji 🦊 and a\ttab")
    play.settled(session)
    play.change(session, title="Renamed by hand")
    play.change(session, pinned=True)
    answer = str(play.last_of(session, "model_call_completed"))
    play.do(session, "rate", answer=answer, rating="down", text="It is too short")
    play.settled(session)
    play.do(session, "archive")
    play.settled(session, "completed")
    play.do(session, "reopen")
    play.say(session, "Open again")
    play.settled(session)


def _said_meanwhile(play: Player) -> None:
    session = play.begin("take your time")
    play.held()
    play.say(session, "first of all")
    play.say(session, "and then")
    play.look(session)
    play.release()
    play.settled(session)


def _question_answered(play: Player) -> None:
    session = play.begin("which city?")
    play.settled(session, "waiting_for_input")
    play.answer(session, {"answer": "Oslo", "from_options": True})
    play.settled(session)


def _question_by_message(play: Player) -> None:
    session = play.begin("which city?")
    play.settled(session, "waiting_for_input")
    play.say(session, "Trondheim, of course")
    play.settled(session)
    play.say(session, "thank you")
    play.settled(session)


def _two_questions(play: Player) -> None:
    session = play.begin("two things")
    play.settled(session, "waiting_for_input")
    play.say(session, "wait, I must look that up")
    play.until(session, lambda state: bool(state["queue"]))
    play.look(session)
    play.answer(session, {"answer": "blue", "from_options": False}, which=1)
    play.until(session, lambda state: len(state["open_calls"]) == 1)
    play.look(session)
    play.answer(session, {"answer": "Bergen", "from_options": False})
    play.settled(session)


def _question_expired(play: Player) -> None:
    session = play.begin("are you there?")
    play.settled(session)


def _token_limit(play: Player) -> None:
    session = play.begin("spend a lot", token_limit=5_000)
    play.settled(session, "token_limit_reached")
    play.do(session, "continue", token_limit=100_000)
    play.settled(session)
    play.say(session, "thank you")
    play.settled(session)


def _interrupted(play: Player) -> None:
    session = play.begin("tell a long story")
    play.held()
    play.look(session)
    play.do(session, "interrupt")
    play.settled(session)
    play.release()
    play.say(session, "work slowly")
    play.until(session, lambda state: any(call["status"] == "requested" for call in state["open_calls"]))
    play.look(session)
    play.do(session, "interrupt")
    play.settled(session)
    play.say(session, "never mind")
    play.settled(session)


def _incomplete(play: Player) -> None:
    session = play.begin("all of it, please")
    play.settled(session)
    for text in ("something forbidden", "say nothing", "and now?"):
        play.say(session, text)
        play.settled(session)


_CITY = call("ask_user", question="Which city?", options=["Oslo", "Bergen"])
_SPENT = {"prompt_tokens": 4_000, "completion_tokens": 1_500}

STORIES = (
    Story(
        "plain-chat", "Messages and answers, another title, pinned, archived and reopened.", (), _plain_chat
    ),
    Story(
        "said-meanwhile",
        "What is said while the model answers is read next, in order.",
        (
            {
                "when": {"user_contains": "take your time"},
                "reply": {"text": "no hurry", "fault": {"kind": "hold", "times": 1}},
            },
        ),
        _said_meanwhile,
    ),
    Story(
        "question-answered",
        "A question, answered by a choice.",
        (when("which city", calls(_CITY), {"text": "{{ result.ask_user.answer }} it is."}),),
        _question_answered,
    ),
    Story(
        "question-by-message",
        "A plain message answers the one question that is open.",
        (when("which city", calls(_CITY), {"text": "{{ result.ask_user.answer }} it is."}),),
        _question_by_message,
    ),
    Story(
        "two-questions",
        "A message while two questions are open answers neither; it is read once both are answered.",
        (
            when(
                "two things",
                calls(_CITY, call("ask_user", question="Which colour?")),
                {"text": "Thank you for both."},
            ),
        ),
        _two_questions,
    ),
    Story(
        "question-expired",
        "A question that nobody answers in time.",
        (when("are you there", calls(call("selftest_ask", expires_in_ms=1000)), {"text": "Silence."}),),
        _question_expired,
    ),
    Story(
        "token-limit",
        "The token limit is reached in a turn; Continue raises it.",
        (
            when(
                "spend a lot",
                {**calls(call("set_state", key="spent", value=1)), "usage": _SPENT},
                {"text": "That was a lot."},
            ),
        ),
        _token_limit,
    ),
    Story(
        "incomplete-answers",
        "An answer at the model's greatest length, one that was filtered, and an empty one.",
        (
            when("all of it", {"text": "First of all, there", "finish": "length"}),
            when("forbidden", {"text": "", "finish": "content_filter"}),
            when("say nothing", {"text": ""}),
        ),
        _incomplete,
    ),
    Story(
        "interrupted",
        "Stop, while the model streams (what it had said stays) and while a tool runs.",
        (
            {
                "when": {"user_contains": "tell a long story"},
                "reply": {
                    "text": "Once upon a time there was a fox who had a great deal to say.",
                    "fault": {"kind": "hold", "after_chunks": 2},
                },
            },
            when(
                "work slowly",
                calls(call("selftest_sleep", ms=9_000), call("set_state", key="slow", value=1)),
                {"text": "Done at last."},
            ),
        ),
        _interrupted,
    ),
)
"""In the order in which they are recorded."""
