"""Cron expressions: what they mean, in any zone, and what is said of those that mean nothing."""

from datetime import UTC, datetime
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from agent_contracts.errors import Rejected
from agent_domain.schedules.cron import checked_cron, cron_times
from agent_domain.schedules.cron_words import cron_words
from agent_domain.schedules.zones import checked_zone

WHOLE_DAY = 10
MEANINGS = [
    # steps, lists, ranges
    ("*/20 * * * *", "2026-03-01T00:05", ["2026-03-01 00:20", "2026-03-01 00:40", "2026-03-01 01:00"]),
    ("5/20 8 * * *", "2026-03-01T00:00", ["2026-03-01 08:05", "2026-03-01 08:25", "2026-03-01 08:45"]),
    ("0 9-17/4 * * *", "2026-03-01T00:00", ["2026-03-01 09:00", "2026-03-01 13:00", "2026-03-01 17:00"]),
    ("15,45 8,20 * * *", "2026-03-01T09:00", ["2026-03-01 20:15", "2026-03-01 20:45", "2026-03-02 08:15"]),
    ("0 6 10-12 * *", "2026-03-11T06:00", ["2026-03-12 06:00", "2026-04-10 06:00", "2026-04-11 06:00"]),
    # names
    ("0 9 * * MON-FRI", "2026-03-06T10:00", ["2026-03-09 09:00", "2026-03-10 09:00", "2026-03-11 09:00"]),
    ("0 9 1 jan,Jul *", "2026-03-06T10:00", ["2026-07-01 09:00", "2027-01-01 09:00", "2027-07-01 09:00"]),
    ("0 9 * * 0", "2026-03-06T10:00", ["2026-03-08 09:00", "2026-03-15 09:00", "2026-03-22 09:00"]),
    ("0 9 * * 7", "2026-03-06T10:00", ["2026-03-08 09:00", "2026-03-15 09:00", "2026-03-22 09:00"]),
    # day of month or day of week, if neither is a star
    ("0 0 13 * FRI", "2026-03-01T00:00", ["2026-03-06 00:00", "2026-03-13 00:00", "2026-03-20 00:00"]),
    # month ends and leap days
    ("0 0 31 * *", "2026-03-31T12:00", ["2026-05-31 00:00", "2026-07-31 00:00", "2026-08-31 00:00"]),
    ("0 0 L * *", "2026-01-31T12:00", ["2026-02-28 00:00", "2026-03-31 00:00", "2026-04-30 00:00"]),
    ("0 0 29 2 *", "2026-01-01T00:00", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]),
    ("59 23 31 12 *", "2026-12-31T23:59", ["2027-12-31 23:59", "2028-12-31 23:59", "2029-12-31 23:59"]),
    # aliases
    ("@yearly", "2026-03-01T00:00", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ("@annually", "2026-03-01T00:00", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ("@monthly", "2026-03-01T00:00", ["2026-04-01 00:00", "2026-05-01 00:00", "2026-06-01 00:00"]),
    ("@weekly", "2026-03-01T00:00", ["2026-03-08 00:00", "2026-03-15 00:00", "2026-03-22 00:00"]),
    ("@Daily", "2026-03-01T00:00", ["2026-03-02 00:00", "2026-03-03 00:00", "2026-03-04 00:00"]),
    ("@midnight", "2026-03-01T00:00", ["2026-03-02 00:00", "2026-03-03 00:00", "2026-03-04 00:00"]),
    ("@hourly", "2026-03-01T00:00", ["2026-03-01 01:00", "2026-03-01 02:00", "2026-03-01 03:00"]),
]


@pytest.mark.parametrize(("expression", "after", "expected"), MEANINGS)
def test_an_expression_names_its_times(expression: str, after: str, expected: list[str]) -> None:
    assert local_times(expression, "UTC", after, 3) == expected


SPRING = [
    # zone, a local time that the clocks jump over, what comes instead
    ("Europe/Oslo", "30 2 * * *", "2026-03-28T12:00", "2026-03-29 03:00"),
    ("America/New_York", "30 2 * * *", "2026-03-07T12:00", "2026-03-08 03:00"),
    ("Australia/Sydney", "59 2 * * *", "2026-10-03T12:00", "2026-10-04 03:00"),
    ("America/Santiago", "0 0 * * *", "2026-09-05T12:00", "2026-09-06 01:00"),
    ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00", "2026-10-04 02:30"),
]


@pytest.mark.parametrize(("zone", "expression", "after", "instead"), SPRING)
def test_a_time_that_the_clocks_jump_over_is_the_first_moment_after(
    zone: str, expression: str, after: str, instead: str
) -> None:
    first, second = local_times(expression, zone, after, 2)

    assert first == instead
    assert second[:WHOLE_DAY] > first[:WHOLE_DAY], "and it is that once"
    assert second[WHOLE_DAY + 1 :] != first[WHOLE_DAY + 1 :], "the next day has its own time again"


AUTUMN = [
    # zone, a local time that comes twice, when the first is in UTC
    ("Europe/Oslo", "30 2 * * *", "2026-10-24T12:00", "2026-10-25T00:30:00+00:00"),
    ("America/New_York", "30 1 * * *", "2026-10-31T12:00", "2026-11-01T05:30:00+00:00"),
    ("Australia/Sydney", "15 2 * * *", "2026-04-04T12:00", "2026-04-04T15:15:00+00:00"),
    ("America/Santiago", "30 23 * * *", "2026-04-04T12:00", "2026-04-05T02:30:00+00:00"),
    ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00", "2026-04-04T14:45:00+00:00"),
]


@pytest.mark.parametrize(("zone", "expression", "after", "first"), AUTUMN)
def test_a_time_that_comes_twice_is_its_first(zone: str, expression: str, after: str, first: str) -> None:
    moments = times(expression, zone, after, 2)

    assert moments[0].isoformat() == first
    assert (moments[1] - moments[0]).total_seconds() > 24 * 3600, "the second one is passed over"
    again = next(cron_times(checked_cron(expression), checked_zone(zone), moments[0]))
    assert again == moments[1], "asked anew after the first one, too"


FAR = [
    # zone, expression, after, the first two times, all in UTC: the local date is another one
    ("Asia/Tokyo", "30 0 * * *", "2026-01-31T15:29", ["2026-01-31T15:30", "2026-02-01T15:30"]),
    ("Asia/Tokyo", "30 0 1 * *", "2026-01-31T12:00", ["2026-01-31T15:30", "2026-02-28T15:30"]),
    ("Asia/Tokyo", "0 8 * * SUN", "2026-01-31T12:00", ["2026-01-31T23:00", "2026-02-07T23:00"]),
    ("America/Los_Angeles", "30 23 31 * *", "2026-02-01T07:00", ["2026-02-01T07:30", "2026-04-01T06:30"]),
    ("America/Los_Angeles", "0 20 * * SAT", "2026-02-01T03:59", ["2026-02-01T04:00", "2026-02-08T04:00"]),
    ("America/Los_Angeles", "0 0 L * *", "2026-01-31T09:00", ["2026-02-28T08:00", "2026-03-31T07:00"]),
    ("Asia/Kathmandu", "15 0 * * *", "2026-01-31T18:29", ["2026-01-31T18:30", "2026-02-01T18:30"]),
    ("Asia/Kathmandu", "0 * * * *", "2026-01-31T18:00", ["2026-01-31T18:15", "2026-01-31T19:15"]),
    ("Asia/Kathmandu", "@monthly 31 00:15", "2026-02-01T00:00", ["2026-02-27T18:30", "2026-03-30T18:30"]),
]


@pytest.mark.parametrize(("zone", "expression", "after", "expected"), FAR)
def test_days_are_those_of_the_zone(zone: str, expression: str, after: str, expected: list[str]) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
    found = islice(cron_times(checked_cron(expression), checked_zone(zone), moment), 2)
    assert [f"{one:%Y-%m-%dT%H:%M}" for one in found] == expected


def test_several_times_in_one_gap_are_one() -> None:
    assert local_times("*/15 2 * * *", "Europe/Oslo", "2026-03-28T12:00", 2) == [
        "2026-03-29 03:00",
        "2026-03-30 02:00",
    ]
    assert local_times("0 */2 * * *", "Europe/Oslo", "2026-03-29T01:00", 2) == [
        "2026-03-29 03:00",
        "2026-03-29 04:00",
    ]


def test_every_hour_is_every_hour_that_passes() -> None:
    gaps = differences(times("30 * * * *", "Europe/Oslo", "2026-10-25T00:45", 5))
    assert gaps == [3600] * 4
    gaps = differences(times("30 * * * *", "Europe/Oslo", "2026-03-29T00:45", 5))
    assert gaps == [3600] * 4
    gaps = differences(times("*/15 * * * *", "Australia/Lord_Howe", "2026-04-05T00:50", 12))
    assert gaps == [900] * 11


def test_a_day_that_a_zone_left_out_is_its_next_moment() -> None:
    assert local_times("0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00", 1) == ["2011-12-31 00:00"]


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("60 * * * *", "the minute of '60 * * * *' can't be '60': it takes 0 to 59"),
        ("*/0 * * * *", "the minute of"),
        ("x * * * *", "the minute of"),
        ("0 24 * * *", "the hour of '0 24 * * *' can't be '24': it takes 0 to 23"),
        ("0 5-2 * * *", "the hour of"),
        ("0 0 0 * *", "the day-of-month of"),
        ("0 0 32 * *", "the day-of-month of"),
        ("0 0 1 13 *", "the month of"),
        ("0 0 1 FOO *", "the month of '0 0 1 FOO *' can't be 'FOO': it takes 1 to 12, or JAN to DEC"),
        ("0 0 1 * 8", "the day-of-week of"),
        ("0 0 1 * MOON", "the day-of-week of"),
        ("0 0 ? * 1", "the day-of-month of"),
        ("0 0 1,,2 * 1", "the day-of-month of"),
        ("0 0 ² * 1", "the day-of-month of"),
        ("0 0 * *", "has 4 fields, not the five: minute, hour, day-of-month, month, day-of-week"),
        ("0 0 0 * * *", "has 6 fields"),
        ("", "has 0 fields"),
        ("@reboot", "'@reboot' is not one of @yearly"),
        ("0 0 30 2 *", "never happens"),
        ("0 0 31 4,6 *", "never happens"),
        ("0 0 */31 2 1#5", "never happens"),
        ("*" * 300, "at most 200 characters"),
    ],
)
def test_what_is_wrong_is_named(expression: str, named: str) -> None:
    with pytest.raises(Rejected) as refused:
        checked_cron(expression)

    assert named in refused.value.message
    assert (refused.value.kind, refused.value.path) == ("invalid_arguments", "/cron")


def times(expression: str, zone: str, after_local: str, count: int) -> list[datetime]:
    found = checked_zone(zone)
    after = datetime.fromisoformat(after_local).replace(tzinfo=found)
    return list(islice(cron_times(checked_cron(expression), found, after), count))


def local_times(expression: str, zone: str, after_local: str, count: int) -> list[str]:
    found = times(expression, zone, after_local, count)
    assert all(moment.tzinfo is UTC for moment in found)
    return [moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M") for moment in found]


def differences(moments: list[datetime]) -> list[float]:
    return [(later - one).total_seconds() for one, later in pairwise(moments)]


TOO_FAR = [
    ("*/90 * * * *", "minute", "for every 90 minutes, write @every 5400"),
    ("0/90 * * * *", "minute", "for every 90 minutes, write @every 5400"),
    ("0-30/45 * * * *", "minute", "for every 45 minutes, write @every 2700"),
    ("50/20 * * * *", "minute", "for every 20 minutes, write @every 1200"),
    ("0,*/90 * * * *", "minute", "for every 90 minutes, write @every 5400"),
    ("0 */48 * * *", "hour", "for every 48 hours, write @every 172800"),
    ("0 0 */45 * *", "day-of-month", "for every 45 days, write @every 3888000"),
    ("0 0 1 */18 *", "month", "name the months themselves, such as JAN,JUL"),
    ("0 0 * * */10", "day-of-week", "for every 10 days, write @every 864000"),
]


@pytest.mark.parametrize(("expression", "field", "offer"), TOO_FAR)
def test_a_step_that_names_one_value_alone_is_refused_and_what_is_meant_is_offered(
    expression: str, field: str, offer: str
) -> None:
    with pytest.raises(Rejected) as refused:
        checked_cron(expression)
    assert f"the {field} of " in refused.value.message
    assert refused.value.message.endswith(offer)
    if "@every" in offer:
        assert checked_cron("@every " + offer.rpartition(" ")[2])


@pytest.mark.parametrize("expression", ["*/60 * * * *", "0 */24 * * *", "0 0 * */12 *", "*/59 * * * *"])
def test_a_step_of_the_whole_field_or_with_two_values_is_taken(expression: str) -> None:
    assert checked_cron(expression) == expression


WORDS = [
    ("0 9 */2 * MON", "At 09:00 on every second day of month only if it is Monday"),
    ("0 9 1-7 * */2", "At 09:00 on every day of month from 1 through 7 only if it is Sunday, Tuesday, "
     "Thursday, and Saturday"),
    ("0 0 13 * FRI", "At 00:00 on the 13th day of month or on Friday"),
    ("0 9 21 * MON", "At 09:00 on the 21st day of month or on Monday"),
    ("*/20 * * * *", "Every 20th minute of every hour"),
    ("*/45 * * * *", "At minutes 0 and 45 of every hour"),
    ("0 9 * * MON-FRI", "At 09:00 on Monday through Friday"),
    ("@daily", "At 00:00 every day"),
    ("@every 5400", "Every 90 minutes"),
    ("@every 3600", "Every hour"),
    ("@every 172800", "Every 2 days"),
    ("@every 5400 09:00-17:00", "Every 90 minutes, between 09:00 and 17:00"),
    ("@monthly 31 09:00", "At 09:00 on the 31st day of every month (the last day of a shorter month)"),
    ("@monthly 12 09:00", "At 09:00 on the 12th day of every month"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "words"), WORDS)
def test_an_expression_is_told_in_words(expression: str, words: str) -> None:
    assert cron_words(checked_cron(expression)) == words


@pytest.mark.parametrize(("expression", "words"), [("0 9 */2 * MON", "only if"), ("0 0 13 * FRI", " or ")])
def test_the_words_and_the_times_agree_on_days(expression: str, words: str) -> None:
    times = islice(cron_times(expression, checked_zone("UTC"), datetime(2026, 3, 1, tzinfo=UTC)), 30)
    both = all(one.weekday() == 0 and one.day % 2 for one in times)
    assert words in cron_words(expression)
    assert both == (words == "only if")
