"""The search of a bisection: the right event, with few probes, whatever wavers."""

import math

import pytest

from agent_contracts.entities.bisections import Bisection, Check, CheckRun, Probe, probe_agent_id
from agent_contracts.errors import Rejected
from gateway.operations.bisecting.checks import check_check, passes
from gateway.operations.bisecting.probe_steps import BisectionEnd, ProbeStep, most_probes, next_step, with_run

CHECK = Check(ask="What is it?", expect="212")


def search(
    places: list[int], first_bad: float, wavers: int = 0, good_from: float = -1
) -> tuple[BisectionEnd, int, int]:
    """How a search ends where the check holds from `good_from` on and fails from `first_bad` on; its probes
    and runs. Of each probe the run
    of the number `wavers` (from 1) says the contrary."""
    found = Bisection("q_1", CHECK, 0, places[-1] if places else 5, len(places), probe_agent_id("q_1"))
    runs = 0
    while True:
        step = next_step(found, places)
        if isinstance(step, BisectionEnd):
            return step, len(found.probes), runs
        assert isinstance(step, ProbeStep)
        runs += 1
        holds = good_from <= step.at < first_bad
        found = with_run(found, step.at, CheckRun(holds=holds is not (step.run == wavers - 1)))


@pytest.mark.parametrize("events", [1, 2, 3, 4, 7, 8, 9, 100])
def test_every_event_of_any_number_is_found(events: int) -> None:
    places = [10 * number for number in range(1, events + 1)]
    found = [search(places, place) for place in places]
    assert [ended for ended, _, _ in found] == [BisectionEnd("found", place) for place in places]
    assert max(probes for _, probes, _ in found) <= most_probes(events)


def test_of_ten_thousand_events_the_one_is_found_with_sixteen_probes() -> None:
    places = list(range(7, 70_007, 7))
    probes = [search(places, places[number])[1] for number in (*range(0, 10_000, 97), 9_999)]
    assert max(probes) <= 16 <= most_probes(10_000)


@pytest.mark.parametrize("wavers", [1, 2, 3])
def test_a_third_run_decides_where_two_differ(wavers: int) -> None:
    places = list(range(1, 51))
    ended, probes, runs = search(places, 33, wavers)
    assert ended == BisectionEnd("found", 33)
    assert runs == probes * (2 if wavers == 3 else 3)


def test_what_is_not_spoilt_and_what_never_held_is_said() -> None:
    places = list(range(1, 101))
    ended, probes, _ = search(places, math.inf)
    assert (ended.status, probes) == ("not_found", 1)
    assert "nothing is spoilt" in (ended.reason or "")
    ended, probes, _ = search(places, -1)
    assert ended.status == "not_found"
    tested = "0, 9, 18, 27, 36, 52, 68, 84, 92, 96, 98, 99, 100"
    assert f"failed after each event that was tested: {tested}. Others were not tested." in str(ended.reason)
    assert probes <= most_probes(100)
    assert search([], -1)[0].status == "not_found"
    assert "Others" not in str(search([1, 2, 3], -1)[0].reason)


def test_of_few_events_the_one_is_found_though_the_check_fails_at_both_ends() -> None:
    places = list(range(1, 8))
    for good_from in range(1, 7):
        for first_bad in range(good_from + 1, 8):
            ended, probes, _ = search(places, first_bad, good_from=good_from)
            if (good_from, first_bad) not in {(1, 2), (2, 3)}:  # they held after one event of seven only
                assert ended == BisectionEnd("found", first_bad), (good_from, first_bad)
            assert probes <= most_probes(7)


@pytest.mark.parametrize(("good_from", "first_bad"), [(100, 141), (30, 145), (90, 149), (1, 60), (75, 80)])
def test_what_did_not_hold_at_the_beginning_is_looked_for_backwards(good_from: int, first_bad: int) -> None:
    places = list(range(1, 151))
    ended, probes, _ = search(places, first_bad, good_from=good_from)
    if any(good_from <= 150 - 2**step < first_bad for step in range(8)):
        assert ended == BisectionEnd("found", first_bad)
    else:
        assert "Others were not tested" in str(ended.reason)
    assert probes <= most_probes(150)


def test_two_runs_that_differ_leave_a_probe_open() -> None:
    assert Probe(1, (CheckRun(True), CheckRun(False))).holds is None
    assert Probe(1, (CheckRun(True), CheckRun(False), CheckRun(True))).holds is True


async def test_answers_are_checked_by_text_or_expression() -> None:
    assert await passes(Check(ask="a", expect="212"), "It is 212 °F.")
    assert not await passes(Check(ask="a", expect="212", expect_not="celsius"), "212 CELSIUS")
    assert await passes(Check(ask="a", expect=r"^it is \d+", regex=True), "well\nIt is 212")
    assert not await passes(Check(ask="a", expect_not=r"\d", regex=True), "It is 212")


async def test_an_expression_that_takes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.operations.bisecting.checks._PATTERN_S", 1.0)
    with pytest.raises(Rejected, match="takes longer"):
        await passes(Check(ask="a", expect=r"(a+)+$", regex=True), "a" * 60 + "!")


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (Check(), "Name either"),
        (Check(ask="a", function="f", expect="b"), "Name either"),
        (Check(ask=" ", expect="b"), "not only blanks"),
        (Check(ask="a"), "must contain"),
        (Check(ask="a", expect="(", regex=True), "not a regular expression"),
        (Check(function="f", expect="b"), "returns true"),
        (Check(ask="a", expect="b" * 1_001), "at most 1,000"),
    ],
)
def test_what_cannot_be_a_check_is_refused(check: Check, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        check_check(check)
