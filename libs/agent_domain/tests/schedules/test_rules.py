"""What may become a reminder or a schedule, when it is due, and what is said of the rest."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from agent_contracts.entities.schedules import (
    StartedRun,
    StoredReminder,
    StoredSchedule,
    StoredScheduleRun,
    WaitingRun,
)
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId, check_id
from agent_domain.schedules import rules, runs
from agent_domain.schedules.cron import checked_cron
from agent_domain.schedules.rules import ScheduleDraft, latest_time, next_times
from agent_domain.schedules.times import parse_time
from agent_domain.schedules.zones import checked_zone

NOW = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
OSLO = checked_zone("Europe/Oslo")
SESSION = SessionId("s_1")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-28T15:00", "2026-03-28T14:00:00+00:00"),
        (" 2026-03-28 15:00:07.5 ", "2026-03-28T14:00:07+00:00"),
        ("2026-03-28T15:00:00Z", "2026-03-28T15:00:00+00:00"),
        ("2026-03-28T15:00:00-05:30", "2026-03-28T20:30:00+00:00"),
        ("2026-03-29T02:30", "2026-03-29T01:00:00+00:00"),  # jumped over
        ("2026-10-25T02:30", "2026-10-25T00:30:00+00:00"),  # comes twice
    ],
)
def test_a_time_without_an_offset_is_in_the_agents_zone(text: str, moment: str) -> None:
    assert parse_time(text, OSLO).isoformat() == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-03-28",
        "15:00",
        "2026-02-30T10:00",
        "9999-12-31T23:59-12:00",
        "2500-01-01T00:00Z",
    ],
)
def test_what_names_no_time_is_refused(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        parse_time(text, OSLO)

    assert (refused.value.kind, refused.value.path) == ("invalid_arguments", "/at")


def test_a_zone_that_is_none_is_refused_with_one_that_is_near() -> None:
    for name, hint in [
        ("Europe/Olso", "did you mean Europe/Oslo?"),
        ("../../etc/passwd", "is not a time zone"),
        ("Europe", "is not a time zone"),
        ("localtime", "is not a time zone"),
        ("", "is not a time zone"),
        ("x" * 10_000, "is not a time zone"),
    ]:
        with pytest.raises(Rejected) as refused:
            checked_zone(name)
        assert hint in refused.value.message
        assert refused.value.path == "/timezone"


def test_a_reminder_is_checked() -> None:
    made = rules.new_reminder(SESSION, "2026-03-28T15:00", "call", OSLO, NOW)
    assert made == StoredReminder(SESSION, "2026-03-28T14:00:00.000Z", "call")
    with pytest.raises(Rejected, match="is in the past") as refused:
        rules.new_reminder(SESSION, "2026-03-28T12:59", "call", OSLO, NOW)
    assert (refused.value.kind, refused.value.path) == ("rejected", "/at")
    with pytest.raises(Rejected, match="must not be blank"):
        rules.new_reminder(SESSION, "2026-03-28T15:00", " ", OSLO, NOW)
    with pytest.raises(Rejected, match="10,001 characters"):
        rules.new_reminder(SESSION, "2026-03-28T15:00", "x" * 10_001, OSLO, NOW)


def test_an_agent_has_so_many_reminders_that_are_to_come() -> None:
    one = StoredReminder(SESSION, "2026-03-28T14:00:00.000Z", "call")
    told = msgspec.structs.replace(one, done="told")
    rules.check_reminder_count([one] * 999 + [told] * 5_000)
    with pytest.raises(Rejected, match="1,000 reminders"):
        rules.check_reminder_count([one] * 1_000)


@pytest.mark.parametrize(
    ("draft", "path", "said"),
    [
        (ScheduleDraft("n", "t"), "/at", "Give at or cron"),
        (ScheduleDraft("n", "t", at="2026-04-01T00:00", cron="@daily"), "/cron", "Give at or cron"),
        (ScheduleDraft("n", "t", at="2026-03-28T12:00Z"), "/at", "in the past"),
        (ScheduleDraft("n", "t", cron="61 * * * *"), "/cron", "minute"),
        (ScheduleDraft("n", "t", cron="@daily", timezone="Mars/Base"), "/timezone", "not a time zone"),
        (ScheduleDraft("", "t", cron="@daily"), "/name", "blank"),
        (ScheduleDraft("n" * 201, "t", cron="@daily"), "/name", "201 characters"),
        (ScheduleDraft("n", "\n", cron="@daily"), "/task", "blank"),
        (ScheduleDraft("n", "t" * 50_001, cron="@daily"), "/task", "50,001 characters"),
        (ScheduleDraft("n", "t", cron="@daily", token_limit=0), "/token_limit", "1 or more"),
        (ScheduleDraft("n", "t", cron="@daily", model=""), "/model", "names no model"),
        (ScheduleDraft("n", "t", cron="@daily", model="a, b, a"), "/model", "names a twice"),
    ],
)
def test_what_can_be_no_schedule_is_refused(draft: ScheduleDraft, path: str | None, said: str) -> None:
    with pytest.raises(Rejected, match=said) as refused:
        rules.new_schedule(draft, OSLO, NOW)
    assert refused.value.path == path


def test_a_schedule_is_in_its_own_zone_or_the_agents() -> None:
    daily = rules.new_schedule(ScheduleDraft("n", "t", cron="@daily"), OSLO, NOW)
    assert (daily.cron, daily.timezone) == ("0 0 * * *", "Europe/Oslo")
    there = ScheduleDraft("n", "t", at="2026-03-28T15:00", timezone="America/New_York")
    assert rules.new_schedule(there, OSLO, NOW).at == "2026-03-28T19:00:00.000Z"


def test_a_schedule_asks_for_itself_when_it_is_changed() -> None:
    made = rules.new_schedule(ScheduleDraft("n", "t", cron="@daily", misfire="skip"), OSLO, NOW)
    draft = rules.draft_of(made)
    assert rules.new_schedule(draft, checked_zone("UTC"), NOW) == made
    edited = rules.new_schedule(msgspec.structs.replace(draft, task="u"), OSLO, NOW)
    assert edited == msgspec.structs.replace(made, task="u")


def test_a_paused_schedule_goes_on_unless_its_time_is_over() -> None:
    once = rules.new_schedule(ScheduleDraft("n", "t", at="2026-03-28T15:00"), OSLO, NOW)
    halted = rules.paused(once, "5 runs failed")
    assert (halted.enabled, halted.paused_because) == (False, "5 runs failed")
    assert rules.enabled(halted, NOW) == once
    with pytest.raises(Rejected, match="is in the past"):
        rules.enabled(halted, NOW + timedelta(hours=3))


def test_an_agent_has_so_many_schedules_with_a_time_to_come() -> None:
    daily, over = (
        StoredSchedule("n", "t", cron="0 0 * * *", enabled=False),
        StoredSchedule("n", "t", at="2026-01-01T00:00:00Z"),
    )
    rules.check_schedule_count([daily] * 199 + [over] * 500, NOW)
    with pytest.raises(Rejected, match="200 scheduled tasks"):
        rules.check_schedule_count([daily] * 200, NOW)


def test_next_times_come_after_and_are_that_many() -> None:
    daily = StoredSchedule("n", "t", cron="30 2 * * *", timezone="Europe/Oslo")
    assert [moment.isoformat() for moment in rules.next_times(daily, NOW, 3)] == [
        "2026-03-29T01:00:00+00:00",
        "2026-03-30T00:30:00+00:00",
        "2026-03-31T00:30:00+00:00",
    ]
    once = StoredSchedule("n", "t", at="2026-03-28T14:00:00.000Z")
    assert [moment.hour for moment in rules.next_times(once, NOW, 3)] == [14]
    assert rules.next_times(once, NOW + timedelta(hours=2), 3) == []


@pytest.mark.parametrize(
    ("cron", "after_s", "latest"),
    [
        ("* * * * *", 400 * 86400, "2026-03-28T12:00:00+00:00"),
        ("0 * * * *", 30, "2026-03-28T12:00:00+00:00"),
        ("1 * * * *", 30, None),
        ("0 9 * * 1", 30 * 86400, "2026-03-23T09:00:00+00:00"),
        ("0 0 29 2 *", 4000 * 86400, "2024-02-29T00:00:00+00:00"),
        ("0 0 29 2 *", 400 * 86400, None),
    ],
)
def test_the_latest_time_is_found_however_long_ago_the_first_was(
    cron: str, after_s: int, latest: str | None
) -> None:
    up_to = NOW + timedelta(seconds=20)
    found = rules.latest_time(StoredSchedule("n", "t", cron=cron), up_to - timedelta(seconds=after_s), up_to)
    assert found == (None if latest is None else datetime.fromisoformat(latest))


def test_ids_are_those_of_the_write() -> None:
    for made, prefix in [(rules.reminder_id_of("s:c:1"), "r_"), (rules.schedule_id_of("s:c:1"), "t_")]:
        assert check_id(made).startswith(prefix)
    assert rules.reminder_id_of("s:c:1") == rules.reminder_id_of("s:c:1") != rules.reminder_id_of("s:c:2")


def test_a_run_by_hand_is_asked_for_without_losing_what_is_known() -> None:
    asked = runs.run_now(None, NOW)
    assert asked.waiting == (WaitingRun("2026-03-28T12:00:00.000Z", by_hand=True),)
    before = StoredScheduleRun(
        "2026-03-28T11:00:00.000Z",
        "started",
        failures=2,
        decided="2026-03-28T11:00:00.000Z",
        running=(StartedRun("2026-03-28T11:00:00.000Z", SESSION),),
        waiting=(WaitingRun("2026-03-28T10:00:00.000Z"),),
    )
    after = runs.run_now(before, NOW)
    assert (after.failures, after.decided, after.running) == (before.failures, before.decided, before.running)
    assert len(after.waiting) == 2
    assert (after.outcome, after.by_hand) == ("asked", True)
    with pytest.raises(Rejected, match="wait already"):
        runs.run_now(msgspec.structs.replace(before, waiting=before.waiting * 10), NOW)


def scheduled(cron: str, zone: str = "UTC") -> StoredSchedule:
    return StoredSchedule(name="n", task="t", cron=checked_cron(cron), timezone=zone)


AGAIN = [
    # a month without such a day: its last
    ("@monthly 31 09:00", "UTC", "2026-01-31T09:00Z", ["2026-02-28T09:00Z", "2026-03-31T09:00Z"]),
    ("@monthly 30 09:00", "UTC", "2026-01-30T09:00Z", ["2026-02-28T09:00Z", "2026-03-30T09:00Z"]),
    ("@monthly 29 09:00", "UTC", "2028-01-29T09:00Z", ["2028-02-29T09:00Z", "2028-03-29T09:00Z"]),
    ("@monthly 29 09:00", "UTC", "2027-01-29T09:00Z", ["2027-02-28T09:00Z", "2027-03-29T09:00Z"]),
    # by the clocks of the zone, in which 02:30 is jumped over in March, and comes twice in October
    ("@monthly 29 02:30", "Europe/Oslo", "2026-03-01T00:00Z", ["2026-03-29T01:00Z", "2026-04-29T00:30Z"]),
    ("@monthly 25 02:30", "Europe/Oslo", "2026-10-01T00:00Z", ["2026-10-25T00:30Z", "2026-11-25T01:30Z"]),
    ("@monthly 1 00:30", "Asia/Tokyo", "2026-01-31T15:00Z", ["2026-01-31T15:30Z", "2026-02-28T15:30Z"]),
    # an interval, whatever its length, counts from when it came last
    ("@every 61", "UTC", "2026-01-31T09:00Z", ["2026-01-31T09:01:01Z", "2026-01-31T09:02:02Z"]),
    ("@every 5400", "Europe/Oslo", "2026-03-29T00:30Z", ["2026-03-29T02:00Z", "2026-03-29T03:30Z"]),
    ("@every 100000", "UTC", "2026-01-31T09:00Z", ["2026-02-01T12:46:40Z", "2026-02-02T16:33:20Z"]),
    # within a window of the zone's day; one that would come outside comes when that next begins
    (
        "@every 5400 09:30-17:15",
        "UTC",
        "2026-01-31T15:00Z",
        ["2026-01-31T16:30Z", "2026-02-01T09:30Z", "2026-02-01T11:00Z"],
    ),
    ("@every 3600 22:00-06:00", "UTC", "2026-01-31T05:30Z", ["2026-01-31T22:00Z", "2026-01-31T23:00Z"]),
    ("@every 3600 08:00-09:00", "America/New_York", "2026-03-08T13:00Z", ["2026-03-09T12:00Z"]),
    (
        "@every 3600 02:30-04:00",
        "Europe/Oslo",
        "2026-03-28T20:00Z",
        ["2026-03-29T01:00Z", "2026-03-29T02:00Z"],
    ),
]


@pytest.mark.parametrize(("cron", "zone", "after", "times"), AGAIN)
def test_what_five_fields_can_not_say_comes_by_the_clocks_of_its_zone(
    cron: str, zone: str, after: str, times: list[str]
) -> None:
    found = next_times(scheduled(cron, zone), datetime.fromisoformat(after), len(times))
    assert found == [datetime.fromisoformat(one) for one in times]
    last = datetime.fromisoformat(times[-1])
    if len(times) > 1 and not cron.startswith("@every"):
        assert latest_time(scheduled(cron, zone), datetime.fromisoformat(after), last) == last


def test_an_interval_is_caught_up_with_from_when_it_came_last() -> None:
    task = scheduled("@every 7200")
    last, now = datetime(2026, 1, 31, 10, tzinfo=UTC), datetime(2026, 1, 31, 15, tzinfo=UTC)
    assert latest_time(task, last, datetime(2026, 1, 31, 11, 59, tzinfo=UTC)) is None
    assert latest_time(task, last, now) == datetime(2026, 1, 31, 14, tzinfo=UTC)
    assert next_times(task, now, last=last) == [datetime(2026, 1, 31, 16, tzinfo=UTC)]
    years = datetime(2036, 1, 31, 15, tzinfo=UTC)
    assert latest_time(scheduled("@every 60"), last, years) == years


@pytest.mark.parametrize(
    "cron",
    [
        *("@monthly 0 09:00", "@monthly 32 09:00", "@monthly 1 24:00", "@monthly 1", "@every", "@every 59"),
        *("@every 99999999", "@every 3600 9:00-17:00", "@every 3600 09:00", "@every -60", "@every 1e3"),
    ],
)
def test_what_names_no_such_time_is_refused(cron: str) -> None:
    with pytest.raises(Rejected):
        checked_cron(cron)
