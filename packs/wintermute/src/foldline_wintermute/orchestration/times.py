"""When a reminder comes: what the arguments name, as a time or as cron."""

import re
from typing import Annotated, Literal

import msgspec
from pydantic import Field

from agent_contracts.entities.schedules import Again
from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.schedules.cron import LONGEST_S
from agent_tools.tool import Arguments

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_MINUTE = 60
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class SetReminder(Arguments):
    """What, and when."""

    message: Annotated[str, Field(min_length=1, max_length=4_000, description="What people read.")]
    ai_prompt: Annotated[
        str | None, Field(min_length=1, max_length=10_000, description="What you are told then.")
    ] = None
    schedule_type: Literal["once", "daily", "weekly", "monthly", "interval"]
    at: Annotated[
        str | None,
        Field(description="once: ISO 8601, HH:MM or words (tomorrow at 9); else a time of day: HH:MM, 9am."),
    ] = None
    day_of_week: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | None = None
    day_of_month: Annotated[int | None, Field(ge=1, le=31, description="Of a shorter month, its last.")] = (
        None
    )
    interval_seconds: Annotated[int | None, Field(ge=_MINUTE, le=LONGEST_S, description="60 or more.")] = None
    window_start: Annotated[str | None, Field(description="interval: earliest time, HH:MM.")] = None
    window_end: Annotated[str | None, Field(description="interval: latest time, HH:MM.")] = None
    system: Annotated[bool, Field(description="In a session of its own, not in a chat.")] = False


def again_of(args: SetReminder) -> Again | None:
    """How it comes again in this chat; None for one that comes once. `Rejected` as in `when_of`."""
    if args.schedule_type == "once":
        return None
    _check(args)
    match args.schedule_type:
        case "interval":
            window = None
            if args.window_start is not None or args.window_end is not None:
                window = (
                    _time(args.window_start or "00:00", "window_start"),
                    _time(args.window_end or "23:59", "window_end"),
                )
            return Again("interval", seconds=args.interval_seconds or 0, window=window)
        case "weekly":
            return Again("week", clock=_time(args.at, "at"), day=_DAYS.index(args.day_of_week or "mon"))
        case "monthly":
            return Again("month", clock=_time(args.at, "at"), day=args.day_of_month or 1)
        case _:
            return Again("day", clock=_time(args.at, "at"))


class When(msgspec.Struct, frozen=True):
    """One of them: a time, or cron. Both are in the agent's zone."""

    at: str | None = None
    cron: str | None = None


def when_of(args: SetReminder) -> When:
    """What the arguments name, for a session of its own. `Rejected` with the one that is missing, or can't
    be."""
    _check(args)
    again = again_of(args)
    match args.schedule_type:
        case "once":
            return When(at=args.at)
        case "daily":
            return When(cron=f"{_clock(args.at)} * * *")
        case "weekly":
            return When(cron=f"{_clock(args.at)} * * {str(args.day_of_week).upper()}")
        case "monthly":
            return When(cron=f"@monthly {args.day_of_month} {_time(args.at, 'at')}")
        case "interval":
            window = "" if again is None or again.window is None else " {}-{}".format(*again.window)
            return When(cron=f"@every {args.interval_seconds}{window}")


def _check(args: SetReminder) -> None:
    needed = {
        "once": ("at",),
        "daily": ("at",),
        "weekly": ("at", "day_of_week"),
        "monthly": ("at", "day_of_month"),
        "interval": ("interval_seconds",),
    }[args.schedule_type]
    for name in needed:
        if getattr(args, name) is None:
            raise _refused(f"{args.schedule_type} needs {name}", name)
    for name in ("window_start", "window_end"):
        if args.schedule_type != "interval" and getattr(args, name) is not None:
            raise _refused("only an interval has a window", name)


def _time(text: str | None, name: str) -> str:
    """`HH:MM`, as it is written."""
    found = _CLOCK.fullmatch((text or "").strip())
    if found is None:
        raise _refused(f"{(text or '')[:40]!r} is no time of day: write HH:MM, such as 08:30", name)
    return f"{int(found[1]):02}:{found[2]}"


def _clock(at: str | None) -> str:
    """`HH:MM` as the first two fields."""
    hour, minute = _time(at, "at").split(":")
    return f"{int(minute)} {int(hour)}"


def _refused(why: str, name: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")
