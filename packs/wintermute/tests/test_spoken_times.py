"""What is understood of times as people say them, and what isn't."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent_contracts.errors import ErrorKind, Rejected
from foldline_wintermute.orchestration.times import clock_time, iso_time

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


OSLO, LOS_ANGELES, SYDNEY = "Europe/Oslo", "America/Los_Angeles", "Australia/Sydney"
ACROSS = [
    # a span is as long as was said, whatever the clocks do
    (OSLO, "2026-03-29T01:30:00+01:00", "in 2 hours", "2026-03-29T04:30:00+02:00"),
    (OSLO, "2026-03-29T01:55:00+01:00", "in 10 minutes", "2026-03-29T03:05:00+02:00"),
    (OSLO, "2026-10-25T01:30:00+02:00", "in 2 hours", "2026-10-25T02:30:00+01:00"),
    (OSLO, "2026-10-25T02:30:00+01:00", "in 10 minutes", "2026-10-25T02:40:00+01:00"),
    (LOS_ANGELES, "2026-03-08T01:30:00-08:00", "in 90 minutes", "2026-03-08T04:00:00-07:00"),
    (LOS_ANGELES, "2026-11-01T00:30:00-07:00", "in 3 hours", "2026-11-01T02:30:00-08:00"),
    (SYDNEY, "2026-10-04T01:30:00+10:00", "in 24 hours", "2026-10-05T02:30:00+11:00"),
    (SYDNEY, "2026-04-05T01:30:00+11:00", "in 2 hours", "2026-04-05T02:30:00+10:00"),
    # one that names days keeps the time of day
    (OSLO, "2026-03-28T20:00:00+01:00", "in 1 day and 2 hours", "2026-03-29T22:00:00+02:00"),
    # a time of day is the clocks'
    (OSLO, "2026-03-28T20:00:00+01:00", "tomorrow at 2:30", "2026-03-29T03:00:00+02:00"),
    (OSLO, "2026-10-24T20:00:00+02:00", "tomorrow at 2:30", "2026-10-25T02:30:00+02:00"),
    (OSLO, "2026-10-25T02:30:00+01:00", "at 2:45", "2026-10-25T02:45:00+01:00"),
    (SYDNEY, "2026-10-03T20:00:00+10:00", "tomorrow at 9", "2026-10-04T09:00:00+11:00"),
    (LOS_ANGELES, "2026-10-31T20:00:00-07:00", "tomorrow at 9", "2026-11-01T09:00:00-08:00"),
    # far from UTC, where the local date is another one
    ("Asia/Tokyo", "2026-02-01T08:30:00+09:00", "tomorrow at 9", "2026-02-02T09:00:00+09:00"),
    ("Asia/Tokyo", "2026-02-01T00:30:00+09:00", "23:15", "2026-02-01T23:15:00+09:00"),
    (LOS_ANGELES, "2026-01-31T17:30:00-08:00", "tomorrow at 9", "2026-02-01T09:00:00-08:00"),
    (LOS_ANGELES, "2026-01-31T23:30:00-08:00", "in 45 minutes", "2026-02-01T00:15:00-08:00"),
    ("Asia/Kathmandu", "2026-01-31T23:50:00+05:45", "in 15 minutes", "2026-02-01T00:05:00+05:45"),
    ("Asia/Kathmandu", "2026-02-01T05:00:00+05:45", "noon", "2026-02-01T12:00:00+05:45"),
]


@pytest.mark.parametrize(("zone", "now", "said", "meant"), ACROSS)
def test_spans_are_as_long_as_was_said_and_times_of_day_are_the_zones(
    zone: str, now: str, said: str, meant: str
) -> None:
    moment = datetime.fromisoformat(now).astimezone(ZoneInfo(zone))
    assert moment.isoformat() == now
    assert iso_time(said, moment) == meant


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
