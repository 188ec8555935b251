"""How fast the disk is now: what became slow is told, and what is fast again isn't."""

from agent_platform.observing.recent_appends import WINDOW_S, RecentAppends


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(recent: RecentAppends) -> tuple[float, float, float]:
    """Slow ones, fast ones, and their seconds."""
    samples = [sample for metric in recent.collect() for sample in metric.samples]
    slow, fast, seconds = (sample.value for sample in samples)
    return slow, fast, round(seconds, 3)


def test_a_disk_that_became_slow_after_an_hour_is_told_and_not_when_it_is_fast_again() -> None:
    clock = Clock()
    recent = RecentAppends(clock)
    assert told(recent) == (0, 0, 0)
    while clock.now < 3600:
        recent.note(0.004)
        clock.now += 1
    slow, fast, _ = told(recent)
    assert (slow, fast) == (0, WINDOW_S)
    for _ in range(int(WINDOW_S) + 1):
        recent.note(0.2)
        clock.now += 1
    assert told(recent) == (30, 0, 6.0)
    for _ in range(int(WINDOW_S) + 1):
        recent.note(0.004)
        clock.now += 1
    assert told(recent) == (0, 30, 0.12)
    clock.now += 2 * WINDOW_S
    assert told(recent) == (0, 0, 0)
