"""What a streaming answer came to so far, whatever comes late, twice or not at all."""

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import StoredMessage, split
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.questions.queries import Delta, RetryNotice
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, Usage
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.origins import origin_of
from gateway.live.answers import LiveAnswer, LiveAnswers


def piece(
    index: int, text: str = "", *, call: str = "m1", attempt: int = 1, tool: str | None = None
) -> Delta:
    return Delta(SessionId("s"), CallId(call), attempt, index, text, tool)


def stored(event: SessionEvent) -> StoredMessage:
    subject = subject_of(event, SessionKey(AgentId("a"), SessionId("s")))
    message, _ = event_message(event, subject, origin_of(event), SystemClock())
    return split(StoredMessage(1, message.subject, message.data, message.headers))[0]


def after(*pieces: Delta, answers: LiveAnswers | None = None) -> LiveAnswer | None:
    answers = answers or LiveAnswers()
    for one in pieces:
        answers.add(one)
    return answers.of("s")


def test_pieces_add_up() -> None:
    assert after(piece(0, "a"), piece(1, "b"), piece(2, tool="set_state")) == LiveAnswer(
        "s", "m1", 1, 3, "ab", ("set_state",), gaps=False
    )


def test_a_repeated_piece_adds_nothing_and_a_missing_one_is_told() -> None:
    assert after(piece(0, "a"), piece(0, "a")) == LiveAnswer("s", "m1", 1, 1, "a", (), gaps=False)
    assert after(piece(0, "a"), piece(2, "c")) == LiveAnswer("s", "m1", 1, 3, "a … c", (), gaps=True)
    assert after(piece(4, "e")) == LiveAnswer("s", "m1", 1, 5, "e", (), gaps=True)


def test_a_new_attempt_begins_anew_and_the_old_one_says_no_more() -> None:
    assert after(piece(0, "a"), piece(0, "b", attempt=2), piece(1, "c")) == LiveAnswer(
        "s", "m1", 2, 1, "b", (), gaps=False
    )


def test_that_it_is_asked_again_is_kept_until_the_attempt_begins() -> None:
    retrying = RetryNotice(2, 6, 4.0, "its server failed")
    told = Delta(SessionId("s"), CallId("m1"), 2, 0, retrying=retrying)
    waiting = after(piece(0, "a"), told, told, piece(1, "late"))
    assert waiting == LiveAnswer("s", "m1", 2, 0, "", (), gaps=False, retrying=retrying)
    begun = LiveAnswer("s", "m1", 2, 1, "b", (), gaps=False)
    assert after(told, piece(0, "b", attempt=2)) == begun
    assert after(told, piece(0, "b", attempt=2), told) == begun


def test_how_much_of_the_prompt_is_read_is_kept_until_the_first_word() -> None:
    def read(percent: int, attempt: int = 1) -> Delta:
        return Delta(SessionId("s"), CallId("m1"), attempt, 0, prompt_read=percent)

    reading = LiveAnswer("s", "m1", 1, 0, "", (), gaps=False, prompt_read=40)
    assert after(read(0), read(40)) == reading
    assert after(read(40), piece(0, "a")) == LiveAnswer("s", "m1", 1, 1, "a", (), gaps=False)
    assert after(piece(0, "a"), read(100)) == after(piece(0, "a")), "it came late"
    retrying = Delta(SessionId("s"), CallId("m1"), 2, 0, retrying=RetryNotice(2, 6, 4.0, "its server failed"))
    again = LiveAnswer("s", "m1", 2, 0, "", (), gaps=False, prompt_read=7)
    assert after(read(40), retrying, read(7, attempt=2)) == again


def test_nothing_comes_after_the_result() -> None:
    answers = LiveAnswers()
    after(piece(0, "a"), answers=answers)
    answers.note("s", stored(ModelCallCompleted(CallId("m1"), "a", Usage(1, 1), "m", "0" * 64)))
    assert after(piece(1, "late"), answers=answers) is None
    assert after(piece(0, "next", call="m2"), answers=answers) is not None


def test_the_next_request_ends_a_call_that_was_cut_off() -> None:
    answers = LiveAnswers()
    after(piece(0, "a"), answers=answers)
    answers.note("s", stored(ModelCallRequested(CallId("m1"))))
    assert answers.of("s") is not None
    answers.note("s", stored(ModelCallRequested(CallId("m2"))))
    assert answers.of("s") is None


def test_only_so_much_is_kept() -> None:
    answers = LiveAnswers(sessions=2, characters=3)
    assert after(piece(0, "abcd"), piece(1, "e"), answers=answers) == LiveAnswer(
        "s", "m1", 1, 2, "cde", (), gaps=True
    )
    for other in ("s2", "s3"):
        answers.add(Delta(SessionId(other), CallId("m"), 1, 0, "x"))
    assert answers.of("s") is None
