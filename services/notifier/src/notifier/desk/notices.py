"""What a person may be told. Pure data."""

from typing import Literal

import msgspec

from agent_contracts.entities.notifications import NoticeKind
from agent_contracts.ids import AgentId, SessionId

LONGEST_TEXT = 200
LONGEST_TITLE = 80

MessageKind = Literal["reminder", "question", "failure", "summary", "test"]


class Notice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that a person is told. `key` names it for ever: what has a known key is not told again.

    `headline` says what it is without quoting anything; `about` (a title) and `text` quote. `at` is RFC 3339
    in UTC.
    """

    key: str
    kind: NoticeKind
    agent_id: AgentId
    at: str
    headline: str
    session_id: SessionId | None = None
    about: str = ""
    text: str = ""


def in_short(notice: Notice) -> Notice:
    """The notice with no more of what it quotes than is ever sent."""
    about, text = shortened(notice.about, LONGEST_TITLE), shortened(notice.text, LONGEST_TEXT)
    return msgspec.structs.replace(notice, about=about, text=text)


class NoticeMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is sent, by whichever channel. `id` is the same at each attempt. `path` is a part of the page's
    address, `link` the whole of it where that is known."""

    id: str
    kind: MessageKind
    at: str
    title: str
    text: str
    path: str = "#/"
    link: str | None = None
    agent_id: AgentId | None = None
    session_id: SessionId | None = None


def shortened(text: str, most: int) -> str:
    """The text on one line, without what can't be shown, cut at a word where it is long."""
    plain = "".join(one if one.isprintable() else " " for one in text[: 8 * most])
    line = " ".join(plain.split())
    if len(line) <= most:
        return line
    return line[: most - 1].rsplit(" ", 1)[0] + "…"
