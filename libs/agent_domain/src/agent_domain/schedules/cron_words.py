"""A cron expression in words, by the parser that finds its times."""

import re
from datetime import datetime

from cronsim import CronSim

from agent_contracts.entities.schedules import Recurrence
from agent_domain.schedules.cron import again_in

_FIRST = datetime(2024, 1, 1)  # noqa: DTZ001  (a wall clock's)
_MINUTE, _HOUR, _, _, _WEEKDAY = range(5)
_SIZES = {_MINUTE: 60, _HOUR: 24}
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_WRONG_ORDINAL = re.compile(r"\b([2-5][123])th\b")
"""The library says 21th."""


def cron_words(expression: str) -> str:
    """When an expression that was checked comes, in a sentence without a full stop.

    Where a day of the month and a day of the week are both given, it says *or* where either is enough, and
    *only if* where both must hold. A step that doesn't come out even (`*/45`) is told as the values it names.
    """
    again = again_in(expression, "UTC")
    if again is not None:
        return _again_words(again)
    parsed = CronSim(expression, _FIRST)
    fields = expression.split()
    told = CronSim(" ".join(_listed(at, text, parsed) for at, text in enumerate(fields)), _FIRST)
    words = told.explain()
    if not told.day_and:
        words = words.replace(" and on ", " only if it is " if parsed.day_and else " or on ")
    words = words.replace(" if it's on ", " only if it is ")
    return _WRONG_ORDINAL.sub(lambda found: found[1] + _ORDINALS[int(found[1][-1])], words)


def _listed(at: int, text: str, parsed: CronSim) -> str:
    """The field's values one by one, where its step would be misunderstood."""
    _, _, step = text.rpartition("/")
    if "/" not in text or "," in text:
        return text
    if at in _SIZES and (_SIZES[at] % int(step) or _SIZES[at] == int(step)):
        values = parsed.minutes if at == _MINUTE else parsed.hours
    elif at == _WEEKDAY:
        values = {one % 7 for one in parsed.weekdays if isinstance(one, int)}
    else:
        return text
    return ",".join(str(one) for one in sorted(values))


def _again_words(again: Recurrence) -> str:
    if again.every == "month":
        teens = 11 <= again.day <= 13
        day = f"{again.day}{'th' if teens else _ORDINALS.get(again.day % 10, 'th')}"
        shorter = " (the last day of a shorter month)" if again.day > 28 else ""
        return f"At {again.clock} on the {day} day of every month{shorter}"
    every = f"Every {_length(again.seconds)}"
    if again.window is None:
        return every
    return f"{every}, between {again.window[0]} and {again.window[1]}"


def _length(seconds: int) -> str:
    """A length of time in the largest unit that it is a whole number of."""
    unit, length = next(one for one in _UNITS if seconds % one[1] == 0)
    number = seconds // length
    return unit if number == 1 else f"{number:,} {unit}s"
