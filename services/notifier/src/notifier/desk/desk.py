"""What is to be sent, to whom, and when: a pure state machine. Times are seconds since 1970.

Whatever is kept is bounded, so that all of it fits into one message of NATS: `MOST_SENDING` messages,
`MOST_QUOTED` held notices of an agent (others are counted) of no more words than are sent, `MOST_KNOWN` keys.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from agent_contracts.entities.notifications import NoticeKind, Preferences
from agent_contracts.ids import AgentId
from notifier.desk.composing import composed, summary_of
from notifier.desk.notices import Notice, NoticeMessage, in_short
from notifier.desk.quiet import quiet_until

WINDOW_S = 600.0
"""In so many seconds, one agent is spoken of at most as often as the settings say."""
RETRIES_S = (10.0, 60.0, 300.0, 900.0, 1800.0)
"""How long after a failure the next attempt is made; after the last, none."""
MOST_SENDING = 200
MOST_QUOTED = 20
MOST_KNOWN = 300
MOST_AGENTS = 100


class HeldNotices(msgspec.Struct, frozen=True):
    """What is kept back, of one agent: all of it counted, some of it whole. `quiet`: for quiet hours."""

    until: float
    quiet: bool
    counts: dict[NoticeKind, int]
    notices: tuple[Notice, ...]


class PendingDelivery(msgspec.Struct, frozen=True):
    """One message on its way by one channel. `under_way`: an attempt was begun, and hasn't ended."""

    message: str
    channel: str
    next_at: float
    attempts: int = 0
    under_way: bool = False


class Desk(msgspec.Struct, frozen=True):
    """Everything that has to outlive the process. `checkpoint` is the log's sequence up to which everything
    was looked at; `spoken` when each agent was spoken of."""

    checkpoint: int = 0
    known: tuple[str, ...] = ()
    messages: dict[str, NoticeMessage] = {}
    sending: tuple[PendingDelivery, ...] = ()
    held: dict[AgentId, HeldNotices] = {}
    spoken: dict[AgentId, tuple[float, ...]] = {}


class NoticePolicy(msgspec.Struct, frozen=True):
    """What holds now: the person's preferences, how often an agent may be spoken of, and which channels take
    which kinds."""

    preferences: Preferences
    limit: int
    channels: Mapping[str, Sequence[NoticeKind]]

    def channels_for(self, kinds: Iterable[NoticeKind]) -> list[str]:
        """Those that take any of these kinds."""
        wanted = set(kinds)
        return [name for name, takes in self.channels.items() if wanted & set(takes)]


def admit(desk: Desk, notice: Notice, policy: NoticePolicy, now: float) -> Desk:
    """The notice is sent, or kept back; not so if it is known, or no channel takes its kind."""
    if notice.key in desk.known or not policy.channels_for([notice.kind]):
        return desk
    notice = in_short(notice)
    desk = msgspec.structs.replace(desk, known=(*desk.known, notice.key)[-MOST_KNOWN:])
    quiet = quiet_until(policy.preferences.quiet, datetime.fromtimestamp(now, UTC))
    if quiet is not None:
        return _hold(desk, notice, quiet.timestamp(), quiet=True)
    free_at = _free_at(desk, notice.agent_id, policy.limit, now)
    if notice.agent_id in desk.held or free_at > now:
        return _hold(desk, notice, free_at, quiet=False)
    message = composed(notice, policy.preferences)
    return _send(desk, message, [notice.agent_id], policy.channels_for([notice.kind]), now)


def release(desk: Desk, policy: NoticePolicy, now: float) -> Desk:
    """What was kept back until now is sent: one message, as it is, more as a summary. What was kept for quiet
    hours makes one summary for all agents."""
    due = {agent: held for agent, held in desk.held.items() if held.until <= now}
    if not due:
        return desk
    quiet = quiet_until(policy.preferences.quiet, datetime.fromtimestamp(now, UTC))
    if quiet is not None:
        until = quiet.timestamp()
        later = {a: msgspec.structs.replace(one, until=until, quiet=True) for a, one in due.items()}
        return msgspec.structs.replace(desk, held={**desk.held, **later})
    rest = {agent: held for agent, held in desk.held.items() if agent not in due}
    desk = msgspec.structs.replace(desk, held=rest)
    after_quiet = {agent: held for agent, held in due.items() if held.quiet}
    groups = [after_quiet] if after_quiet else []
    groups += [{agent: held} for agent, held in due.items() if not held.quiet]
    for group in groups:
        desk = _send_group(desk, group, policy, now)
    return desk


def not_quiet(desk: Desk, policy: NoticePolicy, now: float) -> Desk:
    """What is kept for quiet hours that were ended, or moved, since then is due now."""
    if quiet_until(policy.preferences.quiet, datetime.fromtimestamp(now, UTC)) is not None:
        return desk
    due = {
        agent: msgspec.structs.replace(held, until=now)
        for agent, held in desk.held.items()
        if held.quiet and held.until > now
    }
    return msgspec.structs.replace(desk, held={**desk.held, **due}) if due else desk


def put_right(desk: Desk, now: float) -> Desk:
    """What waits for longer than anything ever does was put off by a clock that was ahead: it waits no more.
    The very same desk where there is none. Quiet hours end by `not_quiet`."""
    held = {
        agent: msgspec.structs.replace(one, until=now)
        for agent, one in desk.held.items()
        if not one.quiet and one.until > now + WINDOW_S
    }
    sending = tuple(
        msgspec.structs.replace(one, next_at=now) if one.next_at > now + RETRIES_S[-1] else one
        for one in desk.sending
    )
    if not held and sending == desk.sending:
        return desk
    return msgspec.structs.replace(desk, held={**desk.held, **held}, sending=sending)


def drop(desk: Desk, is_over: Callable[[Notice], bool]) -> Desk:
    """Without those held notices that nobody needs to be told of any more."""
    held: dict[AgentId, HeldNotices] = {}
    for agent, one in desk.held.items():
        over = [notice for notice in one.notices if is_over(notice)]
        counts = dict(one.counts)
        for notice in over:
            counts[notice.kind] = counts.get(notice.kind, 1) - 1
        counts = {kind: number for kind, number in counts.items() if number > 0}
        if counts:
            kept = tuple(notice for notice in one.notices if notice not in over)
            held[agent] = msgspec.structs.replace(one, counts=counts, notices=kept)
    return msgspec.structs.replace(desk, held=held)


def forget(desk: Desk, name: str) -> Desk:
    """Nothing about an erased session, or agent, of this id, is told any more."""

    def is_of(one: Notice | NoticeMessage) -> bool:
        return name in (one.session_id, one.agent_id)

    gone = {id for id, message in desk.messages.items() if is_of(message)}
    return msgspec.structs.replace(
        drop(desk, is_of),
        messages={id: one for id, one in desk.messages.items() if id not in gone},
        sending=tuple(one for one in desk.sending if one.message not in gone),
    )


def begun(desk: Desk, message: str, channel: str) -> Desk:
    """An attempt begins: if its end never becomes known, there is no other."""
    return _changed(
        desk,
        message,
        channel,
        lambda one: msgspec.structs.replace(one, under_way=True, attempts=one.attempts + 1),
    )


def ended(desk: Desk, message: str, channel: str, retry_at: float | None = None) -> Desk:
    """An attempt ended: for good, or there is another at `retry_at`."""
    if retry_at is None:
        return _changed(desk, message, channel, lambda one: None)
    return _changed(
        desk,
        message,
        channel,
        lambda one: msgspec.structs.replace(one, under_way=False, next_at=retry_at),
    )


def retry_at(attempts: int, now: float, wanted_s: float | None = None) -> float | None:
    """When the attempt after these is made; None: never. A server may want to be left alone for longer."""
    if attempts > len(RETRIES_S):
        return None
    longest = RETRIES_S[-1]
    return now + max(RETRIES_S[attempts - 1], min(wanted_s or 0.0, longest))


def _free_at(desk: Desk, agent: AgentId, limit: int, now: float) -> float:
    """When the agent may be spoken of."""
    if len(desk.messages) >= MOST_SENDING:
        return now + WINDOW_S
    recent = _recent(desk.spoken.get(agent, ()), now)
    return now if len(recent) < limit else recent[-limit] + WINDOW_S


def _recent(times: Sequence[float], now: float) -> tuple[float, ...]:
    """Those that count; not what a clock said that was ahead, and was put right since."""
    return tuple(at for at in times if now - WINDOW_S < at <= now)


def _hold(desk: Desk, notice: Notice, until: float, *, quiet: bool) -> Desk:
    held = desk.held.get(notice.agent_id)
    if held is None and len(desk.held) >= MOST_AGENTS:
        return desk  # a hundred agents are waiting to be spoken of: nobody reads the next one
    held = held or HeldNotices(until, quiet, {}, ())
    kept = (*held.notices, notice) if len(held.notices) < MOST_QUOTED else held.notices
    counts = {**held.counts, notice.kind: held.counts.get(notice.kind, 0) + 1}
    one = HeldNotices(max(until, held.until), quiet or held.quiet, counts, kept)
    return msgspec.structs.replace(desk, held={**desk.held, notice.agent_id: one})


def _send_group(desk: Desk, group: Mapping[AgentId, HeldNotices], policy: NoticePolicy, now: float) -> Desk:
    counts: dict[NoticeKind, int] = {}
    for held in group.values():
        for kind, number in held.counts.items():
            counts[kind] = counts.get(kind, 0) + number
    notices = [notice for held in group.values() for notice in held.notices]
    if len(notices) == 1 and sum(counts.values()) == 1:
        message = composed(notices[0], policy.preferences)
    else:
        message = summary_of(notices, counts, policy.preferences, now)
    return _send(desk, message, list(group), policy.channels_for(counts), now)


def _send(desk: Desk, message: NoticeMessage, agents: list[AgentId], channels: list[str], now: float) -> Desk:
    if not channels:
        return desk
    spoken = {agent: recent for agent, times in desk.spoken.items() if (recent := _recent(times, now))}
    for agent in agents:
        spoken[agent] = (*spoken.get(agent, ()), now)
    return msgspec.structs.replace(
        desk,
        messages={**desk.messages, message.id: message},
        sending=(*desk.sending, *(PendingDelivery(message.id, channel, now) for channel in channels)),
        spoken=spoken,
    )


def _changed(
    desk: Desk, message: str, channel: str, change: Callable[[PendingDelivery], PendingDelivery | None]
) -> Desk:
    made = [change(one) if (one.message, one.channel) == (message, channel) else one for one in desk.sending]
    sending = tuple(one for one in made if one is not None)
    named = {one.message for one in sending}
    messages = {id: one for id, one in desk.messages.items() if id in named}
    return msgspec.structs.replace(desk, sending=sending, messages=messages)
