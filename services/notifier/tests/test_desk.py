"""What is on the desk is as private as its person wants, and nothing of it outlives an erasure."""

import msgspec

from agent_contracts.entities.notifications import Preferences
from agent_contracts.ids import AgentId, SessionId
from notifier.desk.composing import composed, summary_of
from notifier.desk.desk import Desk, Sending, forget
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
        sending=tuple(Sending(one.id, "phone", 0.0) for one in messages),
    )
    left = forget(desk, "s_1")
    assert list(left.messages) == ["question-s_2"]
    assert [one.message for one in left.sending] == ["question-s_2"]
    nothing = forget(desk, "a1")
    assert (nothing.messages, nothing.sending) == ({}, ())
