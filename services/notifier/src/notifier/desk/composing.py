"""From what happened to what is sent. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from agent_contracts.entities.notifications import NoticeKind, Preferences
from notifier.desk.notices import LONGEST_TITLE, Notice, NoticeMessage, shortened

_WORDS: Mapping[NoticeKind, tuple[str, str]] = {
    "question": ("1 question waits", "{} questions wait"),
    "failure": ("1 thing failed", "{} things failed"),
    "reminder": ("1 reminder", "{} reminders"),
}
_QUOTED = 3


def composed(notice: Notice, preferences: Preferences) -> NoticeMessage:
    """The message about one thing, which was put in short."""
    path = "#/" if notice.session_id is None else f"#/s/{notice.session_id}"
    shows = preferences.show_text
    return NoticeMessage(
        id=notice.key,
        kind=notice.kind,
        at=notice.at,
        title=f"{notice.headline}: {notice.about}" if shows and notice.about else notice.headline,
        text=notice.text if shows else "",
        path=path,
        link=_link(preferences, path),
        agent_id=notice.agent_id,
        session_id=notice.session_id,
    )


def summary_of(
    notices: Sequence[Notice], counts: Mapping[NoticeKind, int], preferences: Preferences, now: float
) -> NoticeMessage:
    """One message about many things: how many of each kind, and the first few by name."""
    agents = {notice.agent_id for notice in notices}
    parts = [
        one if counts[kind] == 1 else more.format(counts[kind])
        for kind, (one, more) in _WORDS.items()
        if counts.get(kind)
    ]
    quoted = [shortened(f"{one.headline}: {one.about}", LONGEST_TITLE) for one in notices[:_QUOTED]]
    rest = sum(counts.values()) - len(quoted)
    text = "; ".join(quoted) + (f"; and {rest} more" if rest > 0 else "")
    at = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return NoticeMessage(
        id=f"summary-{notices[0].key}" if notices else f"summary-{at}",
        kind="summary",
        at=at,
        title="Foldline: " + ", ".join(parts),
        text=text if preferences.show_text else "",
        link=_link(preferences, "#/"),
        agent_id=next(iter(agents)) if len(agents) == 1 else None,
    )


def _link(preferences: Preferences, path: str) -> str | None:
    return None if preferences.address is None else preferences.address + path
