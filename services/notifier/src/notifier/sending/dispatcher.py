"""Sends what is on the desk: each channel in a task of its own, so that a dead one holds up no other."""

import asyncio
from collections.abc import Mapping
from functools import partial

import structlog

from agent_contracts.entities.notifications import Channel, ChannelStatus, TestOutcome
from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_domain.notifications.book import NotificationBook
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.process.interruption import Interruption
from agent_platform.process.stop_points import stop_point
from agent_platform.secrecy.failure_text import bug_text
from notifier.desk import desk as rules
from notifier.desk.channels import Channels
from notifier.desk.desk import Desk, PendingDelivery
from notifier.desk.kept_desk import KeptDesk
from notifier.desk.notices import Notice, NoticeMessage
from notifier.notices.session_notices import SessionNotices
from notifier.sending.port import ATTEMPT_S, Sender, SubscriptionGone

log = structlog.get_logger()

_LONGEST_WAIT_S = 30.0
_RETRY_S = 1.0
_KILL_S = ATTEMPT_S + 10
"""An attempt that doesn't even keep its own time is cancelled."""


class NoticeDispatcher:
    """Makes attempts, and notes what became of them. An attempt that is cut off is never repeated."""

    def __init__(  # noqa: PLR0913 — the parts that it stands between
        self,
        kept: KeptDesk,
        book: NotificationBook,
        channels: Channels,
        noticing: SessionNotices,
        senders: Mapping[str, Sender],
        clock: Clock,
    ) -> None:
        self._kept = kept
        self._book = book
        self._channels = channels
        self._noticing = noticing
        self._senders = senders
        self._clock = clock
        self._busy: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Until cancelled. `Permanent` where another process took the desk over."""
        async with asyncio.TaskGroup() as group:
            interruption = Interruption("dispatcher")
            while True:
                self._kept.changed.clear()
                try:
                    await self._release()
                    self._start(group)
                    interruption.over()
                except Transient as failure:
                    interruption.hit(failure.message)
                    await asyncio.sleep(_RETRY_S)
                    continue
                except Permanent:
                    raise
                except Exception as error:  # a bug: the other channels go on
                    interruption.hit(bug_text(error), bug=error)
                    await asyncio.sleep(_RETRY_S)
                    continue
                await self._wait()

    async def note_cut_off(self, cut_off: tuple[PendingDelivery, ...]) -> None:
        """Attempts that an earlier process didn't finish: nobody knows how they ended."""
        for one in cut_off:
            log.warning("message.outcome_unknown", message=one.message, channel=one.channel)
            await self._note_failure(
                one.channel,
                "Foldline was stopped while it sent a message: it may or may not have arrived, and is not "
                "sent again",
            )

    async def test(self, name: str) -> TestOutcome:
        """Send a test message, once and at once."""
        channel = await self._book.channel(name)
        if channel is None:
            return TestOutcome(False, f"there is no channel named {name}")
        if not isinstance(channel, Channel):
            return TestOutcome(
                False,
                "it can't be read: the key of the secrets or this kind of channel has changed. Set it again",
            )
        preferences = await self._book.preferences()
        message = NoticeMessage(
            id=self._clock.new_id("test"),
            kind="test",
            at=rfc3339(self._clock.now()),
            title="Foldline: a test message",
            text="This channel works. You asked for this message.",
            link=None if preferences.address is None else preferences.address,
        )
        try:
            await self._attempt(channel, message)
        except Failure as failure:
            await self._note_failure(name, failure.message, gone=isinstance(failure, SubscriptionGone))
            return TestOutcome(False, failure.message)
        await self._note_delivery(name)
        return TestOutcome(True)

    async def _release(self) -> None:
        now = self._clock.now().timestamp()
        if rules.put_right(self._kept.current, now) is not self._kept.current:
            await self._kept.change(lambda desk: rules.put_right(desk, now))
        held = self._kept.current.held.values()
        if not any(one.quiet or one.until <= now for one in held):
            return
        policy = await self._channels.policy()
        due_now = rules.not_quiet(self._kept.current, policy, now)
        due = [one for one in due_now.held.values() if one.until <= now]
        if not due:
            return
        over: set[str] = set()
        for notice in (notice for one in due for notice in one.notices):
            if await self._is_over(notice):
                over.add(notice.key)

        def released(desk: Desk) -> Desk:
            rest = rules.drop(desk, lambda one: one.key in over)
            return rules.release(rules.not_quiet(rest, policy, now), policy, now)

        await self._kept.change(released)

    async def _is_over(self, notice: Notice) -> bool:
        try:
            return await self._noticing.is_over(notice)
        except Transient:
            raise
        except Failure as failure:
            log.info("notice.not_checked", key=notice.key, reason=failure.message)
            return False

    def _start(self, group: asyncio.TaskGroup) -> None:
        now = self._clock.now().timestamp()
        for one in self._kept.current.sending:
            if one.channel in self._busy or one.next_at > now:
                continue  # what is `under_way` and of no busy channel was not begun: nobody heard it was kept
            task = group.create_task(self._send(one), name=f"send by {one.channel}")
            self._busy[one.channel] = task
            task.add_done_callback(partial(self._is_free, one.channel))

    def _is_free(self, channel: str, _: asyncio.Task[None]) -> None:
        del self._busy[channel]
        self._kept.changed.set()

    async def _wait(self) -> None:
        at = _next_for_others(self._kept.current, set(self._busy))
        wait_s = _LONGEST_WAIT_S if at is None else at - self._clock.now().timestamp()
        try:
            async with asyncio.timeout(min(max(wait_s, 0.01), _LONGEST_WAIT_S)):
                await self._kept.changed.wait()
        except TimeoutError:
            return

    async def _send(self, one: PendingDelivery) -> None:
        message = self._kept.current.messages.get(one.message)
        try:
            channel = await self._book.channel(one.channel)
            if message is None or not isinstance(channel, Channel) or not channel.enabled:
                await self._kept.change(lambda desk: rules.ended(desk, one.message, one.channel))
                return
            await self._kept.change(lambda desk: rules.begun(desk, one.message, one.channel))
            await stop_point("notifier.begun")
            retry_at = await self._outcome(channel, message, one.attempts + 1)
            await stop_point("notifier.sent")
            await self._ended(one, retry_at)
        except Transient as failure:  # the desk can't be kept now: the message waits with it
            log.warning("message.delayed", message=one.message, channel=one.channel, reason=failure.message)
            await asyncio.sleep(_RETRY_S)
        except Permanent:
            raise
        except Exception:  # a bug before anything was sent: the message waits, and the other channels go on
            log.exception("message.bug", message=one.message, channel=one.channel)
            await asyncio.sleep(_RETRY_S)

    async def _ended(self, one: PendingDelivery, retry_at: float | None) -> None:
        """Note the end, however long that takes: as long as it isn't noted, nothing more goes this way."""
        interruption = Interruption("message_end", message=one.message, channel=one.channel)
        while True:
            try:
                await self._kept.change(lambda desk: rules.ended(desk, one.message, one.channel, retry_at))
                interruption.over()
                return
            except Transient as failure:
                interruption.hit(failure.message)
            except Permanent:
                raise
            except Exception as error:  # a bug: without its end the message would be sent a second time
                interruption.hit(bug_text(error), bug=error)
            await asyncio.sleep(_RETRY_S)

    async def _outcome(self, channel: Channel, message: NoticeMessage, attempts: int) -> float | None:
        """When to try again; None: never, since it was taken or won't be."""
        try:
            await self._attempt(channel, message)
        except Transient as failure:
            at = rules.retry_at(attempts, self._clock.now().timestamp(), failure.retry_after)
            await self._note_failure(channel.name, failure.message)
            log.warning("message.failed", channel=channel.name, reason=failure.message, again=at is not None)
            return at
        except (Permanent, Rejected) as failure:
            await self._note_failure(
                channel.name, failure.message, gone=isinstance(failure, SubscriptionGone)
            )
            log.warning("message.refused", channel=channel.name, kind=failure.kind, reason=failure.message)
            return None
        await self._note_delivery(channel.name)
        log.info("message.sent", channel=channel.name, message=message.id)
        return None

    async def _attempt(self, channel: Channel, message: NoticeMessage) -> None:
        try:
            async with asyncio.timeout(_KILL_S):
                await self._senders[channel.target.kind].send(channel, message)
        except TimeoutError as error:
            raise Permanent("the attempt took too long, and was given up", kind="outcome_unknown") from error
        except Failure:
            raise
        except Exception as error:  # a bug, or a server that a library can't stand: only this message's end
            log.exception("message.bug", channel=channel.name)
            raise Permanent(
                f"sending failed in a way that nobody foresaw ({type(error).__name__}); the service's log "
                "has it all. The message is not sent again",
                kind="internal",
            ) from error

    async def _note_delivery(self, name: str) -> None:
        await self._note(name, ChannelStatus(delivered_at=rfc3339(self._clock.now())))

    async def _note_failure(self, name: str, error: str, *, gone: bool = False) -> None:
        known = (await self._statuses()).get(name, ChannelStatus())
        await self._note(
            name,
            ChannelStatus(
                delivered_at=known.delivered_at,
                failed_at=rfc3339(self._clock.now()),
                error=error,
                failures=known.failures + 1,
                gone=gone,
            ),
        )

    async def _statuses(self) -> dict[str, ChannelStatus]:
        try:
            return await self._book.statuses()
        except Transient:
            return {}
        except Exception:
            log.exception("status.bug")
            return {}

    async def _note(self, name: str, status: ChannelStatus) -> None:
        try:
            await self._book.put_status(name, status)
        except Transient as failure:  # it tells people how the channel does: nothing depends on it
            log.warning("status.not_kept", channel=name, reason=failure.message)
        except Exception:  # and a message that was sent would be sent again
            log.exception("status.bug", channel=name)


def _next_for_others(desk: Desk, busy: set[str]) -> float | None:
    """When there is something to do that no channel is busy with already."""
    times = [one.next_at for one in desk.sending if one.channel not in busy]
    times += [held.until for held in desk.held.values()]
    return min(times, default=None)
