"""What is on the desk is as private as its person wants, and nothing of it outlives an erasure."""

from datetime import UTC, datetime

import msgspec

from agent_contracts.entities.notifications import Preferences, QuietHours
from agent_contracts.ids import AgentId, SessionId
from notifier.desk.composing import composed, summary_of
from notifier.desk.desk import Desk, NoticePolicy, PendingDelivery, admit, forget, release
from notifier.desk.notices import Notice

AT = "2026-01-31T12:00:00Z"


def notice(session: str, agent: str = "a1") -> Notice:
    return Notice(
        key=f"question-{session}",
        kind="question",
        agent_id=AgentId(agent),
        at=AT,
        headline="A question waits",
        session_id=SessionId(session),
        about="private title",
        text="private text",
    )


def test_a_summary_quotes_nothing_where_texts_are_not_to_be_shown() -> None:
    hidden = msgspec.structs.replace(Preferences(), show_text=False)
    told = [notice("s_1"), notice("s_2")]
    for message in (summary_of(told, {"question": 2}, hidden, 0.0), composed(told[0], hidden)):
        assert "private" not in f"{message.title} {message.text}"
    shown = msgspec.structs.replace(Preferences(), show_text=True)
    assert "private title" in summary_of(told, {"question": 2}, shown, 0.0).text


def test_a_message_about_what_was_erased_is_sent_no_more_and_others_are() -> None:
    messages = [composed(notice(one), Preferences()) for one in ("s_1", "s_2")]
    desk = Desk(
        messages={one.id: one for one in messages},
        sending=tuple(PendingDelivery(one.id, "phone", 0.0) for one in messages),
    )
    left = forget(desk, "s_1")
    assert list(left.messages) == ["question-s_2"]
    assert [one.message for one in left.sending] == ["question-s_2"]
    nothing = forget(desk, "a1")
    assert (nothing.messages, nothing.sending) == ({}, ())


def test_what_comes_due_in_quiet_hours_makes_one_summary_of_all_agents_when_they_end() -> None:
    quiet = QuietHours("22:00", "07:00", "UTC")
    policy = NoticePolicy(Preferences(quiet=quiet), limit=1, channels={"phone": ("question",)})
    evening = datetime(2026, 1, 31, 21, 59, tzinfo=UTC).timestamp()
    desk = Desk()
    for agent in ("a1", "a2"):
        for session in ("s_1", "s_2"):
            desk = admit(desk, notice(f"{agent}{session}", agent), policy, evening)
    assert [one.quiet for one in desk.held.values()] == [False, False], "kept back for the limit"
    desk = release(desk, policy, max(one.until for one in desk.held.values()))
    assert [one.quiet for one in desk.held.values()] == [True, True]
    morning = datetime(2026, 2, 1, 7, 0, tzinfo=UTC).timestamp()
    desk = release(desk, policy, morning)
    assert (len(desk.sending), desk.held) == (3, {}), "two at once, and one for the rest"
