"""What is understood of times as people say them, and what isn't."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from foldline_wintermute.orchestration.spoken_times import clock_time, iso_time

BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = datetime(2026, 11, 26, 20, 30, 7, 999, BERLIN)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("in 10 minutes", "2026-11-26T20:40:07+01:00"),
        ("in 2 hours and 30 minutes", "2026-11-26T23:00:07+01:00"),
        ("tomorrow at 9", "2026-11-27T09:00:00+01:00"),
        ("the day after tomorrow at 8", "2026-11-28T08:00:00+01:00"),
        ("Tomorrow, 9:00", "2026-11-27T09:00:00+01:00"),
        ("tomorrow morning", "2026-11-27T09:00:00+01:00"),
        ("next monday 14:00", "2026-11-30T14:00:00+01:00"),
        ("thursday 9am", "2026-12-03T09:00:00+01:00"),
        ("tonight at 22:00", "2026-11-26T22:00:00+01:00"),
        ("24 december 6pm", "2026-12-24T18:00:00+01:00"),
        ("20:15", "2026-11-27T20:15:00+01:00"),
        ("20:45", "2026-11-26T20:45:00+01:00"),
        ("noon", "2026-11-27T12:00:00+01:00"),
        ("tomorrow at 9am PST", "2026-11-27T18:00:00+01:00"),
        ("2026-12-01T09:00", "2026-12-01T09:00"),
        ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"),
    ],
)
def test_what_people_say_is_a_time_in_the_agents_zone(said: str, meant: str) -> None:
    assert iso_time(said, THURSDAY) == meant


def test_a_time_of_day_is_that_of_the_clocks_when_they_change() -> None:
    before = datetime(2026, 3, 28, 20, 0, tzinfo=BERLIN)
    assert iso_time("tomorrow at 9", before) == "2026-03-29T09:00:00+02:00"


@pytest.mark.parametrize(
    "said",
    [
        "", "soon", "friday", "tomorrow", "may", "17", "1700000000", "next month", "friday 9",
        "at 9 tomorrow", "5/6/2027 9am", "24.12. 18:00", "2026-13-01T09:00", "every day at 9",
        "in 99999999999999 days at 9:00", "morgen um 9 Uhr", "tomorrow at 99", "in 10 minutes" * 100_000,
        "1 " * 500_000, "9" * 1_000_000, "1:" * 500_000,
    ],
    ids=lambda said: said[:20],
)  # fmt: skip
def test_what_names_no_time_for_certain_is_refused_with_examples(said: str) -> None:
    with pytest.raises(Rejected, match="tomorrow at 9, next monday 14:00") as refused:
        iso_time(said, THURSDAY)
    assert (refused.value.kind, refused.value.path) == (ErrorKind.INVALID_ARGUMENTS, "/at")


@pytest.mark.parametrize(
    ("said", "each", "meant"),
    [
        ("8:30", None, "08:30"), ("00:00", None, "00:00"), ("9am", None, "09:00"), ("at 9", None, "09:00"),
        ("6:30 pm", "mon", "18:30"), ("noon", 31, "12:00"), ("every day at 9", None, "09:00"),
        ("daily 18:15", None, "18:15"), ("every Monday at 9", "mon", "09:00"), ("15th 8pm", 15, "20:00"),
        ("wednesday 9:15", "wed", "09:15"), ("on the 1st at 9", 1, "09:00"), ("Mondays, 8am", "mon", "08:00"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("zone", [BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Asia/Kolkata")])
def test_a_time_of_day_is_said_in_the_same_words(
    said: str, each: str | int | None, meant: str, zone: ZoneInfo
) -> None:
    assert clock_time(said, each, zone) == meant


@pytest.mark.parametrize(
    ("said", "each"),
    [
        ("tomorrow at 9", None), ("in 9 hours", None), ("friday 9am", None), ("every tuesday at 9", "mon"),
        ("every day at 9", "mon"), ("on the 2nd at 9", 1), ("2026-07-16T09:00", None), ("9am PST", None),
        ("16 july 9am", None), ("now", None), ("9", None), ("soon", None), ("", None), ("25:00", None),
        ("9am " * 100_000, None), ("every " * 500_000, "mon"), ("next thursday at 9", "thu"),
    ],
    ids=lambda one: str(one)[:20],
)  # fmt: skip
def test_what_is_no_time_of_day_alone_is_refused(said: str, each: str | int | None) -> None:
    with pytest.raises(Rejected) as refused:
        clock_time(said, each, BERLIN)
    assert (refused.value.kind, refused.value.path) == (ErrorKind.INVALID_ARGUMENTS, "/at")
